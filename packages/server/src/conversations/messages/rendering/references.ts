import type { RenderContext } from '@parley/markdown/context'
import { findReferences, type References } from '@parley/markdown/references/references'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { findCustomEmoji } from '../../../organization/emoji/queries.ts'
import { isVisibleUser } from '../../../people/users/visibility/visible-users.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many, one } from '../../../platform/db/query.ts'
import { type Channel, canReadContent, findVisibleChannel } from '../../channels/access.ts'
import { accessibleUploads, imagesAmong } from '../model/attachments.ts'
import { topicKey } from '../model/normalize-text.ts'
import { sentDuringPeriod } from '../model/received.ts'

/**
 * Looks up what a text refers to, limited to what its author may see. Texts without references, which are most, cost no
 * query. Links to the realm's own URL become relative.
 */
export function resolveReferences(
  db: Db,
  author: Caller,
  content: string,
  realmUrl?: string,
): RenderContext | Promise<RenderContext> {
  const references = findReferences(content)
  const options: RenderContext = {
    linkifiers: author.realm.linkifiers,
    translateEmoticons: author.settings.translate_emoticons === true,
    defaultCodeLanguage: author.realm.settings.default_code_block_language,
    previews: author.realm.settings.inline_image_preview,
    ...(realmUrl !== undefined && { realmUrl }),
  }
  return references ? findReferred(db, author, references, options) : options
}

async function findReferred(
  db: Db,
  author: Caller,
  references: References,
  options: RenderContext,
): Promise<RenderContext> {
  const [mentionable, channels, customEmoji, uploads] = await Promise.all([
    findMentionable(db, author, references),
    findChannels(db, author, references.channelNames),
    findCustomEmoji(db, author.realm_id, references.emojiNames),
    accessibleUploads(db, author, references.uploads),
  ])
  return {
    ...options,
    ...mentionable,
    channels: channels.map(({ id, name }) => ({ id, name })),
    customEmoji,
    images: imagesAmong(uploads),
    topics: await findTopics(db, author, references, channels),
  }
}

async function findMentionable(db: Db, author: Caller, { userNames, userIds, groupNames }: References) {
  if (userNames.length + userIds.length + groupNames.length === 0) return { users: [], groups: [] }
  return one<Required<Pick<RenderContext, 'users' | 'groups'>>>(db)`
    select (select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'full_name', u.full_name, 'is_active', u.is_active) order by u.is_active desc, u.id), '[]')
              from users u where u.realm_id = ${author.realm_id} and ${isVisibleUser(author)}
               and (u.id = any(${userIds}::bigint[]) or lower(u.full_name) = any(${userNames.map((name) => name.toLowerCase())}::text[]))) as users,
           (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'deactivated', deactivated)), '[]')
              from user_groups where realm_id = ${author.realm_id} and name is not null
               and lower(name) = any(${groupNames.map((name) => name.toLowerCase())}::text[])) as groups`
}

async function findChannels(db: Db, author: Caller, names: string[]): Promise<Channel[]> {
  const found = await Promise.all(names.map((name) => findVisibleChannel(db, author, name)))
  const readable: Channel[] = []
  for (const channel of found) if (channel && (await canReadContent(db, author, channel))) readable.push(channel)
  return readable
}

/** The oldest message of each topic that the author can read, for topic links. */
async function findTopics(db: Db, author: Caller, { topics }: References, channels: Channel[]) {
  const known = new Map(channels.map((one) => [one.name, one]))
  const readable = topics.filter(({ channel }) => known.has(channel))
  if (readable.length === 0) return []
  const rows = await many<{ channel_id: number; name_key: string; message_id: number }>(db)`
    select t.channel_id, t.name_key, m.message_id
      from unnest(${readable.map(({ channel }) => known.get(channel)!.id)}::bigint[], ${readable.map(({ topic }) => topicKey(topic))}::text[]) as w(channel_id, name_key)
      join channels c on c.realm_id = ${author.realm_id} and c.id = w.channel_id
      join topics t on t.realm_id = c.realm_id and t.channel_id = c.id and t.name_key = w.name_key
      join lateral (select case when c.history_public_to_subscribers then (${oldestMessage})
                                else (${oldestReceived(author)}) end as message_id) m on m.message_id is not null`
  return readable.flatMap(({ channel, topic }) => {
    const row = rows.find((one) => one.channel_id === known.get(channel)!.id && one.name_key === topicKey(topic))
    return row ? [{ channel, topic, message_id: row.message_id }] : []
  })
}

const oldestMessage = sql`select min(m.id) from messages m where m.realm_id = t.realm_id and m.topic_id = t.id`

/** With protected history: the oldest message of topic `t` that the user received. */
function oldestReceived({ id, realm_id }: Caller): Fragment {
  return sql`
    select least(
      (select min(first.id) from subscription_periods p,
              lateral (select m.id from messages m where m.realm_id = ${realm_id} and m.topic_id = t.id and ${sentDuringPeriod}
                        order by m.id limit 1) first
        where p.realm_id = ${realm_id} and p.user_id = ${id} and p.channel_id = c.id),
      (select min(m.id) from messages m join message_flags f on f.realm_id = m.realm_id and f.message_id = m.id
        where m.realm_id = ${realm_id} and m.topic_id = t.id and f.user_id = ${id}))`
}
