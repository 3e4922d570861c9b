import { Readable } from 'node:stream'
import * as api from '@parley/api/audit-log'
import { type Context, transactIn } from '../context.ts'
import { authorize } from '../http/authorize.ts'
import { type App, serve } from '../http/serve.ts'
import type { Caller } from '../users/caller.ts'
import { formats } from './formats.ts'
import { allAuditRows, readActions, readAuditRows, readSignIns } from './queries.ts'

export function auditRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getAuditLog, async ({ user, params: { before, limit, ...filters } }) => {
    const rows = await readAuditRows(ctx.db, user.realm_id, filters, { before, limit })
    return { rows, found_oldest: rows.length < limit, actions: await readActions(ctx.db, user.realm_id) }
  })

  serve(app, api.getSignIns, async ({ user }) => ({ sign_ins: await readSignIns(ctx.db, user.realm_id, user.id) }))

  const onRequest = authorize(app, { access: 'owner' })
  for (const name of ['csv', 'ndjson'] as const)
    app.server.get(`/audit-log.${name}`, { onRequest }, async (request, reply) => {
      const lines = await exportLines(ctx, request.caller!, name)
      reply.type(formats[name].type)
      reply.header('content-disposition', `attachment; filename="audit-log.${name}"`)
      return reply.send(Readable.from(lines))
    })
}

/** The whole log as text, line by line, however long it is. The export itself is an act that the log contains. */
async function exportLines(ctx: Context, user: Caller, name: keyof typeof formats): Promise<AsyncGenerator<string>> {
  await transactIn(ctx, user.realm_id, (tx) => tx.audit(user.id, 'audit_log_exported', { format: name }))
  return linesOf(ctx, user.realm_id, formats[name])
}

async function* linesOf(ctx: Context, realmId: number, { header, line }: (typeof formats)[keyof typeof formats]) {
  yield header()
  for await (const row of allAuditRows(ctx.db, realmId)) yield line(row)
}
