import type { Attachment } from '@parley/api/uploads'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transact.ts'

/** Files as the API shows them, of those attachments `a` that fulfil the condition. */
export async function readAttachments(
  db: Db,
  realmId: number,
  condition: RawBuilder<unknown>,
): Promise<(Attachment & { owner_id: number })[]> {
  const { rows } = await sql<Attachment & { owner_id: number }>`
    select a.id, a.name, a.path_id, a.size, a.owner_id, floor(extract(epoch from a.create_time) * 1000)::bigint as create_time,
           coalesce((select json_agg(json_build_object('id', m.id,
                              'date_sent', floor(extract(epoch from m.date_sent))::bigint * 1000) order by m.id)
              from attachment_messages l join messages m on m.realm_id = l.realm_id and m.id = l.message_id
             where l.realm_id = a.realm_id and l.attachment_id = a.id), '[]') as messages
      from attachments a where a.realm_id = ${realmId} and ${condition} order by a.id`.execute(db)
  return rows
}

/** Bytes that all files of the realm take. */
export async function readSpaceUsed(db: Db, realmId: number): Promise<number> {
  const { rows } = await sql<{ used: number }>`
    select coalesce(sum(size), 0)::bigint as used from attachments where realm_id = ${realmId}`.execute(db)
  return rows[0]!.used
}

/** Tells the owners of files what has become of them. */
export async function announceAttachments(tx: Tx, op: 'add' | 'update', ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const upload_space_used = await readSpaceUsed(tx.db, tx.realmId)
  const found = await readAttachments(tx.db, tx.realmId, sql`a.id = any(${ids}::bigint[])`)
  for (const { owner_id, ...attachment } of found)
    tx.emit({ type: 'attachment', op, attachment, upload_space_used }, { users: [owner_id] })
}
