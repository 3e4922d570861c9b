import { escapeHtml } from '../../conversations/messages/fetch/search-highlights.ts'
import { type App, envelope } from '../../http/serving/serve.ts'
import { pagePolicy } from '../../platform/http/security-headers.ts'
import { type DemoMail, readDemoMail } from './demo-mailbox.ts'

/** Shows the emails the demo server would have sent, as an HTML page or as JSON. */
export function mailRoutes({ server, ctx }: App): void {
  if (ctx.config.mode !== 'demo') return
  server.get('/demo/mail', async (request, reply) => {
    const mail = await readDemoMail(ctx.db)
    if (request.headers.accept?.includes('text/html'))
      return reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(pageOf(mail))
    return reply.type('application/json; charset=utf-8').send(envelope({ mail }, []))
  })
}

function pageOf(mail: DemoMail[]): string {
  const entries = mail.map(
    ({ recipient, subject, caught_at, text }) =>
      `<article><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(recipient)}, ${caught_at.toISOString()}</p><pre>${escapeHtml(text)}</pre></article>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Mail</title></head>
<body><h1>Mail that would have been sent</h1>
${entries.join('\n') || '<p>None so far.</p>'}
</body></html>
`
}
