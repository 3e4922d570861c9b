import type { FastifyRequest } from 'fastify'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import { onHost } from './hosts.ts'

/**
 * The URL of a realm: its own host, PUBLIC_URL, or the IP address at which the server was reached. Never Host or
 * X-Forwarded-Host, because the sender would then choose where links and emails lead.
 */
export function realmUrl({ config }: Context, request: FastifyRequest, { host }: Pick<Realm, 'host'>): string {
  const { localAddress = '127.0.0.1', localPort } = request.socket
  const isForwarded = (request.ips?.length ?? 0) > 1
  const scheme = request.protocol === 'https' ? 'https' : 'http'
  const port = isForwarded || localPort === undefined ? '' : `:${localPort}`
  const url = config.publicUrl ?? `${scheme}://${hostOf(localAddress)}${port}`
  return host === null ? url : onHost(url, host)
}

function hostOf(address: string): string {
  const plain = address.replace(/^::ffff:/, '')
  return plain.includes(':') ? `[${plain}]` : plain
}
