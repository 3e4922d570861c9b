import type { editMessage } from '@parley/api/editing'
import type { ResponseOf } from '@parley/api/operation'
import { sql } from 'kysely'
import type { Tx } from '../platform/db/transact.ts'
import type { Caller } from '../users/caller.ts'
import { accessibleMessages } from './access.ts'
import { announceAttachments } from './attachments.ts'

type DetachedUpload = ResponseOf<typeof editMessage>['detached_uploads'][number]

/**
 * Makes the files that a message links to those with these paths. Returns the author's own files that no message
 * links to any more. A file is shared only by somebody who may read it.
 */
export async function changeUploads(
  tx: Tx,
  author: Caller,
  messageId: number,
  paths: string[],
): Promise<DetachedUpload[]> {
  const released = await release(tx, messageId, paths)
  if (paths.length > 0) await link(tx, messageId, await findShareable(tx, author, paths))
  await sql`
    update messages set has_attachment = exists (
      select 1 from attachment_messages where realm_id = ${tx.realmId} and message_id = ${messageId})
     where realm_id = ${tx.realmId} and id = ${messageId}`.execute(tx.db)
  return released.length > 0 ? findDetached(tx, author, released) : []
}

async function release(tx: Tx, messageId: number, paths: string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    delete from attachment_messages l using attachments a
     where l.realm_id = ${tx.realmId} and l.message_id = ${messageId} and a.realm_id = l.realm_id
       and a.id = l.attachment_id and a.path_id <> all(${paths}::text[])
    returning a.id`.execute(tx.db)
  return rows.map(({ id }) => id)
}

async function findShareable(tx: Tx, author: Caller, paths: string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number; is_own: boolean; message_ids: number[] }>`
    select a.id, a.owner_id = ${author.id} as is_own,
           array(select l.message_id from attachment_messages l where l.realm_id = a.realm_id and l.attachment_id = a.id) as message_ids
      from attachments a where a.realm_id = ${tx.realmId} and a.path_id = any(${paths}::text[])`.execute(tx.db)
  const readable = await accessibleMessages(
    tx.db,
    author,
    rows.flatMap(({ message_ids }) => message_ids),
  )
  const known = new Set(readable.map(({ id }) => id))
  return rows.filter(({ is_own, message_ids }) => is_own || message_ids.some((id) => known.has(id))).map(({ id }) => id)
}

async function link(tx: Tx, messageId: number, attachmentIds: number[]): Promise<void> {
  const { rows } = await sql<{ attachment_id: number }>`
    insert into attachment_messages (realm_id, attachment_id, message_id)
    select ${tx.realmId}, id, ${messageId} from unnest(${attachmentIds}::bigint[]) as a(id)
    on conflict do nothing
    returning attachment_id`.execute(tx.db)
  const ids = rows.map((row) => row.attachment_id)
  await announceAttachments(tx, 'update', ids)
}

async function findDetached(tx: Tx, author: Caller, ids: number[]): Promise<DetachedUpload[]> {
  const { rows } = await sql<DetachedUpload>`
    select a.id, a.name, a.path_id, a.size, floor(extract(epoch from a.create_time) * 1000)::bigint as create_time,
           '[]'::json as messages
      from attachments a
     where a.realm_id = ${tx.realmId} and a.id = any(${ids}::bigint[]) and a.owner_id = ${author.id}
       and not exists (select 1 from attachment_messages l where l.realm_id = a.realm_id and l.attachment_id = a.id)
     order by a.id`.execute(tx.db)
  return rows
}
