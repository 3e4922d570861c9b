import { reloadCaller } from '../../../callers/authenticate.ts'
import type { Caller } from '../../../callers/caller.ts'
import { transactIn } from '../../../context.ts'
import { canReadContent, findChannel } from '../../../conversations/channels/access.ts'
import { rewriteOwnMessage } from '../../../conversations/messages/edit/own-message.ts'
import { renderAs } from '../../../conversations/messages/send/compose.ts'
import type { Destination } from '../../../conversations/messages/send/destination.ts'
import { renderReply, sendReply } from '../../../conversations/messages/send/reply.ts'
import { replaceActions } from '../../../conversations/widgets/update-actions.ts'
import type { Tx } from '../../../events/transact.ts'
import { unixSeconds } from '../../../platform/text.ts'
import type { Delivering } from '../attempt.ts'
import { BotNotReached, type Called } from './call-endpoint.ts'

interface Asked {
  user: Caller
  destination: Destination
  /** The message whose button was pressed. */
  messageId?: number
}

/** Does what an endpoint answered: shows it to the user, sends it, or changes the message. */
export async function applyAnswer(ctx: Delivering, { bot, answer }: Called, asked: Asked): Promise<void> {
  const { user, destination, messageId } = asked
  const { text, isEphemeral, widget, update } = answer
  const isSent = text.trim() !== '' && !isEphemeral && takesPart(bot, destination)
  const reply = isSent ? await renderReply(ctx, bot, { content: text, widget }) : undefined
  const shown = text.trim() !== '' && !isSent ? await renderAs(ctx, bot, text) : undefined
  const draft = update?.content?.trim()
    ? { content: update.content.trim(), rendered: await renderAs(ctx, bot, update.content.trim()) }
    : undefined
  await transactIn(ctx, user.realm_id, async (tx) => {
    await checkStillThere(tx, bot, destination)
    if (draft && messageId !== undefined) await rewriteOwnMessage(tx, bot, messageId, draft)
    if (update?.rows && messageId !== undefined) await replaceActions(tx, bot, messageId, update.rows)
    if (shown) tx.emit({ ...ephemeral(bot, destination), content: shown.html }, { users: [user.id] })
    if (reply) await sendReply(tx, bot, destination, reply)
  })
}

/** The endpoint took its time: the bot may have been deactivated, or the channel archived or closed to it. */
async function checkStillThere(tx: Tx, bot: Caller, destination: Destination): Promise<void> {
  const now = await reloadCaller(tx.db, bot)
  if (destination.kind !== 'channel') return
  const channel = await findChannel(tx.db, now, destination.channel.id)
  if (!channel || channel.is_archived || !(await canReadContent(tx.db, now, channel)))
    throw new BotNotReached('It can no longer write there.')
}

/** A command may be run in direct messages without the bot: then only who ran it sees the answer. */
function takesPart({ id }: Caller, destination: Destination): boolean {
  return destination.kind === 'channel' || destination.participants.some((one) => one.id === id)
}

function ephemeral(bot: Caller, destination: Destination) {
  const place =
    destination.kind === 'channel'
      ? { stream_id: destination.channel.id, topic: destination.topic }
      : { user_ids: destination.participants.map(({ id }) => id) }
  return {
    type: 'ephemeral_message',
    sender_id: bot.id,
    timestamp: unixSeconds(new Date()),
    ...place,
  } as const
}
