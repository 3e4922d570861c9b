import type { ReminderObject } from '@parley/api/conversations/reminders'
import type { Caller } from '../../../callers/caller.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { unixSeconds } from '../../../platform/text.ts'

export const reminderColumns = [
  'id',
  'user_id',
  'message_id',
  'note',
  'content',
  'rendered_content',
  'delivery_time',
  'failed',
] as const

export interface ReminderRow {
  id: number
  user_id: number
  message_id: number
  note: string
  content: string
  rendered_content: string
  delivery_time: Date
  failed: boolean
}

/** The form of a scheduled direct message to oneself. */
export function reminderObject(row: ReminderRow): ReminderObject {
  return {
    reminder_id: row.id,
    type: 'private',
    to: [row.user_id],
    content: row.content,
    rendered_content: row.rendered_content,
    scheduled_delivery_timestamp: unixSeconds(row.delivery_time),
    failed: row.failed,
    reminder_target_message_id: row.message_id,
  }
}

export async function readReminders(db: Db, { realm_id, id }: Caller): Promise<ReminderObject[]> {
  const rows = await db
    .selectFrom('reminders')
    .select(reminderColumns)
    .where(matches({ realm_id, user_id: id }))
    .orderBy('delivery_time')
    .orderBy('id')
    .execute()
  return rows.map(reminderObject)
}
