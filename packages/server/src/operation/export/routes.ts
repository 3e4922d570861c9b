import * as api from '@parley/api/operation/export'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Context, transactIn } from '../../context.ts'
import { authorize } from '../../http/serving/authorize.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { NoSuchFile, sendFile } from '../../platform/http/send-file.ts'
import { deleteExport, requestExport } from './actions.ts'
import { findArchive, readConsents, readExports } from './queries.ts'

export function exportRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.exportRealm, async ({ ctx, user, params: { export_type }, request }) => {
    const base_url = realmUrl(ctx, request, user.realm)
    const id = await transactIn(ctx, user.realm_id, (tx) =>
      requestExport(tx, { acting_user_id: user.id, export_type, base_url }),
    )
    return { id }
  })

  serve(app, api.getExports, async ({ ctx, user }) => ({ exports: await readExports(ctx.db, user.realm_id) }))

  serve(app, api.deleteExport, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => deleteExport(tx, user.id, path.export_id))
    return {}
  })

  serve(app, api.getExportConsents, async ({ ctx, user }) => ({
    export_consents: await readConsents(ctx.db, user.realm_id),
  }))

  const onRequest = authorize(app, { access: 'admin' })
  app.server.get('/exports/:realm_id/:file', { onRequest }, (request, reply) => archive(ctx, request, reply))
}

/** Sends the archive of an export to an administrator of its realm, until it is deleted. */
async function archive(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { realm_id, file } = request.params as { realm_id: string; file: string }
  const path = `exports/${realm_id}/${file}`
  const found = await findArchive(ctx.db, request.caller!.realm_id, path)
  if (!found) throw new NoSuchFile()
  const { id: userId, realm_id: realmId } = request.caller!
  await transactIn(ctx, realmId, (tx) => tx.audit(userId, 'export_downloaded', { id: found.id }))
  return sendFile(reply, ctx.files, path, {
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="parley-export-${found.id}.tar.gz"`,
  })
}
