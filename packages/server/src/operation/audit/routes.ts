import { Readable } from 'node:stream'
import type { AuditRow } from '@parley/api/operation/audit-log'
import * as api from '@parley/api/operation/audit-log'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { authorize } from '../../http/serving/authorize.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { decoderOf } from '../../platform/http/decode.ts'
import { formats } from './formats.ts'
import { allAuditRows, type Filters, readActions, readAuditRows, readSignIns } from './queries.ts'

export function auditRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getAuditLog, async ({ ctx, user, params: { before, limit, ...filters } }) => {
    const rows = await readAuditRows(ctx.db, user.realm_id, filters, { before, limit })
    return { rows, found_oldest: rows.length < limit, actions: await readActions(ctx.db, user.realm_id) }
  })

  serve(app, api.getSignIns, async ({ ctx, user }) => ({ sign_ins: await readSignIns(ctx.db, user.realm_id, user.id) }))

  const onRequest = authorize(app, { access: 'owner' })
  const decode = decoderOf(api.getAuditLog)
  for (const name of ['csv', 'ndjson'] as const)
    app.server.get(`/audit-log.${name}`, { onRequest }, async (request, reply) => {
      const { before: _, limit: __, ...filters } = decode(undefined, request.query as RawParams).params
      const lines = await exportLines(ctx, request.caller!, name, filters)
      reply.type(formats[name].type)
      reply.header('content-disposition', `attachment; filename="audit-log.${name}"`)
      return reply.send(Readable.from(lines))
    })
}

type Format = keyof typeof formats

/** All rows that match as text, line by line, however many there are. The export itself is an act that the log contains. */
async function exportLines(ctx: Context, user: Caller, format: Format, filters: Filters): Promise<Lines> {
  await transactIn(ctx, user.realm_id, (tx) => tx.audit(user.id, 'audit_log_exported', { format, ...filters }))
  return linesOf(allAuditRows(ctx.db, user.realm_id, filters), formats[format])
}

type Lines = AsyncGenerator<string>

async function* linesOf(rows: AsyncGenerator<AuditRow>, { header, line }: (typeof formats)[Format]): Lines {
  yield header()
  for await (const row of rows) yield line(row)
}
