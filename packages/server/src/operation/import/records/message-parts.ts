import { pinsPerChannel, textLimits } from '@parley/api/limits'
import { flagBits } from '../../../conversations/messages/model/flag-bits.ts'
import { builtInEmoji, type Emoji } from '../../../organization/emoji/built-in-emoji.ts'
import { copyRows } from '../copy.ts'
import { plainTitle } from '../plain-title.ts'
import { timestampOf } from '../rows/row-values.ts'
import type { Run } from '../run.ts'
import type { Prepared } from './prepare-messages.ts'

/** A message with where it goes. */
export interface Placed extends Prepared {
  id: number
  recipientId: number
  channelId: number | null
  topicId: number | null
  senderId: number
}

const messageColumns =
  'realm_id id recipient_id channel_id topic_id sender_id date_sent client content rendered_content read_by_sender has_attachment has_image has_link edit_history'.split(
    ' ',
  )

export async function copyMessages({ client, realm }: Run, placed: Placed[]): Promise<void> {
  const rows = placed.map(({ id, recipientId, channelId, topicId, senderId, message, content, rendered, files }) => [
    realm.id,
    id,
    recipientId,
    channelId,
    topicId,
    senderId,
    timestampOf(Math.round(message.at * 1000)),
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

export async function copyReactions(run: Run, placed: Placed[]): Promise<void> {
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
export async function copyFlags(run: Run, placed: Placed[]): Promise<void> {
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

/** Pinned messages are at the top of their channel: the newest, if they are more than a channel can have. */
export async function pinMessages({ client, realm, plan }: Run, placed: Placed[]): Promise<void> {
  const pinned = placed.filter(({ message, channelId }) => message.isPinned && channelId !== null)
  if (pinned.length === 0) return
  const rows = pinned.map(({ id, channelId, senderId, content, files }) => [
    realm.id,
    channelId,
    senderId,
    id,
    plainTitle(content) || (files[0]?.name ?? '…').slice(0, textLimits.pinTitle),
  ])
  await copyRows(client, 'channel_pins', ['realm_id', 'channel_id', 'user_id', 'message_id', 'title'], rows)
  const { rowCount } = await client.query(
    `delete from channel_pins where realm_id = $1 and id in (
       select id from (select id, row_number() over (partition by channel_id order by id desc) as place
                         from channel_pins where realm_id = $1 and channel_id = any($2::bigint[])) newest
        where place > $3)`,
    [realm.id, pinned.map(({ channelId }) => channelId), pinsPerChannel],
  )
  plan.count('pins', pinned.length - rowCount!)
}

export async function storeFiles({ client, realm, plan }: Run, placed: Placed[]): Promise<void> {
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
export async function followTopics(run: Run, placed: Placed[]): Promise<void> {
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
