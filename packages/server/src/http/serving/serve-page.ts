import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../../config.ts'
import { pageLanguage } from '../../identity/pages/languages.ts'
import { type Page, renderPage } from '../../identity/pages/layout.ts'
import { Redirect } from '../../identity/pages/redirect.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { refuseBrokenText } from '../../platform/http/decode.ts'
import { pagePolicy } from '../../platform/http/security-headers.ts'
import { authorize } from './authorize.ts'
import type { App } from './serve.ts'

export interface PageCall {
  /** Parameters in the path, such as the token of a link. */
  path: RawParams
  /** The fields of the form that was sent. */
  form: RawParams
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * Registers a page that needs no credentials. Errors become pages too. Requests that other sites make a browser send
 * are refused before the handler runs (platform/http/cross-site.ts), unless `isCrossSite` says that the page needs them.
 */
export function servePage(
  app: App,
  method: 'GET' | 'POST',
  url: string,
  handler: (call: PageCall) => Promise<Page | Redirect>,
  { isCrossSite, ...gate }: { isSignIn?: true; isCrossSite?: true } = {},
): void {
  const onRequest = authorize(app, { access: 'anyone', ...gate })
  app.server.route({
    method,
    url,
    onRequest,
    config: { isPage: true, ...(isCrossSite && { isCrossSite }) },
    handler: async (request, reply) => {
      const path = request.params as RawParams
      const form = (request.body ?? {}) as RawParams
      for (const [name, text] of [...Object.entries(path), ...Object.entries(form)]) refuseBrokenText(name, text)
      const answer = await handler({ path, form, request, reply })
      return answer instanceof Redirect ? reply.redirect(answer.path, 303) : sendPage(reply, answer)
    },
  })
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  if (isPlain(reply.request)) reply.header('referrer-policy', 'same-origin')
  return reply
    .code(page.status ?? 200)
    .header('content-security-policy', pagePolicy)
    .type('text/html; charset=utf-8')
    .header('vary', 'accept-language')
    .send(renderPage(page, pageLanguage(reply.request.headers['accept-language'])))
}

/** On plain HTTP, browsers send no `Sec-Fetch-Site`, so that forms must carry their origin. */
function isPlain({ protocol, hostname }: FastifyRequest): boolean {
  return protocol !== 'https' && !isLoopback(hostname)
}
