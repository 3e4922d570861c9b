import { sql } from 'kysely'
import { type Caller, loadCaller } from '../../../callers/caller.ts'
import { loadState } from '../../../callers/realm-state.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Channel } from '../../channels/access.ts'
import type { EditDeps } from '../edit/edit.ts'
import { lockChannels, readEditing } from '../edit/lock-for-edit.ts'
import { topicKey } from '../model/normalize-text.ts'
import { deleteMove, lockMove, maxAtOnce, type StoredMove } from './large-moves.ts'
import { planOf } from './move.ts'
import { moveAndEmit } from './move-and-emit.ts'
import { lockTopics } from './move-locks.ts'
import { sendMoveNotices } from './move-notices.ts'
import { movePolicies, readPolicies } from './move-policies.ts'
import type { Move } from './move-result.ts'
import { type FoundTopic, findTopic } from './move-rows.ts'
import { type Part, type Selector, selectPart } from './move-selection.ts'

/**
 * Moves the next messages of a large move, oldest first, like a move of its own: rows, flags and events commit together.
 * The move was authorized when it was stored, so it completes even if the user loses the permission. Returns whether it
 * is complete, and for how long others had to wait.
 */
export async function movePart(tx: Tx, deps: EditDeps, id: number, size: number): Promise<PartResult> {
  const stored = await lockMove(tx, id)
  const ends = stored && (await lockEnds(tx, stored))
  const start = performance.now()
  const isComplete = !stored || (await moveBetween(tx, deps, stored, ends, size))
  return { isComplete, milliseconds: performance.now() - start }
}

export interface PartResult {
  isComplete: boolean
  milliseconds: number
}

async function moveBetween(
  tx: Tx,
  deps: EditDeps,
  stored: StoredMove,
  ends: Ends | undefined,
  size: number,
): Promise<boolean> {
  if (ends) {
    const caller = (await loadCaller(tx.db, await loadState(tx.db, tx.realmId), stored.user_id))!
    const range = { after: stored.up_to_message, size }
    const part = await selectPart(tx, caller, ends, range, (ids) => maxAtOnce(tx, ends.place.channel, ends.to, ids))
    const move = await moveSelected(tx, deps, caller, stored, ends, part)
    if (!part.isLast) return noteProgress(tx, stored, move)
    await sendMoveNotices(tx, deps, caller, move, noticeParams(stored))
  }
  await deleteMove(tx, stored.id)
  return true
}

/** Where messages move from and to. */
interface Ends extends Selector {
  to: Channel
  name: string
  target: FoundTopic | undefined
}

/** Locks the channels and topics. Undefined if the old topic is no longer in its channel: then nothing is left to move. */
async function lockEnds(tx: Tx, stored: StoredMove): Promise<Ends | undefined> {
  const { channel_id, topic_id, to_channel_id, to_topic_id, mode, message_id: messageId } = stored
  const channels = await lockChannels(tx, [...new Set([channel_id, to_channel_id])])
  const to = channels.find(({ id }) => id === to_channel_id)!
  const topics = await readTopics(tx, [topic_id, ...(to_topic_id === null ? [] : [to_topic_id])])
  const topic = topics.find((one) => one.id === topic_id && one.channel_id === channel_id)
  if (!topic) return undefined
  const place = { channel: channels.find(({ id }) => id === channel_id)!, topic }
  // The new topic may have been renamed since the previous part.
  const joined = topics.find((one) => one.id === to_topic_id && one.channel_id === to_channel_id)
  const isRenamed = joined !== undefined && topicKey(joined.name) !== topicKey(stored.to_topic)
  const name = isRenamed ? joined.name : stored.to_topic
  await lockTopics(tx, place, to, name)
  const target = await findTopic(tx, to, name)
  const isOver = to_topic_id === topic_id ? isRenamed : target?.id === topic_id
  return isOver ? undefined : { place, mode, messageId, to, name, target }
}

/** Call it with the channels locked, so that nobody moves or renames the topics. */
function readTopics(tx: Tx, ids: number[]) {
  const topics = tx.db.selectFrom('topics').select(['id', 'name', 'channel_id'])
  return topics.where(matches({ realm_id: tx.realmId, id: ids })).execute()
}

async function moveSelected(
  tx: Tx,
  deps: EditDeps,
  caller: Caller,
  stored: StoredMove,
  ends: Ends,
  { selected, isLast }: Part,
): Promise<Move> {
  const { ids } = selected
  if (ids.length === 0) return moveTopicAlone(tx, deps, stored, ends, selected.visible === 0)
  const named = ids.includes(ends.messageId) ? ends.messageId : ids[0]!
  const editing = await readEditing(tx, caller, named, ends.place.channel)
  const { edit } = editing
  const { resolving } = stored
  const knowsTarget = stored.knows_target ?? stored.joins
  const plan = planOf(editing, { channel: ends.to, topic: ends.name, resolving }, edit)
  const planned = { ...ends, ...plan, resolving, knowsTarget, selected, isLast, earlier: stored }
  return moveAndEmit(tx, deps, caller, planned, { realm: caller.realm, editing, edit })
}

/** The messages that were left have been deleted or moved since the previous part: only the topic policies move. */
async function moveTopicAlone(tx: Tx, deps: EditDeps, stored: StoredMove, ends: Ends, isEmpty: boolean): Promise<Move> {
  const { place: from, to: channel, name, target, mode } = ends
  const { moved: count, joins, to_topic_id, resolving } = stored
  const move = {
    ids: [],
    count,
    mode,
    from,
    to: { channel, topic: { id: target?.id ?? to_topic_id!, name } },
    isWhole: mode === 'change_all' || isEmpty,
    joins,
    resolving,
    audience: undefined,
    firsts: [],
    knowsTarget: stored.knows_target ?? joins,
    policies: await readPolicies(tx, from.topic.id, target?.id),
  }
  if (target) await deps.emitPolicies(tx, await movePolicies(tx, move))
  return move
}

async function noteProgress(tx: Tx, { id, realm_id }: StoredMove, { ids, count, to }: Move): Promise<false> {
  await tx.db
    .updateTable('message_moves')
    .set({ up_to_message: ids.at(-1)!, moved: count, to_topic_id: to.topic.id, touched_at: sql`clock_timestamp()` })
    .where(matches({ realm_id, id }))
    .execute()
  return false
}

function noticeParams({ notifies_old, notifies_new }: StoredMove) {
  return {
    send_notification_to_old_thread: notifies_old,
    send_notification_to_new_thread: notifies_new,
    changesContent: false,
  }
}
