import { createHash } from 'node:crypto'
import * as api from '@parley/api/conversations/uploads'
import { loaderPath } from '@parley/markdown/media/media'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { authorizeFilesOrReader, authorizeOpenFiles } from '../../http/serving/authorize.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { refuseBrokenText } from '../../platform/http/decode.ts'
import { sendFile } from '../../platform/http/send-file.ts'
import { uploadOf } from '../../platform/http/upload.ts'
import { readOwnAttachments, readSpaceUsed, type StoredUpload } from '../messages/model/attachments.ts'
import { accessFile, accessOpenFile, accessThumbnail } from './access.ts'
import { addFile, deleteFile, type NewFile, storeFile } from './actions.ts'
import { decodedName, isShownInline } from './file-names.ts'
import { fileOfToken, tokenFor, type UploadedFile } from './file-tokens.ts'
import { loader } from './loading-image.ts'
import { thumbnailPath, uploadPath } from './paths.ts'
import { checkQuota, quotaOf } from './quota.ts'

export function uploadRoutes(app: App): void {
  serve(app, api.uploadFile, async ({ ctx, user, request }) => {
    const upload = uploadOf(request)
    const name = decodedName(upload.filename)
    refuseBrokenText('filename', name)
    await checkQuota(ctx.db, user.realm_id, upload.size, quotaOf(ctx.config, user.realm))
    const file = await storeFile(ctx.files, user, upload, name)
    await addOrDrop(ctx, user, file)
    const url = `/user_uploads/${file.path_id}`
    return { uri: url, url, filename: file.name }
  })

  serve(app, api.getFileUrl, async ({ ctx, user, path: { realm_id_str, filename } }) => {
    const file = await accessFile(ctx.db, user, `${realm_id_str}/${filename}`)
    return { url: `/user_uploads/temporary/${tokenFor(ctx.vault, user.realm_id, file)}/${nameIn(file)}` }
  })

  serve(app, api.getAttachments, async ({ ctx, user }) => {
    const own = await readOwnAttachments(ctx.db, user)
    const attachments = own.map(({ owner_id: _, ...attachment }) => attachment)
    return { attachments, upload_space_used: await readSpaceUsed(ctx.db, user.realm_id) }
  })

  serve(app, api.deleteAttachment, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => deleteFile(tx, user, path.attachment_id))
    return {}
  })

  fileRoutes(app)
}

async function addOrDrop(ctx: Context, user: Caller, file: NewFile): Promise<void> {
  try {
    await transactIn(ctx, user.realm_id, (tx) => addFile(tx, user, file, quotaOf(ctx.config, user.realm)))
  } catch (error) {
    // After any other error the row may have been committed, so the file must stay.
    if (error instanceof ApiError) await ctx.files.delete(uploadPath(file.path_id))
    throw error
  }
}

/** Routes that return files instead of JSON. */
function fileRoutes(app: App): void {
  const { ctx, server } = app
  const onRequest = authorizeFilesOrReader(app)
  const place = ':realm_id/:part/:key/:name'
  server.get(`/user_uploads/${place}`, { onRequest }, async (request, reply) =>
    deliver(ctx, reply, await accessRequested(ctx, request)),
  )
  server.get(`/user_uploads/download/${place}`, { onRequest }, async (request, reply) =>
    deliver(ctx, reply, await accessRequested(ctx, request), true),
  )
  server.get(`/user_uploads/thumbnail/${place}/:format`, { onRequest }, async (request, reply) => {
    const file = await accessRequested(ctx, request)
    const { format } = request.params as { format: string }
    return deliverThumbnail(ctx, reply, file, accessThumbnail(file, format))
  })
  server.get('/user_uploads/temporary/:token/:name', { onRequest: authorizeOpenFiles(app) }, async (request, reply) => {
    const { token } = request.params as { token: string }
    return deliver(ctx, reply, fileOfToken(ctx.vault, (await realmOf(ctx, request)).id, token))
  })
  server.get(loaderPath, { onRequest: authorizeOpenFiles(app) }, (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(loader),
  )
}

async function accessRequested(ctx: Context, request: FastifyRequest): Promise<StoredUpload> {
  const { realm_id, part, key, name } = request.params as Record<string, string>
  const pathId = `${realm_id}/${part}/${key}/${name}`
  refuseBrokenText('path', pathId)
  return request.caller
    ? accessFile(ctx.db, request.caller, pathId)
    : accessOpenFile(ctx.db, await realmOf(ctx, request), pathId)
}

function nameIn({ path_id }: UploadedFile): string {
  return encodeURIComponent(path_id.split('/').at(-1)!)
}

function deliver(ctx: Context, reply: FastifyReply, file: UploadedFile, download = false): Promise<FastifyReply> {
  const disposition = !download && isShownInline(file.content_type) ? 'inline' : 'attachment'
  return sendFile(reply, ctx.files, uploadPath(file.path_id), {
    'content-type': file.content_type,
    'content-disposition': `${disposition}; filename*=UTF-8''${nameIn(file)}`,
    ...safeHeaders(uploadPath(file.path_id)),
  })
}

function deliverThumbnail(ctx: Context, reply: FastifyReply, { path_id }: StoredUpload, format: string) {
  const path = thumbnailPath(path_id, format)
  const headers = { 'content-type': 'image/webp', 'content-disposition': 'inline', ...safeHeaders(path) }
  return sendFile(reply, ctx.files, path, headers)
}

/**
 * Headers that prevent a file from running scripts in a browser. Browsers may cache it but must revalidate, so that lost
 * access takes effect. The content at a path never changes, so the ETag is a hash of the path.
 */
function safeHeaders(path: string) {
  return {
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, no-cache',
    etag: `"${createHash('sha256').update(path).digest('base64url').slice(0, 22)}"`,
  }
}
