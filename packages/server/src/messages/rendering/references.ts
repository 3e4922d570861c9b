import type { RenderContext } from '@parley/markdown/context'
import { findReferences, type References } from '@parley/markdown/references'
import { type Channel, canReadContent, findVisibleChannel } from '../../channels/access.ts'
import { findCustomEmoji } from '../../emoji/queries.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'
import type { Caller } from '../../users/caller.ts'
import { isVisibleUser } from '../../users/visible-users.ts'
import { accessibleUploads, imagesAmong } from '../model/attachments.ts'
import { topicKey } from '../model/normalize-text.ts'

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

/** The oldest message of each topic, for topic links. Only for channels with shared history, which the author can read. */
async function findTopics(db: Db, author: Caller, { topics }: References, channels: Channel[]) {
  const open = new Map(channels.filter((one) => one.history_public_to_subscribers).map((one) => [one.name, one]))
  const readable = topics.filter(({ channel }) => open.has(channel))
  if (readable.length === 0) return []
  const rows = await many<{ channel_id: number; name_key: string; message_id: number }>(db)`
    select t.channel_id, t.name_key, m.message_id
      from unnest(${readable.map(({ channel }) => open.get(channel)!.id)}::bigint[], ${readable.map(({ topic }) => topicKey(topic))}::text[]) as w(channel_id, name_key)
      join topics t on t.realm_id = ${author.realm_id} and t.channel_id = w.channel_id and t.name_key = w.name_key
      join lateral (select min(id) as message_id from messages where realm_id = ${author.realm_id} and topic_id = t.id) m on m.message_id is not null`
  return readable.flatMap(({ channel, topic }) => {
    const row = rows.find((one) => one.channel_id === open.get(channel)!.id && one.name_key === topicKey(topic))
    return row ? [{ channel, topic, message_id: row.message_id }] : []
  })
}
