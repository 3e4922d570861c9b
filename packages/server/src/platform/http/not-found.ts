import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from './api-error.ts'

interface Route {
  pattern: RegExp
  methods: string[]
}

/** Answers unknown paths and methods before credentials or the body are checked. Call it before adding routes. */
export function answerNotFound(app: FastifyInstance): void {
  const routes: Route[] = []
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ pattern: patternOf(url), methods: [method].flat() })
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) done()
    else answer(methodsAt(routes, request.url), request, reply, done)
  })
}

function answer(allowed: string[], request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
  const list = { Allow: allowed.join(', ') }
  if (allowed.length === 0) done(new ApiError('This URL does not exist.', 'NOT_FOUND'))
  else if (request.method === 'OPTIONS') reply.code(204).headers(list).send()
  else done(methodNotAllowed(allowed, list))
}

function methodNotAllowed(allowed: string[], headers: Record<string, string>): ApiError {
  return new ApiError('Method Not Allowed', 'METHOD_NOT_ALLOWED', { fields: { allowed_methods: allowed }, headers })
}

function methodsAt(routes: Route[], url: string): string[] {
  const path = url.split('?', 1)[0]!
  return [...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))].sort()
}

/** The router's path notation as a regular expression: `:name(^\d+$)`, `:name` and `*`. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*'
    if (!part.startsWith(':')) return RegExp.escape(part)
    const start = part.indexOf('(^')
    return start !== -1 && part.endsWith('$)') ? part.slice(start + 2, -2) : '[^/]+'
  })
  return new RegExp(`^${parts.join('/')}$`)
}
