import type { ListedConversation } from '@parley/client/messages/conversation-list'
import { type Narrow, narrows, othersOf } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'
import { placeKey } from '@parley/client/store/unread'
import { topicName } from '../channels/topic-name.ts'
import { namesOf } from '../people/presence.ts'
import { plainText, speaker } from '../rendered/plain-text.ts'

/** A line of the list, with everything it shows. */
export interface RecentRow {
  key: string
  narrow: Narrow
  title: string
  channel: { name: string; color: string | undefined; isPrivate: boolean } | undefined
  participants: number[]
  /** As it stands before the text. */
  speaker: string
  text: string
  timestamp: number
  unread: number
  hasMention: boolean
  isMuted: boolean
  isFollowed: boolean
  isResolved: boolean
}

interface Unread {
  count: number
  hasMention: boolean
}

/** Unread messages by the key of their conversation. */
function unreadByKey({ unread: { conversations, mentions, places } }: Slices<'unread'>): Map<string, Unread> {
  // Of mentions that are not known to be unread, the conversation is unknown.
  const mentioning = new Set([...mentions].map((id) => places.get(id)).map((place) => place && placeKey(place)))
  const entries = [...conversations].map(([key, { ids }]): [string, Unread] => [
    key,
    { count: ids.size, hasMention: mentioning.has(key) },
  ])
  return new Map(entries)
}

/** The lines that match the typed text. Direct conversations in which everyone else is muted are left out. */
export function recentRows(
  store: Slices<'channels' | 'mutedUsers' | 'topics' | 'unread' | 'users'>,
  entries: readonly ListedConversation[],
  viewerId: number,
  query: string,
): RecentRow[] {
  const unread = unreadByKey(store)
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .filter((entry) => !isHidden(store, entry, viewerId))
    .map((entry) => rowOf(store, entry, viewerId, unread.get(entry.key)))
    .filter(({ title, channel, speaker: sender }) => {
      const text = `${title} ${channel?.name ?? ''} ${sender}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
}

function isHidden(store: Slices<'mutedUsers'>, { last }: ListedConversation, viewerId: number): boolean {
  return last.type === 'private' && othersOf(last, viewerId).every((id) => store.mutedUsers.has(id))
}

function rowOf(
  store: Slices<'channels' | 'topics' | 'unread' | 'users'>,
  entry: ListedConversation,
  viewerId: number,
  unread: Unread | undefined,
): RecentRow {
  const { key, last, participants } = entry
  // Of users with very many unread messages, the store has only the newest.
  const count = unread?.count ?? (store.unread.isIncomplete ? entry.unreadCount : 0)
  const shared = {
    key,
    participants,
    timestamp: last.timestamp,
    speaker: speaker(last.sender_full_name, last.content),
    text: plainText(last.content),
    unread: count,
    hasMention: unread?.hasMention ?? false,
  }
  return { ...shared, ...(last.type === 'stream' ? topicParts(store, last) : directParts(store, last, viewerId)) }
}

type Parts = Pick<RecentRow, 'narrow' | 'title' | 'channel' | 'isMuted' | 'isFollowed' | 'isResolved'>

function topicParts(store: Slices<'channels' | 'topics'>, last: ListedConversation['last']): Parts {
  const { stream_id = 0, subject, display_recipient } = last
  const channel = store.channels.subscribed.get(stream_id)
  return {
    narrow: narrows.topic(stream_id, subject),
    title: topicName(subject),
    channel: {
      name: channel?.name ?? String(display_recipient),
      color: channel?.color,
      isPrivate: channel?.invite_only ?? false,
    },
    isMuted: store.topics.isMuted(stream_id, subject),
    isFollowed: store.topics.policyOf(stream_id, subject) === 3,
    isResolved: subject.startsWith('✔ '),
  }
}

function directParts(store: Slices<'users'>, last: ListedConversation['last'], viewerId: number): Parts {
  const others = othersOf(last, viewerId)
  return {
    narrow: narrows.direct(others),
    title: namesOf(store, others),
    channel: undefined,
    isMuted: false,
    isFollowed: false,
    isResolved: false,
  }
}
