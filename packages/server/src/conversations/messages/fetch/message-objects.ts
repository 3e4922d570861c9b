import type { MessageFlag, MessageObject } from '@parley/api/conversations/messages'
import { topicLinks } from '@parley/markdown/references/topic-links'
import type { Caller } from '../../../callers/caller.ts'
import { shownEmoji } from '../../../organization/emoji/reaction-types.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { mapYielding } from '../../../platform/event-loop.ts'
import { type Author, readAuthors } from '../model/authors.ts'
import { changesOf, limitHistories } from '../model/edit-history.ts'
import { flagBits, storedFlags, withLegacyFlags } from '../model/flag-bits.ts'
import { shownTopic } from '../model/normalize-text.ts'
import { shownSubmessages } from '../model/shown-widgets.ts'
import type { Renderer } from '../rendering/renderer.ts'
import { type MessageRow, readMessageRows, type Selection } from './page-rows.ts'
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

/** The messages in the client's format, ascending by id. Does not check access: the messages must be accessible. */
export async function messageObjects(
  db: Db,
  caller: Caller,
  ids: Selection,
  form: Form,
  found?: FoundBy,
): Promise<MessageObject[]> {
  if (Array.isArray(ids) && ids.length === 0) return []
  const texts = { asHtml: form.apply_markdown, highlights: found !== undefined }
  const rows = limitHistories(await readMessageRows(db, caller, ids, texts))
  const authors = await readAuthors(db, caller, userIdsIn(rows), form.client_gravatar)
  const objects = await mapYielding(rows, (row) => messageObject(caller, row, authors, form))
  return found ? withMatches(db, caller, found, rows, objects) : objects
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
    ...conversationFields(row, authors, form),
    topic_links: row.topic === null ? [] : topicLinks(row.topic, realm.linkifiers),
    is_me_message: row.is_me_message,
    timestamp: row.timestamp,
    reactions: row.reactions?.map((reaction) => shownEmoji(reaction, form.is_zulip_client)) ?? [],
    submessages: shownSubmessages(row.submessages ?? [], form.is_zulip_client),
    flags: flagsOf(row),
    ...(row.history && changesOf(realm, row.history, form.allow_empty_topic_name)),
  }
}

function conversationFields(row: MessageRow, authors: Map<number, Author>, { allow_empty_topic_name }: Form) {
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
