import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { column, maybeOne, one } from '../../../platform/db/query.ts'
import type { Channel } from '../../channels/access.ts'
import type { Topic } from '../edit/lock-for-edit.ts'
import { type Entry, topicShare } from '../model/edit-history.ts'
import { topicKey } from '../model/normalize-text.ts'
import { topicOfMessage } from '../model/topic-spelling.ts'
import type { MoveAudience } from './move-audience.ts'
import { moveRecords } from './move-records.ts'
import type { TopicInChannel } from './move-result.ts'

/** The number of messages per statement, limited so that no statement times out. */
const batchSize = 2000

/** Source and target of a move, and its entry in the edit history. */
export interface MovePlan {
  from: TopicInChannel
  channel: Channel
  name: string
  entry: Entry
}

/** Moves messages to a topic. If it is undefined, they keep their topic, which finishMove renames. */
export async function shiftMessages(tx: Tx, plan: MovePlan, ids: number[], topic: Topic | undefined): Promise<void> {
  const { from, channel } = plan
  if (topic !== undefined) await joinTopic(tx, plan, ids, topic)
  else if (channel.id !== from.channel.id) await inBatches(ids, (batch) => changeChannel(tx, channel, batch))
}

/** Updates the flags of all users for messages that move to another channel. */
export async function shiftRecords(tx: Tx, plan: MovePlan, { lost }: MoveAudience, ids: number[]): Promise<void> {
  const { from, channel: to } = plan
  await inBatches(ids, (batch) => moveRecords(tx, { from: from.channel, to, lost, ids: batch }))
}

/**
 * Moves messages to another topic, or changes how some messages of a topic spell it. They take their part of the old
 * topic's history along, and keep their spelling if only the channel changes.
 */
export async function joinTopic(tx: Tx, { channel, entry }: MovePlan, ids: number[], topic: Topic): Promise<void> {
  const spelling =
    entry.topic === undefined
      ? sql`(select ${topicOfMessage} from topics t where t.realm_id = m.realm_id and t.id = m.topic_id)`
      : sql`${entry.topic}::text`
  await inBatches(ids, (batch) =>
    sql`
      update messages m
         set channel_id = ${channel.id}, recipient_id = ${channel.recipient_id}, topic_id = ${topic.id},
             topic_spelling = nullif(${spelling}, ${topic.name}), topic_since = ${entry.number},
             edit_history = coalesce(m.edit_history, '[]') || ${topicShare} || ${JSON.stringify([entry])}::jsonb
       where m.realm_id = ${tx.realmId} and m.id = any(${batch}::bigint[])`.execute(tx.db),
  )
}

async function changeChannel(tx: Tx, { id, recipient_id }: Channel, ids: number[]): Promise<void> {
  const moved = matches({ realm_id: tx.realmId, id: ids })
  await tx.db.updateTable('messages').set({ channel_id: id, recipient_id }).where(moved).execute()
}

async function inBatches(ids: number[], work: (ids: number[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < ids.length; start += batchSize) await work(ids.slice(start, start + batchSize))
}

export interface FoundTopic extends Topic {
  has_messages: boolean
}

export async function findTopic(tx: Tx, channel: Channel, name: string): Promise<FoundTopic | undefined> {
  return maybeOne<FoundTopic>(tx.db)`
    select t.id, t.name, exists (select 1 from messages m where m.realm_id = t.realm_id and m.topic_id = t.id) as has_messages
      from topics t
     where t.realm_id = ${tx.realmId} and t.channel_id = ${channel.id} and t.name_key = ${topicKey(name)}`
}

/** Reserves an id, so that messages can move before createTopic inserts the topic's row. */
export async function reserveTopic(tx: Tx, { name }: MovePlan): Promise<Topic> {
  const { id } = await one<{ id: number }>(tx.db)`
    select nextval(pg_get_serial_sequence('topics', 'id')) as id`
  return { id, name }
}

/** Call it with the realm's counter locked. */
export async function createTopic(tx: Tx, { channel }: MovePlan, { id, name }: Topic): Promise<void> {
  await sql`
    insert into topics (id, realm_id, channel_id, name, name_key) overriding system value
    values (${id}, ${tx.realmId}, ${channel.id}, ${name}, ${topicKey(name)})`.execute(tx.db)
}

/** Moves messages on that were moved to a topic which was never created: another user created one with that name. */
export async function joinCreated(tx: Tx, planned: Topic, created: Topic): Promise<void> {
  await sql`
    update messages set topic_id = ${created.id},
           topic_spelling = nullif(coalesce(topic_spelling, ${planned.name}), ${created.name})
     where realm_id = ${tx.realmId} and topic_id = ${planned.id}`.execute(tx.db)
}

/** Call it with the realm's counter locked. `newest` is the id of the realm's newest message. */
export async function renameTopic(
  tx: Tx,
  { from: { topic }, channel, name, entry }: MovePlan,
  target: FoundTopic | undefined,
  newest: number,
): Promise<void> {
  // The target topic has no messages left: delete it to free its name.
  if (target && target.id !== topic.id)
    await tx.db.deleteFrom('topics').where('realm_id', '=', tx.realmId).where('id', '=', target.id).execute()
  await tx.db
    .updateTable('topics')
    .set({ channel_id: channel.id, ...(entry.topic !== undefined && { name, name_key: topicKey(name) }) })
    .where(matches({ realm_id: tx.realmId, id: topic.id }))
    .execute()
  const history = { topic_id: topic.id, number: entry.number, up_to_message: newest, entry: JSON.stringify(entry) }
  const row = { realm_id: tx.realmId, ...history }
  await tx.db.insertInto('topic_history').values(row).execute()
}

/** The id of the oldest message of each channel, among those with an id greater than `after`. */
export async function readFirsts(tx: Tx, channels: Channel[], after = 0): Promise<(number | null)[]> {
  return column<number | null>(tx.db)`
    select (select min(m.id) from messages m
             where m.realm_id = ${tx.realmId} and m.recipient_id = r.id and m.id > ${after}) as first
      from unnest(${channels.map(({ recipient_id }) => recipient_id)}::bigint[]) with ordinality as r(id, place)
     order by r.place`
}
