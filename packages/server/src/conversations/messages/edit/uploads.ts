import type { Attachment } from '@parley/api/conversations/uploads'
import { awaitsThumbnail } from '@parley/markdown/media/thumbnails'
import type { Rendered } from '@parley/markdown/render'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { allDone } from '../../../platform/db/pipelined.ts'
import { column, many } from '../../../platform/db/query.ts'
import { accessibleUploads, emitAttachments } from '../model/attachments.ts'

/**
 * Updates the attachments of a message to the files that its content links to. Returns the author's own files that no
 * message links to any more. A link attaches a file only if the author may read the file.
 */
export async function changeUploads(
  tx: Tx,
  author: Caller,
  { id: messageId, has_attachment }: { id: number; has_attachment: boolean },
  { uploads, html }: Pick<Rendered, 'uploads' | 'html'>,
): Promise<Attachment[]> {
  const [unlinked, shared] = await allDone([
    has_attachment ? unlink(tx, messageId, uploads) : [],
    accessibleUploads(tx.db, author, uploads),
  ] as const)
  const linked = await link(
    tx,
    messageId,
    shared.map(({ id }) => id),
  )
  // The thumbnail may have become ready since the content was rendered.
  if (awaitsThumbnail(html)) await tx.enqueue('refresh_previews', { message_id: messageId })
  if (unlinked.length === 0 && linked.length === 0) return []
  await emitAttachments(tx, 'update', [...unlinked, ...linked])
  await sql`
    update messages set has_attachment = exists (
      select 1 from attachment_messages where realm_id = ${tx.realmId} and message_id = ${messageId})
     where realm_id = ${tx.realmId} and id = ${messageId}`.execute(tx.db)
  return unlinked.length > 0 ? findDetached(tx, author, unlinked) : []
}

async function unlink(tx: Tx, messageId: number, paths: string[]): Promise<number[]> {
  return column<number>(tx.db)`
    delete from attachment_messages l using attachments a
     where l.realm_id = ${tx.realmId} and l.message_id = ${messageId} and a.realm_id = l.realm_id
       and a.id = l.attachment_id and a.path_id <> all(${paths}::text[])
    returning a.id`
}

async function link(tx: Tx, messageId: number, attachmentIds: number[]): Promise<number[]> {
  if (attachmentIds.length === 0) return []
  return column<number>(tx.db)`
    with linked as (
      insert into attachment_messages (realm_id, attachment_id, message_id)
      select ${tx.realmId}, id, ${messageId} from unnest(${attachmentIds}::bigint[]) as a(id)
      on conflict do nothing
      returning attachment_id
    ), claimed as (
      update attachments set is_claimed = true
       where realm_id = ${tx.realmId} and id in (select attachment_id from linked) and not is_claimed
    )
    select attachment_id from linked`
}

async function findDetached(tx: Tx, author: Caller, ids: number[]): Promise<Attachment[]> {
  return many<Attachment>(tx.db)`
    select a.id, a.name, a.path_id, a.size, floor(extract(epoch from a.create_time) * 1000)::bigint as create_time,
           '[]'::json as messages
      from attachments a
     where a.realm_id = ${tx.realmId} and a.id = any(${ids}::bigint[]) and a.owner_id = ${author.id}
       and not exists (select 1 from attachment_messages l where l.realm_id = a.realm_id and l.attachment_id = a.id)
     order by a.id`
}
