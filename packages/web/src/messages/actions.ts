import { textLimits } from '@parley/api/limits'
import type { ShownMessage } from '@parley/client/messages/cache'
import { deletion, edit, flagChange, reactionChange } from '@parley/client/messages/local-events'
import type { Session } from '@parley/client/session/session'
import { errorText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { plainText } from '../rendered/plain-text.ts'
import { act, deliver } from '../session/act.ts'
import { showToast } from '../ui/toast.tsx'
import { holdDeletion } from './held-deletions.ts'

type Emoji = Pick<ShownMessage['reactions'][number], 'emoji_name' | 'emoji_code' | 'reaction_type'>

/** Adds the viewer's reaction, or takes it back. */
export function toggleReaction(session: Session, message: ShownMessage, emoji: Emoji): void {
  const { viewerId } = session
  // Reactions of messages have more fields.
  const { emoji_name, emoji_code, reaction_type } = emoji
  const sent = { emoji_name, emoji_code, reaction_type }
  const isMine = message.reactions.some((one) => one.user_id === viewerId && one.emoji_code === emoji_code)
  const params = { path: { message_id: message.id }, ...sent }
  const shown = reactionChange(isMine ? 'remove' : 'add', message.id, viewerId, sent)
  void act(session.change(isMine ? 'removeReaction' : 'addReaction', params, shown))
}

type Flag = 'read' | 'starred' | 'collapsed'

/** Changes a flag at once; while the server cannot be reached, the change waits. */
export function changeFlag(session: Session, op: 'add' | 'remove', flag: Flag, messages: number[]): Promise<void> {
  return session.change('updateMessageFlags', { messages, op, flag }, flagChange(op, flag, messages))
}

export function toggleStar(session: Session, message: ShownMessage): void {
  const op = message.flags.includes('starred') ? 'remove' : 'add'
  void act(changeFlag(session, op, 'starred', [message.id]))
}

export function markUnreadFrom(session: Session, message: ShownMessage, ids: readonly number[]): void {
  const messages = ids.filter((id) => id >= message.id)
  const undo = () => void act(changeFlag(session, 'add', 'read', messages))
  void act(changeFlag(session, 'remove', 'read', messages), t('message.markedUnread'), undo)
}

export function toggleCollapsed(session: Session, { id, flags }: ShownMessage): void {
  const op = flags.includes('collapsed') ? 'remove' : 'add'
  void act(changeFlag(session, op, 'collapsed', [id]))
}

/** Votes in a poll, or changes a to-do list. */
export function sendWidgetData(session: Session, messageId: number, data: object): void {
  const params = { message_id: messageId, msg_type: 'widget' as const, content: JSON.stringify(data) }
  void act(deliver(session, 'addSubmessage', params))
}

/**
 * Returns whether the edit was accepted; without the server, it waits, and is shown already. If it is refused after that,
 * its text becomes a draft, because its editor is closed.
 */
export async function editMessage(
  session: Session,
  message: ShownMessage,
  content: string,
  html: string,
): Promise<boolean> {
  const params = { path: { message_id: message.id }, content }
  const isWaiting = session.connection === 'offline'
  const accepted = session.change('editMessage', params, edit(message, content, html)).then(
    () => true,
    async (error) => {
      const isKept = isWaiting && (await keepAsDraft(session, message, content))
      const text = errorText(error)
      showToast({ text: isKept ? t('message.editKept', { reason: text }) : text, isError: true })
      return false
    },
  )
  return isWaiting || accepted
}

/** Keeps the text of an edit that cannot be saved. Returns whether that worked. */
export function keepAsDraft({ client, viewerId }: Session, message: ShownMessage, content: string): Promise<boolean> {
  const { stream_id, subject, display_recipient } = message
  const others = typeof display_recipient === 'string' ? [] : display_recipient.map(({ id }) => id)
  const to = others.length > 1 ? others.filter((id) => id !== viewerId) : others
  const place =
    stream_id === undefined
      ? { type: 'private' as const, to, topic: '' }
      : { type: 'stream' as const, to: [stream_id], topic: subject }
  const draft = { ...place, content, timestamp: Math.floor(Date.now() / 1000) }
  return client.call('createDrafts', { drafts: [draft] }).then(
    () => true,
    () => false,
  )
}

/** Holds the deletion for eight seconds, in which it can be undone. */
/** Hides what the message shows of the pages that it links to. */
export function hidePreviews({ client }: Session, { id: message_id }: ShownMessage): void {
  const change = (hidden: boolean) => client.call('updateMessagePreviews', { path: { message_id }, hidden })
  void act(change(true), t('message.previewsRemoved'), () => void act(change(false)))
}

export function deleteMessage(session: Session, message: ShownMessage): void {
  const params = { path: { message_id: message.id } }
  holdDeletion(
    message.id,
    t('message.deleted'),
    () => void act(session.change('deleteMessage', params, deletion(message))),
  )
}

export async function copyLink(hash: string): Promise<void> {
  await act(navigator.clipboard.writeText(`${window.location.origin}/${hash}`), t('message.linkCopied'))
}

/** Pins a message to the top of its channel, under its first words. */
export async function pinMessage({ client }: Session, message: ShownMessage): Promise<void> {
  const path = { stream_id: message.stream_id! }
  const title = plainText(message.content, textLimits.pinTitle).toWellFormed() || message.sender_full_name
  const pin = client.call('createChannelPin', { path, message_id: message.id, title })
  const undo = async ({ id }: { id: number }) => client.call('deleteChannelPin', { path: { ...path, pin_id: id } })
  await act(pin, t('pins.pinned'), () => void act(pin.then(undo)))
}
