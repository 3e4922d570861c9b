import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { StaleLocks, type Tx } from '../../../events/transact.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { InvalidMessage } from '../model/access.ts'
import { emitAttachments } from '../model/attachments.ts'
import { audienceOf } from '../model/audience.ts'
import { emitFirstMessageId } from '../model/first-message.ts'
import { lockChannelRow, lockTopicRow } from '../model/lock-message.ts'
import { firstMessage } from './delete.ts'
import { type FormerPlace, findDeleted } from './deleted-messages.ts'
import { putBack } from './put-back.ts'
import { emitRestored } from './restored-event.ts'

/**
 * Restores a deleted message under its id, with everything that belonged to it, in the topic where it was. If that topic
 * is gone, in the topic of that name. Who had it unread has it unread again.
 */
export async function restoreMessage(tx: Tx, caller: Caller, id: number): Promise<FormerPlace> {
  const place = await accessDeleted(tx, caller, id)
  const channel = place.channel_id === null ? null : await lockChannelRow(tx, place.channel_id, 'goes')
  if (channel?.is_archived) throw new ApiError('The channel of this message is archived. Unarchive it first.')
  await lockTopicRow(tx, place.topic_id)
  await lockDeleted(tx, caller, id, place)
  // From here on nothing is marked as read, and nobody else creates the topic.
  await tx.position()
  const conversation = { realm_id: tx.realmId, recipient_id: place.recipient_id, channel }
  const first = await firstMessage(tx, conversation)
  const files = await putBack(tx, id, place)
  const audience = await audienceOf(tx, conversation, [id])
  if (channel && (first === null || id < first)) await emitFirstMessageId(tx, channel, id, audience.users)
  await emitRestored(tx, caller, { id, sender_id: place.sender_id, conversation, audience })
  await emitAttachments(tx, 'update', files)
  return place
}

/** One that the caller may not see fails exactly like one that does not exist. */
async function accessDeleted(tx: Tx, caller: Caller, id: number): Promise<FormerPlace> {
  const place = await findDeleted(tx.db, caller, id)
  if (!place) throw new InvalidMessage()
  return place
}

/** Starts again if the topic was moved, or the message restored, before everything was locked. */
async function lockDeleted(tx: Tx, caller: Caller, id: number, place: FormerPlace): Promise<void> {
  await sql`select 1 from deleted_messages where realm_id = ${tx.realmId} and id = ${id} for update`.execute(tx.db)
  const now = await findDeleted(tx.db, caller, id)
  if (JSON.stringify(now) !== JSON.stringify(place)) throw new StaleLocks()
}
