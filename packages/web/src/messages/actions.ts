import { ParleyError } from '@parley/client/errors'
import type { ShownMessage } from '@parley/client/messages/cache'
import type { Session } from '@parley/client/session'
import { showToast } from '../ui/toast.tsx'

/** Runs a change. If the server refuses, says why; otherwise offers to undo it. */
async function act(work: Promise<unknown>, done?: string, undo?: () => void): Promise<void> {
  try {
    await work
    if (done) showToast({ text: done, ...(undo && { undo }) })
  } catch (error) {
    showToast({ text: error instanceof ParleyError ? error.message : 'The server cannot be reached.', isError: true })
  }
}

type Emoji = { emoji_name: string; emoji_code: string; reaction_type: string }

/** Adds the viewer's reaction, or takes it back. */
export function toggleReaction({ client, viewerId }: Session, message: ShownMessage, emoji: Emoji): void {
  const isMine = message.reactions.some((one) => one.user_id === viewerId && one.emoji_code === emoji.emoji_code)
  const params = { path: { message_id: message.id }, ...emoji } as never
  void act(client.call(isMine ? 'removeReaction' : 'addReaction', params))
}

export function toggleStar(session: Session, message: ShownMessage): void {
  const op = message.flags.includes('starred') ? 'remove' : 'add'
  void act(session.client.call('updateMessageFlags', { messages: [message.id], op, flag: 'starred' }))
}

export function markUnreadFrom({ client }: Session, message: ShownMessage, ids: readonly number[]): void {
  const messages = ids.filter((id) => id >= message.id)
  const undo = () => void act(client.call('updateMessageFlags', { messages, op: 'add', flag: 'read' }))
  void act(client.call('updateMessageFlags', { messages, op: 'remove', flag: 'read' }), 'Marked as unread.', undo)
}

export function editMessage({ client }: Session, id: number, content: string): Promise<void> {
  return act(client.call('editMessage', { path: { message_id: id }, content }))
}

/** Holds the deletion for eight seconds, in which it can be undone. */
export function deleteMessage(session: Session, { id }: ShownMessage): void {
  const timer = setTimeout(() => void act(session.client.call('deleteMessage', { path: { message_id: id } })), 8000)
  showToast({ text: 'Message deleted.', undo: () => clearTimeout(timer) })
}

/** Renames a topic to its resolved form, or back. */
export function toggleResolved({ client }: Session, id: number, topic: string): void {
  const isResolved = topic.startsWith('✔ ')
  const to = isResolved ? topic.slice(2) : `✔ ${topic}`
  const rename = (name: string) =>
    client.call('editMessage', { path: { message_id: id }, topic: name, propagate_mode: 'change_all' })
  void act(rename(to), isResolved ? 'Topic reopened.' : 'Topic resolved.', () => void act(rename(topic)))
}

export function setTopicPolicy(
  { client }: Session,
  stream_id: number,
  topic: string,
  visibility_policy: 0 | 1 | 2 | 3,
): void {
  void act(client.call('setTopicPolicy', { stream_id, topic, visibility_policy }))
}

export async function copyLink(hash: string): Promise<void> {
  await act(navigator.clipboard.writeText(`${window.location.origin}/${hash}`), 'Link copied.')
}
