import type * as api from '@parley/api/conversations/scheduled'
import type { ParamsOf } from '@parley/api/operation'
import type { Caller } from '../../../callers/caller.ts'
import type { Context } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { unixSeconds } from '../../../platform/text.ts'
import { checkAndCompose, type SendRequest } from '../../messages/send/send.ts'
import { type ScheduledRow, scheduledColumns } from './queries.ts'

/** Scheduled messages of other users fail exactly like ones that do not exist. */
class NoSuchScheduledMessage extends ApiError {
  constructor() {
    super('Scheduled message does not exist', 'BAD_REQUEST', { status: 404 })
  }
}

/** The destination and content of a scheduled message. */
export type Planned = Pick<ScheduledRow, 'type' | 'recipients' | 'topic' | 'content'>
type Checked = Planned & Pick<ScheduledRow, 'rendered_content'>

/** One of the caller's own scheduled messages, locked. */
export async function accessScheduled(tx: Tx, { id }: Caller, scheduledId: number): Promise<ScheduledRow> {
  const row = await tx.db
    .selectFrom('scheduled_messages')
    .select(scheduledColumns)
    .where(matches({ realm_id: tx.realmId, user_id: id, id: scheduledId }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new NoSuchScheduledMessage()
  return row
}

/** Whether this was one of the caller's own scheduled messages and has been sent already. */
export async function wasDelivered(tx: Tx, { id }: Caller, scheduledId: number): Promise<boolean> {
  const delivered = matches({ realm_id: tx.realmId, user_id: id, id: scheduledId })
  const found = await tx.db.selectFrom('delivered_scheduled_messages').select('id').where(delivered).executeTakeFirst()
  return found !== undefined
}

/** Throws if the caller could not send the message now. */
export async function checkPlanned(
  ctx: Pick<Context, 'db' | 'renderer'>,
  caller: Caller,
  planned: Planned,
): Promise<Checked> {
  const { prepared } = await checkAndCompose(ctx, caller, requestOf(planned))
  const { content, rendered_content, topic_name } = prepared
  return { ...planned, topic: topic_name, content, rendered_content }
}

/** The request to send the scheduled message. */
export function requestOf(planned: Planned & Partial<ScheduledRow>): SendRequest {
  return {
    type: planned.type,
    to: planned.recipients,
    ...(planned.topic !== null && { topic: planned.topic }),
    content: planned.content,
    client: planned.client ?? '',
    readBySender: planned.read_by_sender ?? false,
  }
}

export function checkTime(timestamp: number): Date {
  if (timestamp <= unixSeconds(new Date())) throw new ApiError('Scheduled delivery time must be in the future.')
  return new Date(timestamp * 1000)
}

type EditParams = Partial<Pick<ParamsOf<typeof api.scheduleMessage>, 'type' | 'to' | 'topic' | 'content'>>

/** The scheduled message with the changed parameters applied. */
export function changedPlan(row: Planned, { type, to, topic, content }: EditParams): Planned {
  if (type !== undefined && to === undefined)
    throw new ApiError('Recipient required when updating type of scheduled message.')
  const kind = type === undefined ? row.type : storedType(type)
  if (type !== undefined && kind === 'stream' && topic === undefined)
    throw new ApiError('Topic required when updating scheduled message type to channel.')
  return {
    type: kind,
    recipients: to === undefined ? row.recipients : recipientsOf(kind, to),
    topic: kind === 'stream' ? (topic ?? row.topic) : null,
    content: content ?? row.content,
  }
}

export function storedType(type: string): 'stream' | 'private' {
  return type === 'stream' || type === 'channel' ? 'stream' : 'private'
}

/** The stored form: the id of one channel, or a list of user ids. */
export function recipientsOf(type: string, to: number | number[]): number[] {
  if (type === 'private' && typeof to === 'number') throw new ApiError('Recipients must be a list')
  if (type === 'stream' && typeof to !== 'number')
    throw new ApiError("'to' must be the ID of one channel. For a direct message set 'type' to 'direct'.")
  return [...new Set(typeof to === 'number' ? [to] : to)]
}
