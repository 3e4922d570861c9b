import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { checkStorageLimit } from '../../../people/users/storage-limits.ts'
import { matches } from '../../../platform/db/matches.ts'
import { type ReminderRow, reminderColumns, reminderObject } from './queries.ts'

declare module '../../../platform/jobs/tasks.ts' {
  interface Tasks {
    deliver_reminder: { reminder_id: number }
  }
}

type NewReminder = Omit<ReminderRow, 'id' | 'user_id' | 'failed'>

export async function createReminder(tx: Tx, { id }: Caller, values: NewReminder): Promise<number> {
  const row = await tx.db
    .insertInto('reminders')
    .values({ realm_id: tx.realmId, user_id: id, ...values })
    .returning(reminderColumns)
    .executeTakeFirstOrThrow()
  await checkStorageLimit(tx, id, 'reminders')
  await tx.enqueue('deliver_reminder', { reminder_id: row.id }, { runAt: row.delivery_time })
  emitAdded(tx, row)
  return row.id
}

/** Deletes a locked reminder, after delivery or on request. Its job then finds nothing to do. */
export async function removeReminder(tx: Tx, { id, user_id }: Pick<ReminderRow, 'id' | 'user_id'>): Promise<void> {
  await tx.db
    .deleteFrom('reminders')
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  tx.emit({ type: 'reminders', op: 'remove', reminder_id: id }, { users: [user_id] })
}

/** Reminders have no event for updates: the clients get the reminder again. */
export async function markReminderFailed(tx: Tx, { id }: Pick<ReminderRow, 'id'>): Promise<void> {
  const row = await tx.db
    .updateTable('reminders')
    .set({ failed: true })
    .where(matches({ realm_id: tx.realmId, id }))
    .returning(reminderColumns)
    .executeTakeFirstOrThrow()
  tx.emit({ type: 'reminders', op: 'remove', reminder_id: id }, { users: [row.user_id] })
  emitAdded(tx, row)
}

function emitAdded(tx: Tx, row: ReminderRow): void {
  tx.emit({ type: 'reminders', op: 'add', reminders: [reminderObject(row)] }, { users: [row.user_id] })
}
