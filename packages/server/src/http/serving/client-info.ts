import type { FastifyRequest } from 'fastify'
import type { RawParams } from '../../platform/http/body.ts'

/** Zulip's own clients expect different names for a few things. */
export function isZulipClient(request: FastifyRequest): boolean {
  return /zulip/i.test(request.headers['user-agent'] ?? '')
}

/** The name of the sending client: the parameter `client`, or the beginning of User-Agent. */
export function clientName(request: FastifyRequest): string {
  const body = request.body as RawParams | undefined
  const said = body?.client ?? (request.query as RawParams).client
  const agent = request.headers['user-agent']?.split('/')[0]?.trim()
  return (said || agent || 'Unspecified').slice(0, 30)
}
