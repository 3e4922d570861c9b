import type { Attachment } from '@parley/api/conversations/uploads'
import type { UploadedImage } from '@parley/markdown/context'
import { type RawBuilder, sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many, one } from '../../../platform/db/query.ts'
import { accessibleMessages } from './access.ts'

/** The attachments `a` that match the condition, in the shape of the API. */
export async function readAttachments(
  db: Db,
  realmId: number,
  condition: RawBuilder<unknown>,
): Promise<(Attachment & { owner_id: number })[]> {
  return many<Attachment & { owner_id: number }>(db)`
    select a.id, a.name, a.path_id, a.size, a.owner_id, floor(extract(epoch from a.create_time) * 1000)::bigint as create_time,
           coalesce((select json_agg(json_build_object('id', m.id,
                              'date_sent', floor(extract(epoch from m.date_sent))::bigint * 1000) order by m.id)
              from attachment_messages l join messages m on m.realm_id = l.realm_id and m.id = l.message_id
             where l.realm_id = a.realm_id and l.attachment_id = a.id), '[]') as messages
      from attachments a where a.realm_id = ${realmId} and ${condition} order by a.id`
}

/** An uploaded file as it is stored. */
export interface StoredUpload {
  id: number
  path_id: string
  content_type: string
  /** Null unless the file is an image that can be displayed. */
  width: number | null
  height: number | null
  /** The thumbnail formats that exist; null before they are generated. */
  thumbnails: string[] | null
}

const storedColumns = sql`a.id, a.path_id, a.content_type, a.width, a.height, a.thumbnails`

/** The files at these paths that the caller owns, or that are linked from a message the caller may read. */
export async function accessibleUploads(db: Db, caller: Caller, paths: string[]): Promise<StoredUpload[]> {
  if (paths.length === 0) return []
  const rows = await many<StoredUpload & { is_own: boolean; message_ids: number[] }>(db)`
    select ${storedColumns}, a.owner_id = ${caller.id} as is_own,
           array(select l.message_id from attachment_messages l
                  where l.realm_id = a.realm_id and l.attachment_id = a.id) as message_ids
      from attachments a where a.realm_id = ${caller.realm_id} and a.path_id = any(${paths}::text[])`
  const others = rows.flatMap(({ is_own, message_ids }) => (is_own ? [] : message_ids))
  const messages = others.length > 0 ? await accessibleMessages(db, caller, others) : []
  const readable = new Set(messages.map(({ id }) => id))
  return rows.filter(({ is_own, message_ids }) => is_own || message_ids.some((id) => readable.has(id)))
}

/** The files that a message links to. */
export async function linkedUploads(db: Db, realmId: number, messageId: number): Promise<StoredUpload[]> {
  return many<StoredUpload>(db)`
    select ${storedColumns} from attachment_messages l
      join attachments a on a.realm_id = l.realm_id and a.id = l.attachment_id
     where l.realm_id = ${realmId} and l.message_id = ${messageId}`
}

/** The images among the files, in the shape that Markdown rendering takes. */
export function imagesAmong(uploads: StoredUpload[]): UploadedImage[] {
  return uploads.flatMap(({ path_id, content_type, width, height, thumbnails }) => {
    if (width === null || height === null) return []
    const animated = thumbnails?.some((name) => name.includes('-anim')) ?? false
    return [{ path_id, content_type, width, height, thumbnail_ready: thumbnails !== null, animated }]
  })
}

/** Total size in bytes of the realm's files. */
export async function readSpaceUsed(db: Db, realmId: number): Promise<number> {
  const { used } = await one<{ used: number }>(db)`
    select coalesce(sum(size), 0)::bigint as used from attachments where realm_id = ${realmId}`
  return used
}

/** Emits the new state of attachments to their owners. */
export async function emitAttachments(tx: Tx, op: 'add' | 'update', ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const upload_space_used = await readSpaceUsed(tx.db, tx.realmId)
  const found = await readAttachments(tx.db, tx.realmId, sql`a.id = any(${ids}::bigint[])`)
  for (const { owner_id, ...attachment } of found)
    tx.emit({ type: 'attachment', op, attachment, upload_space_used }, { users: [owner_id] })
}

export function readOwnAttachments(db: Db, { realm_id, id }: { realm_id: number; id: number }) {
  return readAttachments(db, realm_id, sql`a.owner_id = ${id}`)
}
