import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import type { Site } from '../../identity/second-factors/passkeys.ts'
import { hostNameOf } from '../../organization/realms/hosts.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'

/**
 * Where passkeys of the realm work; undefined if it has no host name. A server that knows only its IP address takes the
 * name from the request: browsers offer a passkey only to the name it was made for, whatever we expect.
 */
export function passkeySite(ctx: Context, request: FastifyRequest, realm: Pick<Realm, 'host'>): Site | undefined {
  const url = new URL(realmUrl(ctx, request, realm))
  if (!isAddress(url.hostname)) return { rpId: url.hostname, origin: url.origin }
  const rpId = hostNameOf(request.headers.host)
  if (rpId === undefined || isAddress(rpId)) return undefined
  return { rpId, origin: `${url.protocol}//${request.headers.host}` }
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0
}
