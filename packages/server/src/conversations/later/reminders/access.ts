import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { unixSeconds } from '../../../platform/text.ts'
import { type ReminderRow, reminderColumns } from './queries.ts'

/** Reminders of other users fail exactly like ones that do not exist. */
class NoSuchReminder extends ApiError {
  constructor() {
    super('Reminder does not exist', 'BAD_REQUEST', { status: 404 })
  }
}

/** One of the caller's own reminders, locked. */
export async function accessReminder(tx: Tx, { id }: Caller, reminderId: number): Promise<ReminderRow> {
  const row = await tx.db
    .selectFrom('reminders')
    .select(reminderColumns)
    .where(matches({ realm_id: tx.realmId, user_id: id, id: reminderId }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new NoSuchReminder()
  return row
}

/** The time of a reminder, which must be in the future. */
export function checkReminderTime(timestamp: number): Date {
  if (timestamp <= unixSeconds(new Date())) throw new ApiError('The time of a reminder must be in the future.')
  return new Date(timestamp * 1000)
}
