import type { PropagateMode } from '@parley/api/conversations/editing'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import type { Change } from '../edit/checks.ts'
import type { Editing, Topic } from '../edit/lock-for-edit.ts'
import type { Entry } from '../model/edit-history.ts'
import { findLosses, findMoveAudience, type MoveAudience } from './move-audience.ts'
import { lockReaders, lockTopics } from './move-locks.ts'
import { readPolicies } from './move-policies.ts'
import type { Move } from './move-result.ts'
import {
  createTopic,
  type FoundTopic,
  findTopic,
  joinCreated,
  joinTopic,
  type MovePlan,
  readFirsts,
  renameTopic,
  reserveTopic,
  shiftMessages,
  shiftRecords,
} from './move-rows.ts'
import { checkTimeLimit, type Selection, type Selector, seesMessages, selectMessages } from './move-selection.ts'

type Edit = Pick<Entry, 'number' | 'user_id' | 'timestamp'>

/** A move whose messages are selected. */
export interface PlannedMove extends MovePlan, Selector {
  resolving: boolean
  selected: Selection
  target: FoundTopic | undefined
  /** Whether the caller may read messages that the target topic already had. */
  knowsTarget: boolean
  /** Whether messages sent since they were selected move too. False if later parts of the move take care of them. */
  isLast: boolean
  /** What the earlier parts did, if this is a part of a large move. */
  earlier?: { moved: number; total: number; joins: boolean }
}

/** A move in progress: everything has moved except messages sent since they were selected. */
export interface PendingMove extends PlannedMove {
  /** The target topic; undefined if the messages keep their topic, which finishMove renames. */
  topic: Topic | undefined
  audience: MoveAudience | undefined
  firsts: { before: number | null; after: number | null }[]
}

/** Locks the topics, checks how old the messages may be, and selects those that move. */
export async function planMove(
  tx: Tx,
  caller: Caller,
  editing: Editing,
  change: Change,
  mode: PropagateMode,
  edit: Edit,
): Promise<PlannedMove> {
  const plan = planOf(editing, change, edit)
  const { from, channel, name } = plan
  await lockTopics(tx, from, channel, name)
  if (mode === 'change_all') await checkTimeLimit(tx, caller, editing, change)
  const selector = { place: from, mode, messageId: editing.message.id }
  const selected = await selectMessages(tx, caller, selector)
  const target = await findTopic(tx, channel, name)
  const knowsTarget = target !== undefined && (await seesMessages(tx, caller, { channel, topic: target }))
  return { ...plan, ...selector, resolving: change.resolving, selected, target, knowsTarget, isLast: true }
}

/**
 * Moves messages. A whole topic that gets an unused name is renamed by updating one row, however many messages it has.
 * Messages that join another topic, or leave others behind, are updated one by one. All slow work happens here, while
 * users can still send; finishMove does the rest with the realm's counter locked.
 */
export async function startMove(tx: Tx, editing: Editing, planned: PlannedMove): Promise<PendingMove> {
  const { from, channel, target, selected } = planned
  const topic = isRename(planned, target, selected) ? undefined : (target ?? (await reserveTopic(tx, planned)))
  const before = await readChangedFirsts(tx, planned)
  await shiftMessages(tx, planned, selected.ids, topic)
  const after = await readChangedFirsts(tx, planned)
  const firsts = before.map((first, index) => ({ before: first, after: after[index]! }))
  const changesChannel = channel.id !== from.channel.id
  const audience = changesChannel ? await moveFlags(tx, editing, planned, selected.ids) : undefined
  return { ...planned, topic, audience, firsts }
}

/** The last slow step, because it blocks users from updating flags of the messages. */
async function moveFlags(tx: Tx, editing: Editing, plan: MovePlan, ids: number[]): Promise<MoveAudience> {
  const { from, channel } = plan
  await lockReaders(tx, from, channel, ids)
  const audience = await findMoveAudience(tx, editing, channel, ids)
  await shiftRecords(tx, plan, audience, ids)
  return audience
}

export function planOf({ place }: Editing, change: Partial<Change>, edit: Edit): MovePlan {
  const from = place!
  const { channel = from.channel, topic: name = from.topic.name, resolving } = change
  const entry = {
    ...edit,
    ...(name !== from.topic.name && { prev_topic: from.topic.name, topic: name }),
    ...(channel.id !== from.channel.id && { prev_stream: from.channel.id, stream: channel.id }),
    ...(resolving && { resolving }),
  }
  return { from, channel, name, entry }
}

/** Whether the whole topic moves to a name that no other topic with messages has. */
export function isRename({ from }: MovePlan, target: FoundTopic | undefined, { ids, all }: Selection): boolean {
  return ids.length === all && (!target?.has_messages || target.id === from.topic.id)
}

async function readChangedFirsts(tx: Tx, { from, channel }: MovePlan, after?: number): Promise<(number | null)[]> {
  return channel.id === from.channel.id ? [] : readFirsts(tx, [from.channel, channel], after)
}

/** Locks the realm's counter, which blocks sending, and moves the messages sent since startMove. */
export async function finishMove(tx: Tx, caller: Caller, pending: PendingMove): Promise<Move> {
  const { from, channel, name, mode, resolving, audience, earlier, knowsTarget } = pending
  const { message: newest } = await tx.position()
  const late = pending.isLast ? await selectMessages(tx, caller, pending, { after: pending.selected.newest }) : none
  const selected = mergeSelections(pending.selected, late)
  const target = await findTopic(tx, channel, name)
  const policies = await readPolicies(tx, from.topic.id, target?.id)
  if (audience) {
    audience.losses.push(...(await findLosses(tx, from.channel, audience.lost, late.ids)))
    await shiftRecords(tx, pending, audience, late.ids)
  }
  const topic = await placeInTopic(tx, pending, late, target, isRename(pending, target, selected) ? newest : undefined)
  return {
    ids: selected.ids,
    count: (earlier?.moved ?? 0) + selected.ids.length,
    ...(earlier && { total: earlier.total }),
    mode,
    from,
    to: { channel, topic: { id: topic.id, name } },
    isWhole: mode === 'change_all' || selected.ids.length === selected.visible,
    joins: earlier?.joins ?? (target?.has_messages === true && target.id !== from.topic.id),
    knowsTarget,
    resolving,
    audience,
    policies,
    firsts: await findFirsts(tx, pending),
  }
}

const none: Selection = { ids: [], visible: 0, all: 0, newest: 0 }

function mergeSelections(a: Selection, b: Selection): Selection {
  return { ids: [...a.ids, ...b.ids], visible: a.visible + b.visible, all: a.all + b.all, newest: b.newest }
}

/**
 * Moves the late messages and creates or renames the topic. Returns it. A concurrent message may have created a
 * topic with the new name, or may stay behind in the old one. Then the messages that startMove handled follow to the
 * final topic.
 */
async function placeInTopic(
  tx: Tx,
  pending: PendingMove,
  late: Selection,
  target: FoundTopic | undefined,
  renamedAt: number | undefined,
): Promise<Topic> {
  const { topic: planned, from, selected } = pending
  if (renamedAt !== undefined) {
    await shiftMessages(tx, pending, late.ids, undefined)
    await renameTopic(tx, pending, target, renamedAt)
    return from.topic
  }
  const topic = target ?? planned ?? (await reserveTopic(tx, pending))
  if (!target) await createTopic(tx, pending, topic)
  await shiftMessages(tx, pending, late.ids, topic)
  if (planned === undefined) await joinTopic(tx, pending, selected.ids, topic)
  else if (planned.id !== topic.id) await joinCreated(tx, planned, topic)
  return topic
}

/** The channels whose oldest message changed. An emptied channel may have received a new message since startMove. */
async function findFirsts(tx: Tx, pending: PendingMove): Promise<Move['firsts']> {
  const late = await readChangedFirsts(tx, pending, pending.selected.newest)
  return [pending.from.channel, pending.channel]
    .slice(0, late.length)
    .map((channel, index) => ({ channel, ...pending.firsts[index]!, late: late[index]! }))
    .map(({ channel, before, after, late }) => ({ channel, before, first: after ?? late }))
    .filter(({ before, first }) => first !== before)
}
