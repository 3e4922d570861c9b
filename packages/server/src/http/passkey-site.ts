import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { hostNameOf } from '../realms/hosts.ts'
import { realmUrl } from '../realms/realm-url.ts'
import type { Realm } from '../realms/state.ts'
import type { Site } from '../second-factors/passkeys.ts'

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
