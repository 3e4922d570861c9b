import { mayInRealm } from '@parley/api/permissions'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { allDone } from '../../../platform/db/pipelined.ts'
import { cutTopic } from '../model/normalize-text.ts'
import { isLarge } from '../move/large-moves.ts'
import { planMove } from '../move/move.ts'
import { type MoveDeps, moveAndEmit } from '../move/move-and-emit.ts'
import { accessMentioned, changeContent } from './content.ts'
import { lockOwnMessage } from './lock-for-edit.ts'
import { isResolved, resolvedName } from './resolve.ts'
import { emitUpdateMessage, type NewContent, readEventAudience } from './update-event.ts'
import { changeUploads } from './uploads.ts'

/**
 * Replaces the text of a message that a program keeps up to date. The organization's limits are for people: this has
 * none. Returns false if the message is gone.
 */
export async function rewriteOwnMessage(tx: Tx, author: Caller, id: number, draft: NewContent): Promise<boolean> {
  const editing = await lockOwnMessage(tx, author, id, { moves: false })
  if (!editing) return false
  if (editing.message.content === draft.content) return true
  const mentioned = await accessMentioned(tx, author, editing, draft)
  const { edit, message } = editing
  await allDone([
    changeUploads(tx, author, message, draft.rendered),
    changeContent(tx, editing, draft, mentioned),
  ] as const)
  emitUpdateMessage(tx, { realm: author.realm, editing, edit, draft }, await readEventAudience(tx, editing, undefined))
  return true
}

/** Marks the topic of the author's message as resolved, without a notice, where the author may do that. */
export async function resolveTopicOf(tx: Tx, deps: MoveDeps, author: Caller, id: number): Promise<void> {
  const { realm } = author
  if (!mayInRealm(author, realm, 'can_resolve_topics_group')) return
  const editing = await lockOwnMessage(tx, author, id, { moves: true })
  const name = editing?.place?.topic.name
  if (!editing || !name || isResolved(name) || editing.place!.channel.is_archived) return
  const change = { content: undefined, topic: cutTopic(resolvedName(name)), channel: undefined, resolving: true }
  const planned = await planMove(tx, author, editing, change, 'change_all', editing.edit)
  if (planned.selected.ids.length === 0 || (await isLarge(tx, planned))) return
  await moveAndEmit(tx, deps, author, planned, { realm, editing, edit: editing.edit })
}
