import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { readMetrics } from '../boot/process-metrics.ts'
import { Unauthorized } from '../callers/authenticate.ts'
import { isLoopback } from '../config.ts'
import type { Context } from '../context.ts'
import { ServiceUnavailable } from '../platform/http/api-error.ts'
import { hashKey } from '../platform/secrets.ts'
import { notReadyReason } from './readiness.ts'
import { type App, envelope } from './serving/serve.ts'

/** For operators and their monitoring: liveness, readiness and metrics. */
export function operatorRoutes({ server, ctx }: App, isPrivate = ctx.config.mode === 'demo'): void {
  server.get('/health', (_request, reply) => reply.type('application/json; charset=utf-8').send(envelope({}, [])))

  server.get('/health/ready', async (_request, reply) => {
    const reason = await notReadyReason(ctx)
    if (reason !== undefined) throw new ServiceUnavailable(`Not ready: ${reason}.`)
    const warnings = await ctx.warnings.read()
    return reply.type('application/json; charset=utf-8').send(envelope(warnings.length > 0 ? { warnings } : {}, []))
  })

  server.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(ctx, isPrivate, request))
      throw new Unauthorized('Metrics are for METRICS_TOKEN as a bearer token.')
    return reply.type(ctx.metrics.registry.contentType).send(await readMetrics(ctx.metrics.registry))
  })
}

/**
 * A local proxy may forward requests of any client without saying so: on a port that serves clients, only the token
 * counts. The demo and a worker's own port are only reachable from this machine anyway.
 */
function mayReadMetrics({ config }: Context, isPrivate: boolean, request: FastifyRequest): boolean {
  return (isPrivate && isFromThisMachine(request)) || hasToken(config.metricsToken, request.headers.authorization)
}

function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const isForwarded = Object.keys(headers).some((name) => /^(x-forwarded|forwarded|via|x-real-ip)/.test(name))
  return !isForwarded && isLoopback(raw.socket.remoteAddress ?? '')
}

/** Compares hashes: equal length, constant time. */
function hasToken(token: string | undefined, header: string | undefined): boolean {
  if (token === undefined || !header?.startsWith('Bearer ')) return false
  return timingSafeEqual(hashKey(token), hashKey(header.slice('Bearer '.length)))
}
