import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { exists, maybeOne } from '../../platform/db/query.ts'

/** An email that waits to be posted. */
export interface AcceptedEmail {
  id: number
  realm_id: number
  user_id: number | null
  message_id: number | null
  channel_id: number | null
  creator_id: number | null
  options: string[]
  path: string
  /** At reading it, without this one. */
  attempts: number
}

export type MailOutcome =
  | { outcome: 'sent'; sent_message_id: number }
  /** Nobody is notified: it was no email of a person, or not of the person it names. */
  | { outcome: 'dropped'; reason: string }
  /** Its author gets an email that says why. */
  | { outcome: 'refused'; reason: string }

/** Undefined if it has been handled. */
export function findAccepted(db: Db, realmId: number, id: number): Promise<AcceptedEmail | undefined> {
  return maybeOne<AcceptedEmail>(db)`
    select id, realm_id, user_id, message_id, channel_id, creator_id, options, path, attempts from incoming_emails
     where realm_id = ${realmId} and id = ${id} and outcome is null`
}

/** Counts an attempt. */
export async function countAttempt(db: Database, { realm_id, id }: AcceptedEmail): Promise<void> {
  await sql`update incoming_emails set attempts = attempts + 1 where realm_id = ${realm_id} and id = ${id}`.execute(db)
}

/** Locks it until the transaction ends. False: another process has handled it. */
export function lockAccepted(tx: Tx, { id }: AcceptedEmail): Promise<boolean> {
  return exists(tx.db)`
    select 1 from incoming_emails where realm_id = ${tx.realmId} and id = ${id} and outcome is null for update`
}

/** Records what became of it. Its file is deleted when no other recipient needs it. */
export async function settle(tx: Tx, { id, path }: AcceptedEmail, result: MailOutcome): Promise<void> {
  const mine = matches({ realm_id: tx.realmId, id })
  await tx.db.updateTable('incoming_emails').set(result).where(mine).execute()
  const isNeeded = await exists(tx.db)`
    select 1 from incoming_emails where realm_id = ${tx.realmId} and path = ${path} and outcome is null`
  if (!isNeeded) await tx.enqueue('delete_file', { path })
}

const keptDays = 7

/** What was handled is kept for a week: an email that comes again is not posted again. */
export async function deleteOldIncoming(db: Database): Promise<void> {
  await sql`
    delete from incoming_emails
     where outcome is not null and received_at < now() - make_interval(days => ${keptDays})`.execute(db)
}
