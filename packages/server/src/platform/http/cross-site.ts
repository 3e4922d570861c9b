import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ApiError } from './api-error.ts'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route takes forms of other sites: what they contain must be signed, and cookies must play no part. */
    isCrossSite?: boolean
  }
}

class CrossSiteRequest extends ApiError {
  constructor() {
    super('Pages of other sites cannot change anything here.', 'CSRF_FAILED')
  }
}

/**
 * Throws if a page of another site made the browser send a write request, because the browser may attach the user's
 * credentials. Programs send neither of these headers.
 */
export function refuseCrossSite(request: FastifyRequest, publicUrl: string | undefined): void {
  if (reading.has(request.method)) return
  const { origin, 'sec-fetch-site': site, host } = request.headers
  if (site === 'cross-site') throw new CrossSiteRequest()
  if (origin === undefined || isOwnForm(origin, site)) return
  const own = [host, request.host, publicUrl && hostOf(publicUrl)]
  const from = hostOf(origin)
  if (from === undefined || !own.some((one) => one?.toLowerCase() === from)) throw new CrossSiteRequest()
}

/** The same for a form: `refuseCrossSite` has checked these headers, and browsers always send one with a form. */
export function checkOwnForm({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): void {
  if (reading.has(method)) return
  if (headers.origin === undefined && headers['sec-fetch-site'] === undefined) throw new CrossSiteRequest()
}

/** Forms on our pages are sent with `Origin: null`, because our Referrer-Policy hides where a request comes from. */
function isOwnForm(origin: string, site: string | string[] | undefined): boolean {
  return origin === 'null' && site === 'same-origin'
}

/**
 * Throws if a write request that the browser authenticated by itself does not come from a page of ours: forms of other
 * sites cannot set the header, and `refuseCrossSite` has compared the origin.
 */
export function checkFromOwnPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): void {
  if (reading.has(method)) return
  if (headers.origin === undefined || headers['parley-client'] !== 'web') throw new CrossSiteRequest()
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host || undefined : undefined
}

/** On a Basic challenge a browser shows a dialog and keeps what the user types, so only programs get one. */
export function withoutChallenge(
  headers: Record<string, string>,
  request: IncomingHttpHeaders,
): Record<string, string> {
  const isBrowser = request['sec-fetch-mode'] ?? request['sec-fetch-site'] ?? request.origin
  if (isBrowser === undefined || !('WWW-Authenticate' in headers)) return headers
  const { 'WWW-Authenticate': _challenge, ...others } = headers
  return others
}
