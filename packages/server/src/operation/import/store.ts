import { flagBits } from '../../conversations/messages/model/flag-bits.ts'
import { topicKey } from '../../conversations/messages/model/normalize-text.ts'
import { builtInEmoji, type Emoji } from '../../organization/emoji/built-in-emoji.ts'
import { copyRows } from './copy.ts'
import type { Prepared } from './prepare-messages.ts'
import { hashOf, inTransaction, type Run } from './run.ts'

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

/** A message with where it goes. */
interface Placed extends Prepared {
  id: number
  recipientId: number
  channelId: number | null
  topicId: number | null
  senderId: number
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
    const keys = placed.map(({ key, id }) => [run.realm.id, 'message', hashOf(key), id, run.importId])
    await copyRows(run.client, 'import_map', ['realm_id', 'kind', 'key_hash', 'new_id', 'import_id'], keys)
    return placed.map(({ id, recipientId, senderId, message, content }) => ({
      id,
      recipientId,
      senderId,
      at: message.at,
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
    const { rows } = await client.query<{ recipient_id: number }>(
      `with made as (
         insert into direct_conversations (realm_id, user_ids) values ($1, $2) on conflict do nothing returning recipient_id
       ), participants as (
         insert into direct_participants (realm_id, user_id, recipient_id) select $1, u, recipient_id from made, unnest($2::bigint[]) u
       )
       select recipient_id from made union all
       select recipient_id from direct_conversations where realm_id = $1 and user_ids = $2`,
      [realm.id, userIds],
    )
    conversations.set(message.place, Number(rows[0]!.recipient_id))
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

const messageColumns =
  'realm_id id recipient_id channel_id topic_id sender_id date_sent client content rendered_content read_by_sender has_attachment has_image has_link edit_history'.split(
    ' ',
  )

async function copyMessages({ client, realm }: Run, placed: Placed[]): Promise<void> {
  const rows = placed.map(({ id, recipientId, channelId, topicId, senderId, message, content, rendered, files }) => [
    realm.id,
    id,
    recipientId,
    channelId,
    topicId,
    senderId,
    new Date(message.at),
    'import',
    content,
    rendered.html,
    true,
    files.length > 0,
    rendered.hasImage,
    rendered.hasLink,
    message.editedAt === undefined ? null : editHistory(senderId, message.editedAt),
  ])
  await copyRows(client, 'messages', messageColumns, rows)
}

/** Earlier texts are lost. */
function editHistory(user_id: number, at: number): string {
  return JSON.stringify([{ number: 0, user_id, timestamp: Math.floor(at / 1000), is_edit: true }])
}

async function copyReactions(run: Run, placed: Placed[]): Promise<void> {
  const rows = placed.flatMap(({ id, message }) => {
    const distinct = new Map<string, { userId: number; emoji: Emoji; at: number }>()
    for (const { user, emoji: name, at } of message.reactions) {
      const emoji = emojiOf(run, name)
      const userId = run.people.get(user)!.id
      const key = emoji && `${userId} ${emoji.reaction_type} ${emoji.emoji_code}`
      if (emoji && !distinct.has(key!)) distinct.set(key!, { userId, emoji, at })
      else run.plan.count('reactions that are one here')
    }
    return [...distinct.values()].map(({ userId, emoji, at }) => [
      run.realm.id,
      id,
      userId,
      emoji.reaction_type,
      emoji.emoji_code,
      emoji.emoji_name,
      new Date(at),
    ])
  })
  const columns = ['realm_id', 'message_id', 'user_id', 'reaction_type', 'emoji_code', 'emoji_name', 'created_at']
  await copyRows(run.client, 'reactions', columns, rows)
  run.plan.count('reactions written', rows.length)
}

function emojiOf({ emoji, source }: Run, name: string): Emoji | undefined {
  const custom = emoji.get(name)
  if (custom) return { emoji_name: name, emoji_code: String(custom.id), reaction_type: 'realm_emoji' }
  const ours = source.emojiName(name)
  return ours === undefined ? undefined : builtInEmoji(ours)
}

/** Users who left a public channel keep their stars there, as on messages from before a subscription. */
async function copyFlags(run: Run, placed: Placed[]): Promise<void> {
  const rows = placed.flatMap(({ id, message }) =>
    [...new Set(message.starredBy)].flatMap((key) => {
      const person = run.people.get(key)
      const isThere = message.members?.includes(key) ?? run.members.has(`${key} ${message.place}`)
      if (!person || (!isThere && (message.members || run.channels.get(message.place)!.isPrivate))) {
        run.plan.count('stars of people without access')
        return []
      }
      const flags = flagBits.starred | (isThere ? 0 : flagBits.historical | flagBits.read)
      return [[run.realm.id, person.id, id, flags]]
    }),
  )
  await copyRows(run.client, 'message_flags', ['realm_id', 'user_id', 'message_id', 'flags'], rows)
  run.plan.count('stars', rows.length)
}

async function storeFiles({ client, realm, plan }: Run, placed: Placed[]): Promise<void> {
  for (const { id, files, message } of placed)
    for (const { ownerId, name, path_id, content_type, size, width, height } of files) {
      await client.query(
        `with added as (
           insert into attachments (realm_id, owner_id, name, path_id, content_type, size, width, height, is_claimed, create_time)
           values ($1, $2, $3, $4, $5, $6, $7, $8, true, $9) returning id
         ), linked as (
           insert into attachment_messages (realm_id, attachment_id, message_id) select $1, id, $10 from added
         )
         select jobs.add_job('make_thumbnails', payload := json_build_object('realm_id', $1::bigint, 'attachment_id', id),
                             line := 'make_thumbnails import ' || $1::bigint)
           from added where $7::integer is not null`,
        [realm.id, ownerId, name, path_id, content_type, size, width, height, new Date(message.at), id],
      )
      plan.count('files written')
    }
}

/** Followers of a thread follow its topic, if it has one of its own. */
async function followTopics(run: Run, placed: Placed[]): Promise<void> {
  const rows = placed.flatMap(({ message, topicId, isApart }) => {
    if (message.followers.length === 0) return []
    const isOwn = topicId !== null && isApart
    if (!isOwn) run.plan.count('followers of threads without a topic', message.followers.length)
    return isOwn
      ? message.followers.flatMap((key) => (run.people.has(key) ? [[run.people.get(key)!.id, topicId]] : []))
      : []
  })
  if (rows.length === 0) return
  await run.client.query(
    `insert into user_topics (realm_id, user_id, topic_id, visibility_policy)
     select $1, user_id, topic_id, 3 from unnest($2::bigint[], $3::bigint[]) as one(user_id, topic_id) on conflict do nothing`,
    [run.realm.id, rows.map(([user]) => user), rows.map(([, topic]) => topic)],
  )
  run.plan.count('followed topics', rows.length)
}
