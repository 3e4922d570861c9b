import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Context, transactIn } from '../context.ts'
import { authorize } from '../http/authorize.ts'
import type { App } from '../http/serve.ts'
import { requestEmailNotice } from '../mail/actions.ts'
import { escapeHtml } from '../messages/fetch/search-highlights.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { pagePolicy } from '../platform/http/security-headers.ts'
import { accessEmailChange, confirmEmail } from './email-changes.ts'
import { realmOf } from './request-realm.ts'

/** The pages behind the link in the email. GET changes nothing, because email programs prefetch links. */
export function emailRoutes(app: App): void {
  const { ctx, server } = app
  const onRequest = authorize(app, { access: 'anyone' })
  const url = '/accounts/confirm_new_email/:token'

  server.get(url, { onRequest }, (request, reply) =>
    sendPage(reply, async () => {
      const { id } = await realmOf(ctx, request)
      const { new_email } = await accessEmailChange(ctx.db, ctx.vault, id, tokenOf(request))
      return `<p>Is <strong>${escapeHtml(new_email)}</strong> your new email address?</p>
<form method="post"><button>Yes, change my email address</button></form>`
    }),
  )

  server.post(url, { onRequest }, (request, reply) =>
    sendPage(reply, async () => {
      await confirm(ctx, (await realmOf(ctx, request)).id, tokenOf(request))
      return '<p>Your email address has been changed. Use the new one to sign in.</p>'
    }),
  )
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token
}

function confirm(ctx: Context, realmId: number, token: string): Promise<void> {
  return transactIn(ctx, realmId, async (tx) => {
    const { user_id, old_email } = await confirmEmail(tx, ctx.vault, token)
    await requestEmailNotice(tx, user_id, old_email)
  })
}

/** Shows errors as a page too, because users open the link in a browser. */
async function sendPage(reply: FastifyReply, content: () => Promise<string>): Promise<FastifyReply> {
  reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8')
  try {
    return reply.send(pageOf(await content()))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return reply.status(error.status).send(pageOf(`<p>${escapeHtml(error.message)}</p>`))
  }
}

function pageOf(content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Your email address</title></head>
<body><h1>Your email address</h1>
${content}
</body></html>
`
}
