import type { MessageFlag, MessageObject } from '@parley/api/messages'
import { topicLinks } from '@parley/markdown/topic-links'
import { sql } from 'kysely'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { mapYielding } from '../../platform/event-loop.ts'
import type { Caller } from '../../users/caller.ts'
import { type Author, readAuthors } from '../model/authors.ts'
import { changesOf, type Entry, recentHistoryColumn } from '../model/edit-history.ts'
import { flagBits, storedFlags, withLegacyFlags } from '../model/flag-bits.ts'
import { mePrefix, shownTopic } from '../model/normalize-text.ts'
import { shownEmoji } from '../model/reaction-types.ts'
import { conversationsJoin, isUnread, isWildcardMention, personalJoins, received } from '../model/read-state.ts'
import type { Renderer } from '../rendering/renderer.ts'
import type { Search } from './search.ts'
import { escapeHtml, type Marker, markFound } from './search-highlights.ts'

/** The message format that the client requested. */
export interface Form {
  apply_markdown: boolean
  client_gravatar: boolean
  allow_empty_topic_name: boolean
  is_zulip_client: boolean
}

/** The search that found the messages, and the renderer that highlights its words in them. */
export interface FoundBy {
  search: Search
  renderer: Renderer
}

interface MessageRow {
  id: number
  recipient_id: number
  channel_id: number | null
  channel_name: string | null
  topic: string | null
  user_ids: number[] | null
  sender_id: number
  timestamp: number
  client: string
  /** In the format that the client requested. */
  content: string
  is_me_message: boolean
  /** Of messages found by a search, unless the client requested it as content. */
  rendered_content: string | null
  history: Entry[] | null
  reactions: MessageObject['reactions'] | null
  submessages: MessageObject['submessages'] | null
  flags: number
  is_received: boolean
  is_unread: boolean
  mentions_everybody: boolean
}

/** The messages in the client's format, ascending by id. Does not check access: the ids must be accessible. */
export async function messageObjects(
  db: Db,
  caller: Caller,
  ids: number[],
  form: Form,
  found?: FoundBy,
): Promise<MessageObject[]> {
  if (ids.length === 0) return []
  const rows = await readRows(db, caller, ids, form, found)
  const authors = await readAuthors(db, caller, userIdsIn(rows), form.client_gravatar)
  const objects = await mapYielding(rows, (row) => messageObject(caller, row, authors, form))
  return found ? withMatches(db, caller, found, rows, objects) : objects
}

/** Aggregating is expensive even where there is nothing to aggregate, so it is skipped for most messages. */
const reactionsColumn: Fragment = sql`
  case when exists (select 1 from reactions where realm_id = m.realm_id and message_id = m.id) then (
    select json_agg(json_build_object('emoji_name', emoji_name, 'emoji_code', emoji_code,
                                      'reaction_type', reaction_type, 'user_id', user_id) order by created_at, user_id)
      from reactions where realm_id = m.realm_id and message_id = m.id) end`

const submessagesColumn: Fragment = sql`
  case when exists (select 1 from submessages where realm_id = m.realm_id and message_id = m.id) then (
    select json_agg(json_build_object('id', id, 'message_id', message_id, 'sender_id', sender_id,
                                      'msg_type', msg_type, 'content', content) order by id)
      from submessages where realm_id = m.realm_id and message_id = m.id) end`

async function readRows(
  db: Db,
  caller: Caller,
  ids: number[],
  { apply_markdown }: Form,
  found: FoundBy | undefined,
): Promise<MessageRow[]> {
  return many<MessageRow>(db)`
    select m.id, m.recipient_id, m.channel_id, c.name as channel_name, t.name as topic, g.user_ids, m.sender_id,
           floor(extract(epoch from m.date_sent))::bigint as timestamp, m.client,
           ${sql.ref(apply_markdown ? 'm.rendered_content' : 'm.content')} as content,
           starts_with(m.content, ${sql.lit(mePrefix)}) as is_me_message,
           ${found && !apply_markdown ? sql.ref('m.rendered_content') : sql`null`} as rendered_content,
           ${recentHistoryColumn} as history,
           ${reactionsColumn} as reactions, ${submessagesColumn} as submessages, coalesce(f.flags, 0) as flags,
           ${received(caller)} as is_received, ${isUnread(caller)} as is_unread,
           ${isWildcardMention(caller)} as mentions_everybody
      from messages m
      left join channels c on c.realm_id = m.realm_id and c.id = m.channel_id
      left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      left join direct_conversations g on g.realm_id = m.realm_id and g.recipient_id = m.recipient_id
      ${conversationsJoin(caller)} ${personalJoins(caller)}
     where m.realm_id = ${caller.realm_id} and m.id = any(${ids}::bigint[])
     order by m.id`
}

function userIdsIn(rows: MessageRow[]): number[] {
  return [...new Set(rows.flatMap(({ sender_id, user_ids }) => [sender_id, ...(user_ids ?? [])]))]
}

function messageObject({ realm }: Caller, row: MessageRow, authors: Map<number, Author>, form: Form): MessageObject {
  const sender = authors.get(row.sender_id)!
  return {
    id: row.id,
    sender_id: sender.id,
    sender_email: sender.email,
    sender_full_name: sender.full_name,
    sender_realm_str: realm.string_id,
    avatar_url: sender.avatar_url,
    client: row.client,
    content: row.content,
    content_type: form.apply_markdown ? 'text/html' : 'text/x-markdown',
    recipient_id: row.recipient_id,
    ...placeOf(row, authors, form),
    topic_links: row.topic === null ? [] : topicLinks(row.topic, realm.linkifiers),
    is_me_message: row.is_me_message,
    timestamp: row.timestamp,
    reactions: row.reactions?.map((reaction) => shownEmoji(reaction, form.is_zulip_client)) ?? [],
    submessages: row.submessages ?? [],
    flags: flagsOf(row),
    ...(row.history && changesOf(realm, row.history, form.allow_empty_topic_name)),
  }
}

function placeOf(row: MessageRow, authors: Map<number, Author>, { allow_empty_topic_name }: Form) {
  if (row.channel_id === null) {
    const display_recipient = row.user_ids!.map((id) => {
      const { avatar_url: _, ...person } = authors.get(id)!
      return { ...person, is_mirror_dummy: false }
    })
    return { type: 'private' as const, display_recipient, subject: '' }
  }
  return {
    type: 'stream' as const,
    display_recipient: row.channel_name!,
    stream_id: row.channel_id,
    subject: shownTopic(row.topic!, allow_empty_topic_name),
  }
}

/** Public history that the caller did not receive counts as read. */
export function flagsOf({
  is_received,
  is_unread,
  mentions_everybody,
  flags,
}: Pick<MessageRow, 'is_received' | 'is_unread' | 'mentions_everybody' | 'flags'>): MessageFlag[] {
  if (!is_received) return ['read', 'historical']
  return withLegacyFlags([
    ...(is_unread ? [] : ['read']),
    ...storedFlags.filter((name) => (flags & flagBits[name]) !== 0),
    ...(mentions_everybody ? ['stream_wildcard_mentioned'] : []),
  ])
}

/** Adds the highlighted content and topic. The content is always HTML here, even if the client requested Markdown. */
async function withMatches(
  db: Db,
  caller: Caller,
  { search, renderer }: FoundBy,
  rows: MessageRow[],
  objects: MessageObject[],
): Promise<MessageObject[]> {
  const marker: Marker = {
    words: (texts) => renderer.words(caller, texts),
    mark: (texts, found) => renderer.mark(caller, texts, found),
  }
  const marked = await markFound(db, marker, search.marks, [
    ...rows.map(({ rendered_content, content }) => rendered_content ?? content),
    ...objects.map(({ subject }) => escapeHtml(subject)),
  ])
  return objects.map((object, index) => ({
    ...object,
    match_content: marked[index]!,
    match_subject: marked[objects.length + index]!,
  }))
}
