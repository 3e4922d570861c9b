import type { ScheduledObject } from '@parley/api/conversations/scheduled'
import type { Caller } from '../../../callers/caller.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { unixSeconds } from '../../../platform/text.ts'

export const scheduledColumns = [
  'id',
  'user_id',
  'type',
  'recipients',
  'topic',
  'content',
  'rendered_content',
  'delivery_time',
  'read_by_sender',
  'client',
  'failed',
] as const

export interface ScheduledRow {
  id: number
  user_id: number
  type: string
  recipients: number[]
  topic: string | null
  content: string
  rendered_content: string
  delivery_time: Date
  read_by_sender: boolean
  client: string
  failed: boolean
}

export function scheduledObject(row: ScheduledRow): ScheduledObject {
  const isChannel = row.type === 'stream'
  return {
    scheduled_message_id: row.id,
    type: isChannel ? 'stream' : 'private',
    to: isChannel ? row.recipients[0]! : row.recipients,
    ...(isChannel && { topic: row.topic! }),
    content: row.content,
    rendered_content: row.rendered_content,
    scheduled_delivery_timestamp: unixSeconds(row.delivery_time),
    failed: row.failed,
  }
}

export async function readScheduled(db: Db, { realm_id, id }: Caller): Promise<ScheduledObject[]> {
  const rows = await db
    .selectFrom('scheduled_messages')
    .select(scheduledColumns)
    .where(matches({ realm_id, user_id: id }))
    .orderBy('delivery_time')
    .orderBy('id')
    .execute()
  return rows.map(scheduledObject)
}
