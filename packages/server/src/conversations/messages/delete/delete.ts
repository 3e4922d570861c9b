import { isModerator, mayInRealm } from '@parley/api/permissions'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { column, columnOf, one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { isOpenTo, type Message } from '../model/access.ts'
import { emitAttachments } from '../model/attachments.ts'
import { audienceOf, type Conversation } from '../model/audience.ts'
import { emitFirstMessageId } from '../model/first-message.ts'
import { received } from '../model/read-state.ts'
import { readTopicOf } from '../model/topic-spelling.ts'
import { keepDeleted } from './keep-deleted.ts'

/** Throws unless the caller may delete the message. Call it with the message locked. */
export async function checkDeleting(tx: Tx, caller: Caller, message: Message): Promise<void> {
  if (mayInRealm(caller, caller.realm, 'can_delete_any_message_group')) return
  const isOwn = message.sender_id === caller.id || (await isBotOf(tx, caller, message.sender_id))
  if (!isOwn || !mayInRealm(caller, caller.realm, 'can_delete_own_message_group'))
    throw new ApiError("You don't have permission to delete this message")
  const limit = caller.realm.settings.message_content_delete_limit_seconds
  if (limit !== null && (await isOlderThan(tx, message, limit)))
    throw new ApiError('The time limit for deleting this message has passed')
}

async function isBotOf(tx: Tx, { id }: Caller, senderId: number): Promise<boolean> {
  const ownBot = matches({ realm_id: tx.realmId, id: senderId, bot_owner_id: id })
  return (await tx.db.selectFrom('users').select('id').where(ownBot).executeTakeFirst()) !== undefined
}

/** Compares by the database's clock, which also set `date_sent`. */
async function isOlderThan(tx: Tx, { id }: Message, seconds: number): Promise<boolean> {
  const { yes } = await one<{ yes: boolean }>(tx.db)`
    select clock_timestamp() > date_sent + make_interval(secs => ${seconds}) as yes
      from messages where realm_id = ${tx.realmId} and id = ${id}`
  return yes
}

/** Locks the newest messages of a topic that the caller may read. Returns their ids, newest first. */
export async function lockNewest(tx: Tx, caller: Caller, topicId: number, limit: number): Promise<number[]> {
  return column<number>(tx.db)`
    select m.id from messages m
      join channels c on c.realm_id = m.realm_id and c.id = m.channel_id
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = ${caller.id} and f.message_id = m.id
     where m.realm_id = ${tx.realmId} and m.topic_id = ${topicId}
       and ${isOpenTo(caller)} and (c.history_public_to_subscribers or ${received(caller)})
     order by m.id desc limit ${limit}
       for update of m`
}

/** Direct messages can be restored only by moderators who delete them; those of others are not kept. */
export function isRestorable(caller: Caller, { channel }: Conversation): boolean {
  return channel !== null || isModerator(caller)
}

/** Messages of one topic or one direct conversation. */
export interface Deleted {
  conversation: Conversation
  ids: number[]
  /** Users who receive the event in addition to the readers. */
  alwaysNotify: number[]
  /** Who deleted them, if they can be restored. Otherwise they are gone. */
  keptFor?: number | undefined
}

/** Deletes locked messages with all rows that depend on them. The read state of other messages does not change. */
export async function deleteMessages(tx: Tx, { conversation, ids, alwaysNotify, keptFor }: Deleted): Promise<void> {
  const readers = await audienceOf(tx, conversation, ids)
  const audience = { ...readers, users: [...new Set([...(readers.users ?? []), ...alwaysNotify])] }
  const first = await firstMessage(tx, conversation)
  // In the spelling of the newest message: late subscribers of a protected history may not know older ones.
  const topic = await readTopicOf(tx, Math.max(...ids))
  if (keptFor !== undefined) await keepDeleted(tx, keptFor, ids)
  const files = await unlinkFiles(tx, ids)
  const deleted = matches({ realm_id: tx.realmId, id: ids })
  await tx.db.deleteFrom('messages').where(deleted).execute()
  if (conversation.channel && first !== null && ids.includes(first))
    await emitFirstMessageId(tx, conversation.channel, await firstMessage(tx, conversation), audience.users)
  const place = conversation.channel ? { stream_id: conversation.channel.id, topic: topic! } : {}
  const message_type = conversation.channel ? 'stream' : 'private'
  tx.emit({ type: 'delete_message', message_type, message_ids: ids, ...place }, audience)
  await emitAttachments(tx, 'update', files)
}

/** Unlinks the attachments but keeps the files. */
async function unlinkFiles(tx: Tx, messageIds: number[]): Promise<number[]> {
  const links = tx.db.deleteFrom('attachment_messages').where(matches({ realm_id: tx.realmId, message_id: messageIds }))
  return [...new Set(await columnOf(links.returning('attachment_id')))]
}

export async function firstMessage(tx: Tx, { recipient_id }: Conversation): Promise<number | null> {
  const { first } = await one<{ first: number | null }>(tx.db)`
    select min(id) as first from messages
     where realm_id = ${tx.realmId} and recipient_id = ${recipient_id}`
  return first
}
