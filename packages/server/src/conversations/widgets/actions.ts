import { storageLimits } from '@parley/api/limits'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { audienceOf } from '../messages/model/audience.ts'
import type { Changing } from '../messages/model/lock-message.ts'
import { policyAfterTakingPart } from '../topics/automatic-policies.ts'
import { checkAct, widgetType } from './data.ts'

/** Adds a submessage. Only the sender can make a message interactive; then every reader may take part. */
export async function addSubmessage(
  tx: Tx,
  actor: Caller,
  changing: Changing,
  added: { msg_type: string; content: string },
): Promise<void> {
  const { message } = changing
  const first = await firstSubmessage(tx, message.id)
  const isAuthor = message.sender_id === actor.id
  if (!isAuthor && first?.sender_id !== message.sender_id)
    throw new ApiError('You cannot attach a submessage to this message.')
  checkAct(first && widgetType(first.content), added.content, isAuthor)
  await storeSubmessage(tx, actor, changing, added)
}

/** Stores what a user does with an interactive message, and shows it to its readers. */
export async function storeSubmessage(
  tx: Tx,
  actor: Caller,
  { message, conversation }: Changing,
  { msg_type, content }: { msg_type: string; content: string },
): Promise<void> {
  await checkSubmessageLimits(tx, actor, message.id, content)
  const { id } = await tx.db
    .insertInto('submessages')
    .values({ realm_id: tx.realmId, message_id: message.id, sender_id: actor.id, msg_type, content })
    .returning('id')
    .executeTakeFirstOrThrow()
  const submessage = { message_id: message.id, submessage_id: id, sender_id: actor.id, msg_type, content }
  tx.emit({ type: 'submessage', ...submessage }, await audienceOf(tx, conversation, [message.id]))
  if (message.channel_id !== null)
    await policyAfterTakingPart(tx, actor, { messageId: message.id, channelId: message.channel_id })
}

async function checkSubmessageLimits(tx: Tx, { id }: Caller, messageId: number, content: string): Promise<void> {
  const stored = await one<{ own: number; total: number; ownText: number; text: number }>(tx.db)`
    select count(*) filter (where sender_id = ${id}) as own, count(*) as total,
           coalesce(sum(length(content)) filter (where sender_id = ${id}), 0)::bigint as "ownText",
           coalesce(sum(length(content)), 0)::bigint as text
      from submessages where realm_id = ${tx.realmId} and message_id = ${messageId}`
  const isFull =
    stored.own >= storageLimits.submessagesPerUserAndMessage ||
    stored.total >= storageLimits.submessagesPerMessage ||
    stored.ownText + content.length > storageLimits.submessageTextPerUserAndMessage ||
    stored.text + content.length > storageLimits.submessageTextPerMessage
  if (isFull) throw new ApiError('This poll or to-do list has too many changes. Start a new one.')
}

async function firstSubmessage(tx: Tx, messageId: number) {
  return tx.db
    .selectFrom('submessages')
    .select(['sender_id', 'content'])
    .where(matches({ realm_id: tx.realmId, message_id: messageId }))
    .orderBy('id')
    .executeTakeFirst()
}
