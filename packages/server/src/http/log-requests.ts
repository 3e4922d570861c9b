import type { FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import type { TimedResponse } from '../platform/http/timed-response.ts'

/** Logs a request that took long and, if the operator wants it, every one. */
export function logRequest({ log, config }: Pick<Context, 'log' | 'config'>, response: TimedResponse): void {
  const { reply, startedAt } = response
  if (!reply) return
  const milliseconds = Math.round(performance.now() - startedAt)
  const isSlow = config.slowRequest > 0 && milliseconds >= config.slowRequest && !dependsOnClient(response, reply)
  if (isSlow) log.warn(describe(response, reply, milliseconds), 'slow request')
  else if (config.accessLog) log.info(describe(response, reply, milliseconds), 'request')
}

const smallBody = 64 * 1024

/** A poll waits for an event, a file or an event stream for the connection of the client. */
function dependsOnClient({ operation }: TimedResponse, reply: FastifyReply): boolean {
  const { 'content-length': length = 0 } = reply.request.headers
  const type = String(reply.getHeader('content-type'))
  return operation === 'getEvents' || Number(length) > smallBody || !/^(application\/json|text\/html)/.test(type)
}

/** The pattern of the path, because the path itself may contain a token. */
function describe({ operation, statusCode }: TimedResponse, { request }: FastifyReply, milliseconds: number): object {
  const { id, method, routeOptions, ip, caller } = request
  const logged = { request_id: id, method, route: routeOptions.url, operation, status: statusCode }
  return { ...logged, milliseconds, ip, realm: caller?.realm_id, user: caller?.id }
}
