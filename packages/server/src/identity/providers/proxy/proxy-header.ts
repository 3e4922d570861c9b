import { BlockList, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Config } from '../../../config.ts'
import type { Context } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { checkEmail } from '../../../people/users/profile/account-fields.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { syncGroups } from '../groups.ts'
import { accessByEmail } from '../identities.ts'

type Proxy = Config['signOn']['header'][number]

export const proxyPath = '/login/header'

/**
 * The proxy through which a request comes, if it is one that signs people in. The connection itself must come from it:
 * headers such as X-Forwarded-For count for nothing here.
 */
export function proxyOf({ signOn }: Config, { string_id }: Pick<Realm, 'string_id'>, { raw }: FastifyRequest) {
  const { remoteAddress } = raw.socket
  if (remoteAddress === undefined) return undefined
  return signOn.header.find(
    (proxy) => (proxy.realm === undefined || proxy.realm === string_id) && isTrusted(proxy, remoteAddress),
  )
}

const trusted = new WeakMap<Proxy, BlockList>()

function isTrusted(proxy: Proxy, address: string): boolean {
  const list = trusted.get(proxy) ?? networkList(proxy.trusted_proxies)
  trusted.set(proxy, list)
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function networkList(entries: string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether the proxy names a person. Without, the page offers the other ways to sign in. */
export function namesPerson(proxy: Proxy, request: FastifyRequest): boolean {
  return valuesOf(request, proxy.email_header).length > 0
}

/** The account of the person that the proxy names. The proxy vouches for the email, as it does for everything. */
export async function accessNamed(tx: Tx, ctx: Context, realm: Realm, proxy: Proxy, request: FastifyRequest) {
  const email = emailIn(proxy, request)
  const name = proxy.name_header && textOf(valuesOf(request, proxy.name_header)[0] ?? '')
  const userId = await accessByEmail(tx, ctx, { ...proxy, id: 'header' }, email, name || undefined)
  const [groups] = proxy.groups_header ? valuesOf(request, proxy.groups_header) : []
  if (proxy.groups && groups !== undefined)
    await syncGroups(
      tx,
      realm,
      userId,
      proxy.groups,
      textOf(groups)
        .split(',')
        .map((one) => one.trim()),
    )
  return userId
}

/** One valid email. Of two headers, a client may have sent one. */
function emailIn({ name, email_header }: Proxy, request: FastifyRequest): string {
  const [email, ...others] = valuesOf(request, email_header)
  if (email === undefined || others.length > 0)
    throw new ApiError(`${name} did not say who you are.`, 'AUTHENTICATION_FAILED')
  return checkEmail(textOf(email))
}

/** All headers of this name, which `headers` would join. */
function valuesOf({ raw: { rawHeaders } }: FastifyRequest, name: string): string[] {
  const isWanted = (index: number) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name.toLowerCase()
  return rawHeaders.filter((_, index) => isWanted(index))
}

/** Proxies send UTF-8, which Node reads as Latin-1. */
function textOf(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return text.includes('\uFFFD') ? value : text
}
