import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { findChannel } from '../channels/access.ts'
import { checkContentEdit } from '../messages/edit/checks.ts'
import { accessMessageIn, InvalidMessage, type Message } from '../messages/model/access.ts'
import { readParticipants, readReceivers } from '../messages/model/audience.ts'
import { readTopicOf } from '../messages/model/topic-spelling.ts'
import { maxSubscribers, type Op, typingRecipients, typingSubscribers } from './actions.ts'

/** Emits to the readers of a message that its author started or stopped editing it. */
export async function typeInEdit(tx: Tx, caller: Caller, op: Op, messageId: number): Promise<void> {
  const message = await accessMessageIn(tx, caller, messageId)
  await checkNotArchived(tx, caller, message)
  const { sender_id, date_sent } = message
  checkContentEdit(caller, { sender_id, age_seconds: (Date.now() - date_sent.getTime()) / 1000 }, 0)
  checkTypingSetting(caller, message)
  const target = await (message.channel_id === null
    ? participants(tx, caller, message)
    : subscribers(tx, caller, message))
  if (!target) return
  tx.emit(
    { type: 'typing_edit_message', op, sender_id: caller.id, message_id: message.id, recipient: target.recipient },
    { users: target.users },
  )
}

/** Messages of archived channels cannot be edited. */
async function checkNotArchived(tx: Tx, caller: Caller, { channel_id }: Message): Promise<void> {
  if (channel_id !== null && (await findChannel(tx.db, caller, channel_id))?.is_archived) throw new InvalidMessage()
}

function checkTypingSetting({ settings }: Caller, { channel_id }: Message): void {
  const setting = channel_id === null ? 'send_private_typing_notifications' : 'send_stream_typing_notifications'
  const what = channel_id === null ? 'direct messages' : 'channel messages'
  if (!settings[setting]) throw new ApiError(`User has disabled typing notifications for ${what}`)
}

async function participants(tx: Tx, caller: Caller, { recipient_id }: Message) {
  const users = await typingRecipients(tx, caller, await readParticipants(tx, recipient_id))
  return { users, recipient: { type: 'direct' as const, user_ids: users } }
}

async function subscribers(tx: Tx, caller: Caller, { id, channel_id }: Message) {
  const subscribed = await typingSubscribers(tx, caller, channel_id!)
  if (subscribed.length > maxSubscribers) return undefined
  const channel = (await findChannel(tx.db, caller, channel_id!))!
  // With protected history, the event would reveal the topic of a message sent before they subscribed.
  const receivers = channel.history_public_to_subscribers ? subscribed : await readReceivers(tx.db, channel, [id])
  const users = subscribed.filter((user) => receivers.includes(user))
  const topic = (await readTopicOf(tx, id))!
  return { users, recipient: { type: 'channel' as const, channel_id: channel_id!, topic } }
}
