import type { Caller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { type Channel, findChannel } from '../../conversations/channels/access.ts'
import { topicOfMessage } from '../../conversations/messages/model/topic-spelling.ts'
import type { Destination } from '../../conversations/messages/send/destination.ts'
import { type Notice, sendNotices } from '../../conversations/messages/send/notices.ts'
import type { Tx } from '../../events/transact.ts'
import { findUsers } from '../../people/users/find-users.ts'
import type { Db } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'
import type { OutgoingAnswer } from '../../platform/outgoing/safe-fetch.ts'
import { firstCharacters } from '../../platform/text.ts'

/** The conversation of a message, to which the reply is sent. Undefined if it no longer accepts messages. */
export async function replyDestination(db: Db, bot: Caller, messageId: number): Promise<Destination | undefined> {
  const row = await maybeOne<{ channel_id: number | null; topic: string | null; user_ids: number[] | null }>(db)`
    select m.channel_id, ${topicOfMessage} as topic, d.user_ids from messages m
      left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      left join direct_conversations d on d.realm_id = m.realm_id and d.recipient_id = m.recipient_id
     where m.realm_id = ${bot.realm_id} and m.id = ${messageId}`
  if (!row) return undefined
  if (row.channel_id === null) return { kind: 'direct', participants: await participantsOf(db, bot, row.user_ids!) }
  const channel = await findChannel(db, bot, row.channel_id)
  return isOpen(channel) ? { kind: 'channel', channel, topic: row.topic! } : undefined
}

function isOpen(channel: Channel | undefined): channel is Channel {
  return channel !== undefined && !channel.is_archived
}

async function participantsOf(db: Db, bot: Caller, ids: number[]) {
  return (await findUsers(db, bot.state, ids)).sort((a, b) => a.id - b.id)
}

const maxShownCharacters = 1000

/** Reports a failed delivery in the conversation, and notifies the bot's owner with the details. */
export async function notifyOwnerOfFailure(
  tx: Tx,
  ctx: Pick<Context, 'renderer'>,
  bot: Caller,
  messageId: number,
  reason: string,
  answer?: OutgoingAnswer,
): Promise<void> {
  const [sender] = await findUsers(tx.db, bot.state, [bot.id])
  const destination = await replyDestination(tx.db, bot, messageId)
  const notices: Notice[] = destination ? [{ sender: sender!, destination, content: `Failure! ${reason}` }] : []
  const [owner] = bot.bot_owner_id === null ? [] : await findUsers(tx.db, bot.state, [bot.bot_owner_id])
  if (owner?.is_active) {
    const participants = [sender!, owner].sort((a, b) => a.id - b.id)
    const content = `Message ${messageId} could not be delivered to the endpoint of this bot. ${reason}${shown(answer)}`
    notices.push({ sender: sender!, destination: { kind: 'direct', participants }, content })
  }
  await sendNotices(tx, ctx, bot.realm, notices)
}

/** The response of the endpoint, for the owner. Responses of internal hosts are never shown. */
function shown(answer?: OutgoingAnswer): string {
  if (!answer || answer.isInternal || answer.body.trim() === '') return ''
  const body = firstCharacters(answer.body.replaceAll('\0', '').toWellFormed(), maxShownCharacters)
  const fence = '`'.repeat(Math.max(3, ...[...body.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return ` It answered:\n\n${fence}\n${body}\n${fence}`
}
