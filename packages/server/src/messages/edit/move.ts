import type { PropagateMode } from '@parley/api/editing'
import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import type { Caller } from '../../users/caller.ts'
import type { Entry } from '../model/edit-history.ts'
import type { Change } from './checks.ts'
import type { Editing } from './lock-for-edit.ts'
import { findLosses, findMoveAudience, type MoveAudience } from './move-audience.ts'
import { lockReaders, lockTopics } from './move-locks.ts'
import { readPolicies } from './move-policies.ts'
import { isRespelling, type Move } from './move-result.ts'
import {
  createTopic,
  type FoundTopic,
  findTopic,
  joinTopic,
  type MovePlan,
  readFirsts,
  renameTopic,
  reserveTopic,
  shiftMessages,
  shiftRecords,
} from './move-rows.ts'
import { checkTimeLimit, type Selection, selectMessages } from './move-selection.ts'

type Edit = Pick<Entry, 'number' | 'user_id' | 'timestamp'>

/** A move whose messages have gone already, but for those that come in meanwhile. */
export interface PendingMove extends MovePlan {
  mode: PropagateMode
  resolving: boolean
  selected: Selection
  /** Where they went; undefined if they stay in their topic, which is to be renamed. */
  topicId: number | undefined
  audience: MoveAudience | undefined
  firsts: { before: number | null; after: number | null }[]
}

/**
 * Moves messages. A whole topic that gets a name of its own is renamed: one row, however many messages it has. What
 * joins another topic, or leaves others behind, is moved message by message. All that takes long happens here, where
 * others go on sending; finishMove does the rest.
 */
export async function startMove(
  tx: Tx,
  caller: Caller,
  editing: Editing,
  change: Change,
  wanted: PropagateMode,
  edit: Edit,
): Promise<PendingMove> {
  const course = courseOf(editing, change, edit)
  const { from, channel, name } = course
  const mode = changesWholeTopic(course) ? 'change_all' : wanted
  await lockTopics(tx, from, channel, name)
  if (mode === 'change_all') await checkTimeLimit(tx, caller, editing, change)
  const selected = await selectMessages(tx, caller, editing, mode)
  const { ids } = selected
  const target = await findTopic(tx, channel, name)
  const topicId = renames(course, target, selected) ? undefined : (target?.id ?? (await reserveTopic(tx)))
  const before = await readChangedFirsts(tx, course)
  await shiftMessages(tx, course, ids, topicId)
  const after = await readChangedFirsts(tx, course)
  const firsts = before.map((first, index) => ({ before: first, after: after[index]! }))
  const audience = change.channel && (await moveReaders(tx, editing, course, ids))
  return { ...course, mode, resolving: change.resolving, selected, topicId, audience, firsts }
}

/** A topic has one spelling, and it is resolved as a whole: messages that are sent during the move follow the others. */
function changesWholeTopic({ from, channel, name, entry }: MovePlan): boolean {
  return entry.resolving === true || isRespelling({ from, to: { channel, topic: { name } } })
}

/** Last of what takes long, so that people wait to mark messages no longer than they must. */
async function moveReaders(tx: Tx, editing: Editing, course: MovePlan, ids: number[]): Promise<MoveAudience> {
  const { from, channel } = course
  await lockReaders(tx, from, channel, ids)
  const audience = await findMoveAudience(tx, editing, channel, ids)
  await shiftRecords(tx, course, audience, ids)
  return audience
}

function courseOf({ place }: Editing, change: Change, edit: Edit): MovePlan {
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

/** Whether the topic as a whole gets a name that no other topic with messages has. */
function renames({ from }: MovePlan, target: FoundTopic | undefined, { ids, all }: Selection): boolean {
  return target?.id === from.topic.id || (ids.length === all && !target?.has_messages)
}

async function readChangedFirsts(tx: Tx, { from, channel }: MovePlan, after?: number): Promise<(number | null)[]> {
  return channel.id === from.channel.id ? [] : readFirsts(tx, [from.channel, channel], after)
}

/** Takes the realm's counter, and moves what was sent meanwhile: from here on nothing more comes in. */
export async function finishMove(tx: Tx, caller: Caller, editing: Editing, begun: PendingMove): Promise<Move> {
  const { from, channel, name, mode, resolving, audience } = begun
  const { message: newest } = await tx.position()
  const late = await selectMessages(tx, caller, editing, mode, begun.selected.newest)
  const selected = sumOf(begun.selected, late)
  const target = await findTopic(tx, channel, name)
  const policies = await readPolicies(tx, from.topic.id, target?.id)
  if (audience) {
    audience.losses.push(...(await findLosses(tx, from.channel, audience.lost, late.ids)))
    await shiftRecords(tx, begun, audience, late.ids)
  }
  const topicId = await settle(tx, begun, late, target, renames(begun, target, selected) ? newest : undefined)
  return {
    ids: selected.ids,
    mode,
    from,
    to: { channel, topic: { id: topicId, name } },
    isWhole: mode === 'change_all' || selected.ids.length === selected.visible,
    joins: target?.has_messages === true && target.id !== from.topic.id,
    resolving,
    audience,
    policies,
    firsts: await findFirsts(tx, begun),
  }
}

function sumOf(a: Selection, b: Selection): Selection {
  return { ids: [...a.ids, ...b.ids], visible: a.visible + b.visible, all: a.all + b.all, newest: b.newest }
}

/**
 * Moves what came late and makes or renames the topic; returns its id. If meanwhile somebody began a topic of the
 * new name, or said something in the old one that stays behind, those that have gone already follow to where that
 * leads.
 */
async function settle(
  tx: Tx,
  begun: PendingMove,
  late: Selection,
  target: FoundTopic | undefined,
  renamedAt: number | undefined,
): Promise<number> {
  const planned = begun.topicId
  if (renamedAt !== undefined) {
    await shiftMessages(tx, begun, late.ids, undefined)
    await renameTopic(tx, begun, target, renamedAt)
    return begun.from.topic.id
  }
  const topicId = target?.id ?? (await createTopic(tx, begun, planned ?? (await reserveTopic(tx))))
  await shiftMessages(tx, begun, late.ids, topicId)
  if (planned === undefined) await joinTopic(tx, begun, begun.selected.ids, topicId)
  else if (planned !== topicId)
    await sql`update messages set topic_id = ${topicId} where realm_id = ${tx.realmId} and topic_id = ${planned}`.execute(
      tx.db,
    )
  return topicId
}

/** Where the channels begin now, if elsewhere than before. One in which nothing was left may have begun anew. */
async function findFirsts(tx: Tx, begun: PendingMove): Promise<Move['firsts']> {
  const anew = await readChangedFirsts(tx, begun, begun.selected.newest)
  return [begun.from.channel, begun.channel]
    .slice(0, anew.length)
    .map((channel, index) => ({ channel, ...begun.firsts[index]!, anew: anew[index]! }))
    .map(({ channel, before, after, anew }) => ({ channel, before, first: after ?? anew }))
    .filter(({ before, first }) => first !== before)
}
