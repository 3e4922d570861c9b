import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { hasOpenChannel } from '../conversations/web-public/access.ts'
import { authorizeOpenFiles } from '../http/serving/authorize.ts'
import type { App } from '../http/serving/serve.ts'
import { sendPage } from '../http/serving/serve-page.ts'
import { sessionHashOf } from '../identity/sessions/session-cookie.ts'
import { realmOf } from '../organization/realms/request-realm.ts'
import { html, say } from '../platform/html.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { pagePolicy } from '../platform/http/security-headers.ts'
import { manifestOf } from './manifest.ts'
import type { WebFile, WebFiles } from './web-files.ts'

/** Scripts cannot turn text into HTML except through our one sanitizer. */
const appPolicy = `${pagePolicy.replace("img-src 'self' data:", "img-src 'self' data: blob:")}; worker-src 'self'; manifest-src 'self'; require-trusted-types-for 'script'; trusted-types parley`

/** The service worker only fetches and stores files of ours, and shows our icon in notifications. */
const workerPolicy = "default-src 'none'; connect-src 'self'; img-src 'self'"

/** The web client: its shell at `/`, its files under `/app/`. */
export function webRoutes(app: App): void {
  const { server, ctx } = app
  if (!ctx.config.hasWebClient) return
  const onRequest = authorizeOpenFiles(app)

  server.get('/', { onRequest }, async (request, reply) => {
    // Whether the hash names an open channel is known only to the browser.
    const isSignedIn = sessionHashOf(request.headers.cookie) !== undefined
    if (!isSignedIn && !(await isOpenTo(ctx, request))) return reply.redirect('/login', 303)
    const shell = ctx.web.get('index.html')
    return shell ? sendFresh(request, reply, shell, appPolicy) : sendPage(reply, preparing(ctx.web))
  })

  server.get('/sw.js', { onRequest }, (request, reply) => {
    const worker = ctx.web.get('sw.js')
    if (!worker) throw new ApiError('The web client is being built.', 'NOT_FOUND')
    return sendFresh(request, reply, worker, workerPolicy)
  })

  server.get('/manifest.webmanifest', { onRequest }, async (request, reply) => {
    const manifest = manifestOf(await realmOf(ctx, request))
    return reply.header('cache-control', 'no-cache').type('application/manifest+json').send(JSON.stringify(manifest))
  })

  server.get('/app/*', { onRequest }, (request, reply) => {
    const path = (request.params as { '*': string })['*']
    const file = ctx.web.get(path)
    if (!file || file.type.startsWith('text/html')) throw new ApiError('This file does not exist.', 'NOT_FOUND')
    const caching = path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    return sendFile(request, reply.header('cache-control', caching), file)
  })
}

/** Whether people without an account may read something here. */
async function isOpenTo(ctx: Context, { headers }: FastifyRequest): Promise<boolean> {
  const realmId = await ctx.hosts.realmIdOf(headers.host)
  return realmId !== undefined && hasOpenChannel(ctx.db, (await ctx.realms.get(realmId)).realm)
}

/** The browser asks each time whether it changed. */
function sendFresh(request: FastifyRequest, reply: FastifyReply, file: WebFile, policy: string): FastifyReply {
  reply.headers({ 'cache-control': 'no-cache', etag: file.etag, 'content-security-policy': policy })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  return sendFile(request, reply, file)
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding =
    file.br && /\bbr\b/.test(accepted) ? 'br' : file.gzip && /\bgzip\b/.test(accepted) ? 'gzip' : undefined
  reply.header('vary', 'accept-encoding').type(file.type)
  return encoding ? reply.header('content-encoding', encoding).send(file[encoding]) : reply.send(file.body)
}

/** Shown while the client is built after an update. The page tries again by itself. */
function preparing({ problem }: WebFiles) {
  if (problem !== undefined)
    return {
      title: say('The web client is missing'),
      status: 503,
      content: html`<p>${say('The log of the server says why. Other clients work.')}</p>`,
    }
  return {
    title: say('Preparing Parley …'),
    status: 503,
    content: html`<meta http-equiv="refresh" content="2"><p>${say('The web client is being built. This page opens it when it is ready.')}</p>`,
  }
}
