import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { checkStorageLimit } from '../../../people/users/storage-limits.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Database } from '../../../platform/db/pool.ts'
import { type ScheduledRow, scheduledColumns, scheduledObject } from './queries.ts'

declare module '../../../platform/jobs/tasks.ts' {
  interface Tasks {
    deliver_scheduled_message: { scheduled_message_id: number }
  }
}

export async function createScheduled(
  tx: Tx,
  { id }: Caller,
  values: Omit<ScheduledRow, 'id' | 'user_id' | 'failed'>,
): Promise<number> {
  const row = await tx.db
    .insertInto('scheduled_messages')
    .values({ realm_id: tx.realmId, user_id: id, ...values })
    .returning(scheduledColumns)
    .executeTakeFirstOrThrow()
  await checkStorageLimit(tx, id, 'scheduled_messages')
  await enqueueDelivery(tx, row)
  tx.emit({ type: 'scheduled_messages', op: 'add', scheduled_messages: [scheduledObject(row)] }, { users: [id] })
  return row.id
}

/** Updates a scheduled message that the caller of this function has locked. */
export async function editScheduled(tx: Tx, scheduledId: number, values: Partial<ScheduledRow>): Promise<void> {
  const row = await tx.db
    .updateTable('scheduled_messages')
    .set(values)
    .where(matches({ realm_id: tx.realmId, id: scheduledId }))
    .returning(scheduledColumns)
    .executeTakeFirstOrThrow()
  if (!row.failed) await enqueueDelivery(tx, row)
  const scheduled_message = scheduledObject(row)
  tx.emit({ type: 'scheduled_messages', op: 'update', scheduled_message }, { users: [row.user_id] })
}

/** Deletes a locked scheduled message, after sending or on request. Its job then finds nothing to do. */
export async function removeScheduled(tx: Tx, { id, user_id }: Pick<ScheduledRow, 'id' | 'user_id'>): Promise<void> {
  await tx.db.deleteFrom('scheduled_messages').where('realm_id', '=', tx.realmId).where('id', '=', id).execute()
  tx.emit({ type: 'scheduled_messages', op: 'remove', scheduled_message_id: id }, { users: [user_id] })
}

/** Recorded so that deleting a message that was just sent succeeds instead of failing. */
export async function recordDelivery(tx: Tx, { id, user_id }: Pick<ScheduledRow, 'id' | 'user_id'>): Promise<void> {
  await tx.db.insertInto('delivered_scheduled_messages').values({ id, realm_id: tx.realmId, user_id }).execute()
}

const keptDays = 30

export async function forgetOldScheduled(db: Database): Promise<void> {
  await sql`delete from delivered_scheduled_messages
             where delivered_at < now() - make_interval(days => ${keptDays})`.execute(db)
}

/** One job per message: the key makes a new time replace the old job. */
export async function enqueueDelivery(
  tx: Tx,
  { id, delivery_time }: Pick<ScheduledRow, 'id' | 'delivery_time'>,
): Promise<void> {
  const plan = { runAt: delivery_time, key: `deliver_scheduled_message ${id}` }
  await tx.enqueue('deliver_scheduled_message', { scheduled_message_id: id }, plan)
}
