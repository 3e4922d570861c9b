import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { ApiError } from '../platform/http/api-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is served in maintenance, although its method is not GET. */
    worksInMaintenance?: boolean
  }
}

class UnderMaintenance extends ApiError {
  constructor(text: string) {
    super(`Nothing can be changed during maintenance: ${text}`, 'MAINTENANCE', { headers: { 'Retry-After': '60' } })
  }
}

/** Reading, events, presence, signing in and signing out go on. */
export function refuseWritesInMaintenance(server: FastifyInstance, { settings }: Pick<Context, 'settings'>): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { maintenance } = settings
    done(maintenance !== null && mayWrite(request) ? new UnderMaintenance(maintenance) : undefined)
  })
}

const reads = new Set(['GET', 'HEAD', 'OPTIONS'])
const pagesForSigningIn = /^\/log(?:in|out)(?:\/|$)/

function mayWrite({ method, routeOptions: { url = '', config } }: FastifyRequest): boolean {
  return !reads.has(method) && config.worksInMaintenance !== true && !pagesForSigningIn.test(url)
}
