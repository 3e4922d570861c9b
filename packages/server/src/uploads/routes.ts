import * as api from '@parley/api/uploads'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Context, transactIn } from '../context.ts'
import { readAttachments, readSpaceUsed } from '../messages/attachments.ts'
import { sendFile } from '../platform/http/send-file.ts'
import { uploadOf } from '../platform/http/upload.ts'
import { type App, judgeOf, realmOf, serve } from '../serve.ts'
import { accessFile, type UploadedFile } from './access.ts'
import { addFile, deleteFile, storeFile } from './actions.ts'
import { isShownInline } from './names.ts'
import { uploadPath } from './paths.ts'
import { fileOfToken, tokenFor } from './tokens.ts'

export function uploadRoutes(app: App): void {
  const { ctx, server } = app

  serve(app, api.uploadFile, async ({ user, request }) => {
    const file = await storeFile(ctx.files, user.realm_id, uploadOf(request))
    await transactIn(ctx, user.realm_id, (tx) => addFile(tx, user, file))
    const url = `/user_uploads/${file.path_id}`
    return { uri: url, url, filename: file.name }
  })

  serve(app, api.getFileUrl, async ({ user, path: { realm_id_str, filename } }) => {
    const file = await accessFile(ctx.db, user, `${realm_id_str}/${filename}`)
    return { url: `/user_uploads/temporary/${tokenFor(ctx.vault, user.realm_id, file)}/${nameIn(file)}` }
  })

  serve(app, api.getAttachments, async ({ user }) => {
    const own = await readAttachments(ctx.db, user.realm_id, sql`a.owner_id = ${user.id}`)
    const attachments = own.map(({ owner_id: _, ...attachment }) => attachment)
    return { attachments, upload_space_used: await readSpaceUsed(ctx.db, user.realm_id) }
  })

  serve(app, api.deleteAttachment, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => deleteFile(tx, user, path.attachment_id))
    return {}
  })

  const onRequest = judgeOf(app, { access: 'user' })
  const place = ':realm_id/:part/:key/:name'
  server.get(`/user_uploads/${place}`, { onRequest }, async (request, reply) =>
    deliver(ctx, reply, await accessFile(ctx.db, request.caller!, pathIdOf(request))),
  )
  server.get(`/user_uploads/download/${place}`, { onRequest }, async (request, reply) =>
    deliver(ctx, reply, await accessFile(ctx.db, request.caller!, pathIdOf(request)), true),
  )
  server.get('/user_uploads/temporary/:token/:name', async (request, reply) => {
    const { token } = request.params as { token: string }
    return deliver(ctx, reply, fileOfToken(ctx.vault, (await realmOf(ctx, request)).id, token))
  })
}

function pathIdOf(request: FastifyRequest): string {
  const { realm_id, part, key, name } = request.params as Record<string, string>
  return `${realm_id}/${part}/${key}/${name}`
}

function nameIn({ path_id }: UploadedFile): string {
  return encodeURIComponent(path_id.split('/').at(-1)!)
}

/** In a browser the file can do nothing: no script, no origin of its own, and no guess at what it is. */
function deliver(ctx: Context, reply: FastifyReply, file: UploadedFile, download = false): Promise<FastifyReply> {
  const disposition = !download && isShownInline(file.content_type) ? 'inline' : 'attachment'
  return sendFile(reply, ctx.files, uploadPath(file.path_id), {
    'content-type': file.content_type,
    'content-disposition': `${disposition}; filename*=UTF-8''${nameIn(file)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, no-store',
  })
}
