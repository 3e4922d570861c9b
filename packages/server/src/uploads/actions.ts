import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { announceAttachments, readSpaceUsed } from '../messages/attachments.ts'
import type { Tx } from '../platform/db/transact.ts'
import type { FileStore } from '../platform/files/store.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Upload } from '../platform/http/upload.ts'
import type { Caller } from '../users/caller.ts'
import { contentTypeOf, enoughToTell, sanitizedName } from './names.ts'
import { uploadPath } from './paths.ts'

export interface NewFile {
  name: string
  path_id: string
  content_type: string
  size: number
}

/** The file comes first: a crash may leave a file that nobody knows, but never a row without its file. */
export async function storeFile(files: FileStore, realmId: number, upload: Upload): Promise<NewFile> {
  const key = `${randomBytes(1).toString('hex')}/${randomBytes(18).toString('base64url')}`
  const path_id = `${realmId}/${key}/${sanitizedName(upload.filename)}`
  const head = await upload.bytes(Math.min(upload.size, enoughToTell))
  const size = await files.put(uploadPath(path_id), upload.stream())
  return {
    name: upload.filename || 'uploaded-file',
    path_id,
    content_type: contentTypeOf(head, upload.contentType),
    size,
  }
}

export async function addFile(tx: Tx, owner: Caller, file: NewFile): Promise<void> {
  const { id } = await tx.db
    .insertInto('attachments')
    .values({ realm_id: tx.realmId, owner_id: owner.id, ...file })
    .returning('id')
    .executeTakeFirstOrThrow()
  await announceAttachments(tx, 'add', [id])
}

/** Messages that link to it keep their text, but are no longer found by having a file. */
export async function deleteFile(tx: Tx, owner: Caller, id: number): Promise<void> {
  const { rows } = await sql<{ path_id: string; message_ids: number[] }>`
    select a.path_id, array(select l.message_id from attachment_messages l
                             where l.realm_id = a.realm_id and l.attachment_id = a.id order by 1) as message_ids
      from attachments a
     where a.realm_id = ${tx.realmId} and a.id = ${id} and a.owner_id = ${owner.id} for update`.execute(tx.db)
  const [file] = rows
  if (!file) throw new ApiError('Invalid attachment')
  await removeFile(tx, { id, owner_id: owner.id, path_id: file.path_id })
  await sql`
    update messages m set has_attachment = false
     where m.realm_id = ${tx.realmId} and m.id = any(${file.message_ids}::bigint[])
       and not exists (select 1 from attachment_messages l where l.realm_id = m.realm_id and l.message_id = m.id)`.execute(
    tx.db,
  )
}

interface StoredFile {
  id: number
  owner_id: number
  path_id: string
}

/** From now on nobody finds it; the file itself goes a moment later. */
async function removeFile(tx: Tx, { id, owner_id, path_id }: StoredFile): Promise<void> {
  await tx.db.deleteFrom('attachments').where('realm_id', '=', tx.realmId).where('id', '=', id).execute()
  await tx.enqueue('delete_file', { path: uploadPath(path_id) })
  const upload_space_used = await readSpaceUsed(tx.db, tx.realmId)
  tx.emit({ type: 'attachment', op: 'remove', attachment: { id }, upload_space_used }, { users: [owner_id] })
}

/** Removes those of the files that no message links to any more, nor one that is still to be sent. */
export async function removeFiles(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await sql<StoredFile>`
    select a.id, a.owner_id, a.path_id from attachments a
     where a.realm_id = ${tx.realmId} and a.id = any(${ids}::bigint[])
       and not exists (select 1 from attachment_messages l where l.realm_id = a.realm_id and l.attachment_id = a.id)
       and not exists (select 1 from scheduled_messages s
                        where s.realm_id = a.realm_id and position(a.path_id in s.content) > 0)
     order by a.id for update`.execute(tx.db)
  for (const file of rows) await removeFile(tx, file)
}
