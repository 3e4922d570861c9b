import type { Store } from '@parley/client/store'
import { topicKey } from '@parley/client/topics'

/** A conversation with unread messages. */
export interface UnreadConversation {
  key: string
  place: { stream_id: number; topic: string } | { user_ids: number[] }
  ids: number[]
  hasMention: boolean
}

export type Filter = 'all' | 'mentions' | 'direct' | 'followed'

/** Unread messages by conversation: mentions and direct messages first, then the latest. Muted topics are left out. */
export function unreadConversations(store: Store, filter: Filter = 'all'): UnreadConversation[] {
  const found = new Map<string, UnreadConversation>()
  for (const [id, place] of store.unread.places) {
    if ('stream_id' in place && store.topics.isMuted(place.stream_id, place.topic)) continue
    const key = 'stream_id' in place ? topicKey(place.stream_id, place.topic) : `dm ${place.user_ids.join()}`
    const known = found.get(key) ?? { key, place, ids: [], hasMention: false }
    known.ids.push(id)
    known.hasMention ||= store.unread.mentions.has(id)
    found.set(key, known)
  }
  return [...found.values()].filter((one) => isShown(store, one, filter)).sort(byImportance)
}

function isShown(store: Store, { place, hasMention }: UnreadConversation, filter: Filter): boolean {
  if (filter === 'mentions') return hasMention
  if (filter === 'direct') return 'user_ids' in place
  if (filter === 'followed') return 'stream_id' in place && store.topics.policyOf(place.stream_id, place.topic) === 3
  return true
}

function byImportance(a: UnreadConversation, b: UnreadConversation): number {
  return rank(b) - rank(a) || Math.max(...b.ids) - Math.max(...a.ids)
}

function rank({ hasMention, place }: UnreadConversation): number {
  return Number(hasMention) * 2 + Number('user_ids' in place)
}

type Kind = 'topic' | 'followed' | 'direct'

/** The unread conversation after the open one, in the order of the sidebar; after the last comes the first. */
export function nextUnread(store: Store, kind: Kind, openKey: string | undefined): UnreadConversation | undefined {
  const all = unreadConversations(store, kind === 'topic' ? 'all' : kind)
    .filter(({ place }) => 'user_ids' in place === (kind === 'direct'))
    .sort((a, b) => a.key.localeCompare(b.key))
  const others = all.filter(({ key }) => key !== openKey)
  return others.find(({ key }) => openKey !== undefined && key.localeCompare(openKey) > 0) ?? others[0]
}
