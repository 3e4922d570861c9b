import { sql } from 'kysely'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { column, many, maybeOne } from '../../platform/db/query.ts'

/** Messages that are looked at in one transaction. */
const batchSize = 1000
const maxWoken = 500
/** After this time, the process that fetches is presumed dead. */
const takeOverSeconds = 60
export const maxAttempts = 3

/**
 * Finds messages with links in the organizations that want previews. Sending a message therefore costs nothing. Returns
 * what is due, and whether any organization wants previews.
 */
export async function planPreviews(db: Database) {
  const behind = await column<number>(db)`
    select p.realm_id from preview_cursors p join realm_counters c on c.realm_id = p.realm_id
     where c.last_message > p.last_message`
  for (const realmId of behind) await planNext(db, realmId)
  const due = await many<{ realm_id: number; target_id: number }>(db)`
    select realm_id, message_id as target_id from pending_previews where due_at <= now() order by due_at limit ${maxWoken}`
  return { due, isInUse: due.length > 0 || (await isWanted(db)) }
}

async function isWanted(db: Db): Promise<boolean> {
  return (await db.selectFrom('preview_cursors').select('realm_id').limit(1).executeTakeFirst()) !== undefined
}

/** Records the next messages with links, and moves the cursor past them. */
async function planNext(db: Database, realmId: number): Promise<void> {
  await sql`
    with cursor as (
      select p.realm_id, p.last_message as after, least(c.last_message, p.last_message + ${batchSize}) as up_to
        from preview_cursors p join realm_counters c on c.realm_id = p.realm_id
       where p.realm_id = ${realmId} for update of p skip locked
    ), moved as (
      update preview_cursors p set last_message = cursor.up_to from cursor where p.realm_id = cursor.realm_id
    )
    insert into pending_previews (realm_id, message_id)
    select m.realm_id, m.id from cursor join messages m on m.realm_id = cursor.realm_id
     where m.id > cursor.after and m.id <= cursor.up_to and m.has_link
    on conflict do nothing`.execute(db)
}

/** Takes a message whose links are due. Returns the number of the attempt. */
export async function takePending(db: Database, realmId: number, messageId: number): Promise<number | undefined> {
  const row = await maybeOne<{ attempts: number }>(db)`
    update pending_previews
       set attempts = attempts + 1, due_at = now() + make_interval(secs => ${takeOverSeconds})
     where realm_id = ${realmId} and message_id = ${messageId} and due_at <= now()
    returning attempts`
  return row?.attempts
}

/** Leaves what was recorded again while it was fetched, because the message was edited. */
export async function finishPending(db: Database, realm_id: number, message_id: number, attempts: number) {
  await db.deleteFrom('pending_previews').where(matches({ realm_id, message_id, attempts })).execute()
}
