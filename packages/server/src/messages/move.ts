import type { PropagateMode } from '@parley/api/editing'
import { sql } from 'kysely'
import type { Channel } from '../channels/access.ts'
import type { Tx } from '../platform/db/transact.ts'
import type { Caller } from '../users/caller.ts'
import type { Change } from './edit-checks.ts'
import type { Editing } from './edit-place.ts'
import { type Entry, topicShare } from './history.ts'
import { findMoveAudience } from './move-audience.ts'
import { lockTopics } from './move-locks.ts'
import { readPolicies } from './move-policies.ts'
import { moveRecords } from './move-records.ts'
import type { Move, Place } from './move-result.ts'
import { checkTimeLimit, countMessages, selectMessages } from './move-selection.ts'
import { topicKey } from './text.ts'

/** Rows changed by one statement, which must end in good time. */
const batchSize = 2000

type Edit = Pick<Entry, 'number' | 'user_id' | 'timestamp'>

/**
 * Moves messages. A whole topic that gets a name of its own is renamed: one row, however many messages it has. What
 * joins another topic, or leaves others behind, is moved message by message.
 */
export async function moveMessages(
  tx: Tx,
  caller: Caller,
  editing: Editing,
  change: Change,
  wanted: PropagateMode,
  edit: Edit,
): Promise<Move> {
  const from = editing.place!
  const channel = change.channel ?? from.channel
  const name = change.topic ?? from.topic.name
  // A topic has one spelling: it changes for all or for none.
  const mode = channel.id === from.channel.id && topicKey(name) === topicKey(from.topic.name) ? 'change_all' : wanted
  await lockTopics(tx, from, channel, name)
  if (mode === 'change_all') await checkTimeLimit(tx, caller, editing, change)
  const { message: newest } = await tx.position()
  const ids = await selectMessages(tx, caller, editing, mode)
  const isAll = mode === 'change_all' && from.channel.history_public_to_subscribers
  const count = isAll ? { all: ids.length, visible: ids.length } : await countMessages(tx, caller, from)
  const target = await findTopic(tx, channel, name)
  const policies = await readPolicies(tx, from.topic.id, target?.id)
  const audience = change.channel && (await findMoveAudience(tx, editing, channel, ids))
  const moving = {
    from,
    channel,
    name,
    ids,
    target,
    newest,
    entry: entryOf(edit, from, channel, name, change.resolving),
  }
  const { topicId, firsts } = await inChannels(tx, moving, () => place(tx, moving, ids.length === count.all))
  return {
    ids,
    mode,
    from,
    to: { channel, topic: { id: topicId, name } },
    isWhole: mode === 'change_all' || ids.length === count.visible,
    joins: target?.has_messages === true && target.id !== from.topic.id,
    resolving: change.resolving,
    audience,
    policies,
    firsts,
  }
}

/** Does what concerns the messages as such; if they change the channel, also what follows for both channels. */
async function inChannels(tx: Tx, { from, channel, ids }: Moving, work: () => Promise<number>) {
  if (channel.id === from.channel.id) return { topicId: await work(), firsts: [] }
  const channels = [from.channel, channel]
  const before = await readFirsts(tx, channels)
  await inBatches(ids, (some) => moveRecords(tx, { from: from.channel, topic: from.topic, to: channel, ids: some }))
  const topicId = await work()
  const after = await readFirsts(tx, channels)
  const firsts = channels.map((one, index) => ({ channel: one, first: after[index]! ?? null }))
  return { topicId, firsts: firsts.filter(({ first }, index) => first !== before[index]) }
}

/** The oldest message of each channel. */
async function readFirsts(tx: Tx, channels: Channel[]): Promise<(number | null)[]> {
  const { rows } = await sql<{ first: number | null }>`
    select (select min(m.id) from messages m where m.realm_id = ${tx.realmId} and m.recipient_id = r.id) as first
      from unnest(${channels.map(({ recipient_id }) => recipient_id)}::bigint[]) with ordinality as r(id, place)
     order by r.place`.execute(tx.db)
  return rows.map(({ first }) => first)
}

/** Gives the messages their new topic and returns its id. */
function place(tx: Tx, moving: Moving, isEverything: boolean): Promise<number> {
  const { from, target } = moving
  const renames = target?.id === from.topic.id || (isEverything && !target?.has_messages)
  return renames ? rename(tx, moving) : join(tx, moving)
}

interface FoundTopic {
  id: number
  has_messages: boolean
}

async function findTopic(tx: Tx, channel: Channel, name: string): Promise<FoundTopic | undefined> {
  const { rows } = await sql<FoundTopic>`
    select t.id, exists (select 1 from messages m where m.realm_id = t.realm_id and m.topic_id = t.id) as has_messages
      from topics t
     where t.realm_id = ${tx.realmId} and t.channel_id = ${channel.id} and t.name_key = ${topicKey(name)}`.execute(
    tx.db,
  )
  return rows[0]
}

function entryOf(
  edit: Edit,
  { channel: old, topic }: Place,
  channel: Channel,
  name: string,
  resolving: boolean,
): Entry {
  return {
    ...edit,
    ...(name !== topic.name && { prev_topic: topic.name, topic: name }),
    ...(channel.id !== old.id && { prev_stream: old.id, stream: channel.id }),
    ...(resolving && { resolving }),
  }
}

interface Moving {
  from: Place
  channel: Channel
  name: string
  ids: number[]
  /** The topic that has the name now. */
  target: FoundTopic | undefined
  /** The newest message there is. */
  newest: number
  entry: Entry
}

async function rename(tx: Tx, { from, channel, name, ids: all, target, newest, entry }: Moving): Promise<number> {
  // One whose messages have all gone makes room.
  if (target && target.id !== from.topic.id)
    await sql`delete from topics where realm_id = ${tx.realmId} and id = ${target.id}`.execute(tx.db)
  await sql`
    update topics set channel_id = ${channel.id}, name = ${name}, name_key = ${topicKey(name)}
     where realm_id = ${tx.realmId} and id = ${from.topic.id}`.execute(tx.db)
  await sql`
    insert into topic_history (realm_id, topic_id, number, up_to_message, entry)
    values (${tx.realmId}, ${from.topic.id}, ${entry.number}, ${newest}, ${JSON.stringify(entry)})`.execute(tx.db)
  if (channel.id !== from.channel.id)
    await inBatches(all, (ids) =>
      sql`
        update messages set channel_id = ${channel.id}, recipient_id = ${channel.recipient_id}
         where realm_id = ${tx.realmId} and id = any(${ids}::bigint[])`.execute(tx.db),
    )
  return from.topic.id
}

/** Messages that leave a topic take their share of its history along. */
async function join(tx: Tx, { channel, name, ids: all, target, entry }: Moving): Promise<number> {
  const topic = target?.id ?? (await createTopic(tx, channel, name))
  await inBatches(all, (ids) =>
    sql`
      update messages m
         set channel_id = ${channel.id}, recipient_id = ${channel.recipient_id}, topic_id = ${topic},
             topic_since = ${entry.number},
             edit_history = coalesce(m.edit_history, '[]') || ${topicShare} || ${JSON.stringify([entry])}::jsonb
       where m.realm_id = ${tx.realmId} and m.id = any(${ids}::bigint[])`.execute(tx.db),
  )
  return topic
}

async function createTopic(tx: Tx, channel: Channel, name: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into topics (realm_id, channel_id, name, name_key)
    values (${tx.realmId}, ${channel.id}, ${name}, ${topicKey(name)}) returning id`.execute(tx.db)
  return rows[0]!.id
}

async function inBatches(ids: number[], work: (ids: number[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < ids.length; start += batchSize) await work(ids.slice(start, start + batchSize))
}
