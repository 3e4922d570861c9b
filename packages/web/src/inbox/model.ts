import { type Narrow, narrows } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'

/** A conversation with unread messages. */
export interface UnreadConversation {
  key: string
  place: { stream_id: number; topic: string } | { user_ids: number[] }
  ids: number[]
  latest: number
  hasMention: boolean
}

export function narrowOf({ place }: Pick<UnreadConversation, 'place'>): Narrow {
  return 'stream_id' in place ? narrows.topic(place.stream_id, place.topic) : narrows.direct(place.user_ids)
}

export type Filter = 'all' | 'mentions' | 'direct' | 'followed'

/** Unread messages by conversation: mentions and direct messages first, then the latest. Muted topics are left out. */
export function unreadConversations(store: Slices<'topics' | 'unread'>, filter: Filter = 'all'): UnreadConversation[] {
  const { conversations, mentions } = store.unread
  const found = [...conversations].map(([key, { place, ids }]) => ({
    key,
    place,
    ids: [...ids],
    latest: ids.values().reduce((most, id) => Math.max(most, id)),
    hasMention: ids.values().some((id) => mentions.has(id)),
  }))
  return found.filter((one) => isShown(store, one, filter)).sort(byImportance)
}

function isShown(store: Slices<'topics'>, { place, hasMention }: UnreadConversation, filter: Filter): boolean {
  if ('stream_id' in place && store.topics.isMuted(place.stream_id, place.topic)) return false
  if (filter === 'mentions') return hasMention
  if (filter === 'direct') return 'user_ids' in place
  if (filter === 'followed') return 'stream_id' in place && store.topics.policyOf(place.stream_id, place.topic) === 3
  return true
}

function byImportance(a: UnreadConversation, b: UnreadConversation): number {
  return rank(b) - rank(a) || b.latest - a.latest
}

function rank({ hasMention, place }: UnreadConversation): number {
  return Number(hasMention) * 2 + Number('user_ids' in place)
}

/** The channel of a conversation. */
export function groupOf({ place }: UnreadConversation): number | 'direct' {
  return 'stream_id' in place ? place.stream_id : 'direct'
}

/** Direct messages, then each channel; the most important conversation of a channel decides where it stands. */
export function groupConversations(
  sorted: readonly UnreadConversation[],
): Map<number | 'direct', UnreadConversation[]> {
  const groups = Map.groupBy(sorted, groupOf)
  const direct = groups.get('direct')
  groups.delete('direct')
  return new Map([...(direct ? ([['direct', direct]] as const) : []), ...groups])
}

type Kind = 'topic' | 'followed' | 'direct'

/** The unread conversation after the open one, in the order of the sidebar; after the last comes the first. */
export function nextUnread(
  store: Slices<'topics' | 'unread'>,
  kind: Kind,
  openKey: string | undefined,
): UnreadConversation | undefined {
  const all = unreadConversations(store, kind === 'topic' ? 'all' : kind)
    .filter(({ place }) => 'user_ids' in place === (kind === 'direct'))
    .sort((a, b) => a.key.localeCompare(b.key))
  const others = all.filter(({ key }) => key !== openKey)
  return others.find(({ key }) => openKey !== undefined && key.localeCompare(openKey) > 0) ?? others[0]
}
