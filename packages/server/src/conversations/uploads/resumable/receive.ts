import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Caller } from '../../../callers/caller.ts'
import { type Context, transactIn } from '../../../context.ts'
import type { FileStore } from '../../../platform/files/file-store.ts'
import { openTemporary } from '../../../platform/files/temporary.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { Upload } from '../../../platform/http/upload.ts'
import { storeFile } from '../actions.ts'
import { uploadPath } from '../paths.ts'
import { quotaOf } from '../quota.ts'
import type { Resumable } from './access.ts'
import { appendPart, finishResumable } from './actions.ts'

/**
 * Receives more bytes of an upload; returns the state after that. Bytes that arrived before a connection broke count.
 * They may arrive slowly, so `confirm` then throws if the owner may no longer upload.
 */
export async function receive(
  ctx: Context,
  confirm: () => Promise<Caller>,
  upload: Resumable,
  body: Readable,
): Promise<Resumable> {
  const handle = await openTemporary()
  try {
    const length = await writeArriving(handle, body, upload.size - upload.received)
    const owner = await confirm()
    if (upload.received + length < upload.size) return await keepPart(ctx, owner, upload, handle, length)
    return await finish(ctx, owner, upload, handle)
  } finally {
    await handle.close()
  }
}

async function writeArriving(handle: FileHandle, body: Readable, limit: number): Promise<number> {
  let length = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (length + chunk.length > limit)
        throw new ApiError('The request has more bytes than Upload-Length announced.', 'PAYLOAD_TOO_LARGE')
      await handle.write(chunk)
      length += chunk.length
    }
  } catch (error) {
    if (!isBrokenConnection(error)) throw error
  }
  return length
}

function isBrokenConnection(error: unknown): boolean {
  return ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as { code?: string }).code ?? '')
}

async function keepPart(ctx: Context, owner: Caller, upload: Resumable, handle: FileHandle, length: number) {
  if (length === 0) return upload
  const path = `resumable/${owner.realm_id}/${upload.id}/${randomUUID()}`
  await ctx.files.put(path, contentOf(handle), length)
  await undoIfRefused(ctx, path, () =>
    transactIn(ctx, owner.realm_id, (tx) => appendPart(tx, upload, { path, size: length })),
  )
  return { ...upload, received: upload.received + length, parts: [...upload.parts, path] }
}

/** The last bytes count only when the whole file is stored, so that a failure here is repaired by sending them again. */
async function finish(ctx: Context, owner: Caller, upload: Resumable, last: FileHandle): Promise<Resumable> {
  const whole = upload.parts.length === 0 ? last : await joined(ctx.files, upload.parts, last)
  try {
    const file = await storeFile(ctx.files, owner, new Upload(whole, upload.size, upload.name, upload.content_type))
    const quota = quotaOf(ctx.config, owner.realm)
    await undoIfRefused(ctx, uploadPath(file.path_id), () =>
      transactIn(ctx, owner.realm_id, (tx) => finishResumable(tx, owner, upload, file, quota)),
    )
    return { ...upload, received: upload.size, path_id: file.path_id }
  } finally {
    if (whole !== last) await whole.close()
  }
}

async function joined(files: FileStore, parts: string[], last: FileHandle): Promise<FileHandle> {
  const handle = await openTemporary()
  try {
    for (const path of parts) {
      const part = await files.open(path)
      if (!part) throw new Error(`part ${path} of an upload is missing`)
      await handle.writeFile(part.read())
    }
    await handle.writeFile(contentOf(last))
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

function contentOf(handle: FileHandle): Readable {
  return handle.createReadStream({ start: 0, autoClose: false })
}

/** After any other error the row may have been committed, so the file must stay. */
async function undoIfRefused(ctx: Context, path: string, commit: () => Promise<void>): Promise<void> {
  try {
    await commit()
  } catch (error) {
    if (error instanceof ApiError) await ctx.files.delete(path)
    throw error
  }
}
