import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Caller, queueOwner } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { maybeOne } from '../../platform/db/query.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Upload } from '../../platform/http/upload.ts'
import { BadImage, type Measured, measureImage } from '../../platform/images/image-processor.ts'
import { emitAttachments, readSpaceUsed } from '../messages/model/attachments.ts'
import { contentTypeOf, fitsTypeDetection, sanitizedName } from './file-names.ts'
import { pathsOf, uploadPath } from './paths.ts'
import { checkQuota, lockQuota, type Quota } from './quota.ts'
import { enqueueThumbnails } from './thumbnails.ts'

export interface NewFile {
  name: string
  path_id: string
  content_type: string
  size: number
  /** Dimensions of an image that can be shown; otherwise null. */
  width: number | null
  height: number | null
}

/** A file from a request or from an email. */
export type NewContent = Pick<Upload, 'filename' | 'contentType' | 'size' | 'stream' | 'bytes'>

/** Stores the file before its row: a crash may leave an orphaned file, but never a row without a file. */
export async function storeFile(
  files: FileStore,
  owner: Pick<Caller, 'id' | 'realm_id' | 'bot_owner_id'>,
  upload: NewContent,
  name = upload.filename,
): Promise<NewFile> {
  const key = `${randomBytes(1).toString('hex')}/${randomBytes(18).toString('base64url')}`
  const path_id = `${owner.realm_id}/${key}/${sanitizedName(name)}`
  const head = await upload.bytes(Math.min(upload.size, fitsTypeDetection))
  const content_type = contentTypeOf(head, upload.contentType)
  const measured = content_type.startsWith('image/') ? await measure(owner, upload) : undefined
  const size = await files.put(uploadPath(path_id), upload.stream(), upload.size)
  return {
    name: name || 'uploaded-file',
    path_id,
    content_type,
    size,
    width: measured?.width ?? null,
    height: measured?.height ?? null,
  }
}

/** Undefined if the image is broken or too large. The upload is then kept as an ordinary file. */
async function measure(owner: Parameters<typeof queueOwner>[0], upload: NewContent): Promise<Measured | undefined> {
  try {
    return await measureImage({ owner: queueOwner(owner), read: () => upload.bytes() })
  } catch (error) {
    if (error instanceof BadImage) return undefined
    throw error
  }
}

export async function addFile(tx: Tx, owner: Caller, file: NewFile, quota: Quota): Promise<void> {
  await lockQuota(tx, quota)
  await checkQuota(tx.db, tx.realmId, file.size, quota)
  const { id } = await tx.db
    .insertInto('attachments')
    .values({ realm_id: tx.realmId, owner_id: owner.id, ...file })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (file.width !== null) await enqueueThumbnails(tx, owner, id)
  await emitAttachments(tx, 'add', [id])
}

/** Messages that link to the file keep their text, but no longer match a search for attachments. */
export async function deleteFile(tx: Tx, owner: Caller, id: number): Promise<void> {
  const file = await maybeOne<Removed & { message_ids: number[] }>(tx.db)`
    select a.id, a.owner_id, a.path_id, a.thumbnails,
           array(select l.message_id from attachment_messages l
                  where l.realm_id = a.realm_id and l.attachment_id = a.id order by 1) as message_ids
      from attachments a
     where a.realm_id = ${tx.realmId} and a.id = ${id} and a.owner_id = ${owner.id} for update`
  if (!file) throw new ApiError('Invalid attachment')
  await removeFiles(tx, [file])
  await sql`
    update messages m set has_attachment = false
     where m.realm_id = ${tx.realmId} and m.id = any(${file.message_ids}::bigint[])
       and not exists (select 1 from attachment_messages l where l.realm_id = m.realm_id and l.message_id = m.id)`.execute(
    tx.db,
  )
}

export interface Removed {
  id: number
  owner_id: number
  path_id: string
  thumbnails: string[] | null
}

/** Deletes locked files with their thumbnails, and emits that to their owners. */
export async function removeFiles(tx: Tx, files: Removed[]): Promise<void> {
  const ids = files.map(({ id }) => id)
  const removed = matches({ realm_id: tx.realmId, id: ids })
  await tx.db.deleteFrom('attachments').where(removed).execute()
  for (const path of files.flatMap(pathsOf)) await tx.enqueue('delete_file', { path })
  const upload_space_used = await readSpaceUsed(tx.db, tx.realmId)
  for (const { id, owner_id } of files)
    tx.emit({ type: 'attachment', op: 'remove', attachment: { id }, upload_space_used }, { users: [owner_id] })
}
