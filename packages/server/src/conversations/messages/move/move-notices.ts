import type { Caller } from '../../../callers/caller.ts'
import type { Context } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { findSystemBot } from '../../../people/users/system-bots.ts'
import { column, maybeOne } from '../../../platform/db/query.ts'
import type { EditParams } from '../edit/checks.ts'
import { isResolved } from '../edit/resolve.ts'
import { emitFirstMessageId } from '../model/first-message.ts'
import { type Notice, sendNotices } from '../send/notices.ts'
import { isRespelling, type Move, type TopicInChannel } from './move-result.ts'
import { readFirsts } from './move-rows.ts'

/** Undoing a resolve or reopen within this time deletes its notice instead of sending another. */
const undoSeconds = 60
/** The notice of resolving a topic is unread for the other participants in this many of its newest messages. */
const maxParticipantMessages = 1000

interface NoticeParams extends Pick<EditParams, 'send_notification_to_old_thread' | 'send_notification_to_new_thread'> {
  changesContent: boolean
}

/** Sends the notices about a move: in the resolved topic, or in the new and the old topic. */
export async function sendMoveNotices(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  caller: Caller,
  move: Move,
  params: NoticeParams,
): Promise<void> {
  if (isRespelling(move)) return
  const onlyResolves = move.resolving && move.from.channel.id === move.to.channel.id
  if (onlyResolves && !params.changesContent) await sendResolveNotice(tx, ctx, caller, move)
  const { send_notification_to_new_thread: toNew, send_notification_to_old_thread: toOld } = params
  const notices = [
    ...(toNew && !onlyResolves ? [{ place: move.to, content: newPlaceText(caller, move) }] : []),
    ...(toOld ? [{ place: move.from, content: oldPlaceText(caller, move) }] : []),
  ]
  if (notices.length === 0) return
  const sender = await findSystemBot(tx.db, caller.realm, 'notification')
  await sendNotices(
    tx,
    ctx,
    caller.realm,
    notices.map(({ place, content }) => ({ sender, content, ...destinationOf(caller, move, place) })),
  )
}

function destinationOf(
  caller: Caller,
  { from, to }: Move,
  place: TopicInChannel,
): Pick<Notice, 'destination' | 'refersTo'> {
  const { id, full_name, is_active } = caller
  return {
    destination: { kind: 'channel', channel: place.channel, topic: place.topic.name },
    refersTo: { users: [{ id, full_name, is_active }], channels: [from.channel, to.channel] },
  }
}

function newPlaceText(caller: Caller, { ids, count, isWhole, knowsTarget, from, to }: Move): string {
  const who = mention(caller)
  if (isWhole && !knowsTarget) return `${who} moved this topic here from ${link(from)}.`
  if (count === 1) return `${who} moved a message here from ${link(from)}: ${link(to, ids[0])}`
  return `${who} moved ${count} messages here from ${link(from)}.`
}

function oldPlaceText(caller: Caller, { ids, count, isWhole, to }: Move): string {
  const who = mention(caller)
  if (isWhole) return `${who} moved this topic to ${link(to)}.`
  if (count === 1) return `${who} moved a message from here to ${link(to, ids[0])}`
  return `${who} moved ${count} messages from here to ${link(to)}.`
}

function mention({ full_name, id }: Caller): string {
  return `@_**${full_name}|${id}**`
}

function link({ channel, topic }: TopicInChannel, messageId?: number): string {
  return `#**${channel.name}>${topic.name}${messageId === undefined ? '' : `@${messageId}`}**`
}

async function sendResolveNotice(tx: Tx, ctx: Pick<Context, 'renderer'>, caller: Caller, move: Move): Promise<void> {
  if (await undoNotice(tx, move)) return
  const { to, ids } = move
  const content = `${mention(caller)} ${isResolved(to.topic.name) ? 'resolved' : 'reopened'} this topic.`
  const participants = await readParticipants(tx, ids.slice(-maxParticipantMessages))
  const unreadFor = participants.filter((id) => id !== caller.id)
  const sender = await findSystemBot(tx.db, caller.realm, 'notification')
  const notice = { sender, content, unreadFor, ...destinationOf(caller, move, to) }
  const [sent] = await sendNotices(tx, ctx, caller.realm, [notice])
  const stored = { realm_id: tx.realmId, message_id: sent!.message_id!, resolved: isResolved(to.topic.name) }
  await tx.db.insertInto('resolve_notices').values(stored).execute()
}

/** Deletes an earlier notice, if it is recent and still the newest message of the topic. */
async function undoNotice(tx: Tx, { to }: Move): Promise<boolean> {
  const row = await maybeOne<{ id: number }>(tx.db)`
    with newest as (
      select id, date_sent from messages where realm_id = ${tx.realmId} and topic_id = ${to.topic.id}
       order by id desc limit 1
    )
    delete from messages m using newest n, resolve_notices r
     where m.realm_id = ${tx.realmId} and m.id = n.id and r.realm_id = m.realm_id and r.message_id = n.id
       and n.date_sent >= clock_timestamp() - make_interval(secs => ${undoSeconds})
    returning m.id`
  if (!row) return false
  const [first] = await readFirsts(tx, [to.channel])
  if (first === null || first! > row.id) await emitFirstMessageId(tx, to.channel, first!)
  tx.emit(
    {
      type: 'delete_message',
      message_type: 'stream',
      message_ids: [row.id],
      stream_id: to.channel.id,
      topic: to.topic.name,
    },
    { channel: to.channel.id },
  )
  return true
}

/** Users who sent one of the messages or reacted to one. */
async function readParticipants(tx: Tx, ids: number[]): Promise<number[]> {
  return column<number>(tx.db)`
    select sender_id as user_id from messages where realm_id = ${tx.realmId} and id = any(${ids}::bigint[])
    union
    select user_id from reactions where realm_id = ${tx.realmId} and message_id = any(${ids}::bigint[])
    order by user_id`
}
