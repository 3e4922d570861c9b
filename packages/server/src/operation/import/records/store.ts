import { topicKey } from '../../../conversations/messages/model/normalize-text.ts'
import { copyRows } from '../copy.ts'
import { ensureConversation } from '../ensure-conversation.ts'
import { hashOf, inTransaction, type Run } from '../run.ts'
import {
  copyFlags,
  copyMessages,
  copyReactions,
  followTopics,
  type Placed,
  pinMessages,
  storeFiles,
} from './message-parts.ts'
import type { Prepared } from './prepare-messages.ts'

/** What was written, to be compared with what the database has in the end. */
export interface Stored {
  id: number
  recipientId: number
  senderId: number
  at: number
  content: string
}

/** Topics and conversations that exist, by place. */
export class Destinations {
  readonly topics = new Map<string, number>()
  readonly conversations = new Map<string, number>()
}

/**
 * Stores messages with everything that belongs to them in one transaction: a killed import leaves all of a batch or nothing.
 * `topicOf` is the topic of a thread that an earlier import has begun.
 */
export function storeMessages(
  run: Run,
  destinations: Destinations,
  batch: Prepared[],
  topicOf: (prepared: Prepared) => number | undefined,
): Promise<Stored[]> {
  return inTransaction(run, async () => {
    await ensureConversations(run, destinations, batch)
    await ensureTopics(run, destinations, batch)
    const first = await reserveIds(run, batch.length)
    const placed = batch.map((one, index) => place(run, destinations, one, first + index, topicOf(one)))
    await copyMessages(run, placed)
    await copyReactions(run, placed)
    await copyFlags(run, placed)
    await storeFiles(run, placed)
    await followTopics(run, placed)
    await pinMessages(run, placed)
    const keys = placed.map(({ key, id }) => [run.realm.id, 'message', hashOf(key), id, run.importId])
    await copyRows(run.client, 'import_map', ['realm_id', 'kind', 'key_hash', 'new_id', 'import_id'], keys)
    return placed.map(({ id, recipientId, senderId, message, content }) => ({
      id,
      recipientId,
      senderId,
      at: Math.floor(message.at),
      content,
    }))
  })
}

/** The organization is closed, so nobody else takes ids. */
async function reserveIds({ client, realm }: Run, count: number): Promise<number> {
  const { rows } = await client.query<{ last_message: number }>(
    'update realm_counters set last_message = last_message + $2 where realm_id = $1 returning last_message',
    [realm.id, count],
  )
  return Number(rows[0]!.last_message) - count + 1
}

function place(
  run: Run,
  destinations: Destinations,
  one: Prepared,
  id: number,
  knownTopic: number | undefined,
): Placed {
  const { message, topic } = one
  const senderId = run.people.get(message.sender)!.id
  const channel = run.channels.get(message.place)
  if (!channel)
    return {
      ...one,
      id,
      senderId,
      channelId: null,
      topicId: null,
      recipientId: destinations.conversations.get(message.place)!,
    }
  const topicId = knownTopic ?? destinations.topics.get(`${channel.id} ${topicKey(topic!)}`)!
  return { ...one, id, senderId, channelId: channel.id, topicId, recipientId: channel.recipientId }
}

async function ensureConversations(run: Run, { conversations }: Destinations, batch: Prepared[]): Promise<void> {
  const { client, realm, people } = run
  for (const { message } of batch) {
    if (!message.members || conversations.has(message.place)) continue
    const userIds = [...new Set(message.members.map((key) => people.get(key)!.id))].sort((a, b) => a - b)
    conversations.set(message.place, await ensureConversation(client, realm.id, userIds))
  }
}

async function ensureTopics(
  { client, realm, channels }: Run,
  { topics }: Destinations,
  batch: Prepared[],
): Promise<void> {
  const wanted = new Map<string, { channelId: number; name: string }>()
  for (const { message, topic } of batch) {
    const channel = channels.get(message.place)
    const key = channel && `${channel.id} ${topicKey(topic!)}`
    if (key !== undefined && !topics.has(key)) wanted.set(key, { channelId: channel!.id, name: topic! })
  }
  if (wanted.size === 0) return
  const list = [...wanted.values()]
  const values = [
    realm.id,
    list.map((one) => one.channelId),
    list.map(({ name }) => name),
    list.map(({ name }) => topicKey(name)),
  ]
  const rows = 'unnest($2::bigint[], $3::text[], $4::text[]) as one(channel_id, name, name_key)'
  await client.query(
    `insert into topics (realm_id, channel_id, name, name_key) select $1, channel_id, name, name_key from ${rows} on conflict do nothing`,
    values,
  )
  const found = await client.query<{ id: number; channel_id: number; name_key: string }>(
    `select t.id, t.channel_id, t.name_key from ${rows}
       join topics t on t.realm_id = $1 and t.channel_id = one.channel_id and t.name_key = one.name_key`,
    values,
  )
  for (const { id, channel_id, name_key } of found.rows) topics.set(`${channel_id} ${name_key}`, Number(id))
}
