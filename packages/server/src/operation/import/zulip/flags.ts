import type { Row } from '../rows/row-values.ts'
import type { CopiedMessage } from './message-files.ts'
import type { ImportedPlace } from './message-places.ts'
import type { Periods } from './periods.ts'
import type { ReadPositions } from './read-positions.ts'

/** Bits of `flags_mask`. */
export const masks = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  channelWildcard: 16,
  topicWildcard: 32,
  alertWord: 512,
  historical: 1024,
}

const kept: [mask: number, flag: string][] = [
  [masks.starred, 'starred'],
  [masks.collapsed, 'collapsed'],
  [masks.mentioned, 'mentioned'],
  [masks.topicWildcard, 'topic_wildcard_mentioned'],
  [masks.alertWord, 'has_alert_word'],
]

interface Known {
  periods: Periods
  positions: ReadPositions
}

/** What a user's copy of a message says, as our flags: what was read is an exception from the floor. */
export function flagRows({ row, id, copies }: CopiedMessage, place: ImportedPlace, known: Known): Row[] {
  return copies.flatMap(([user, mask]) => {
    const copy = { user, mask, id, isOwn: row.sender === user }
    const flags = kept.filter(([bit]) => mask & bit).map(([, flag]) => flag)
    flags.push(...receivedFlags(copy, place, known), ...readFlags(copy, place, known))
    return flags.length > 0 ? [{ user_id: user, flags }] : []
  })
}

interface Copy {
  user: number
  mask: number
  id: number
  isOwn: boolean
}

function receivedFlags({ user, mask, id }: Copy, { channel }: ImportedPlace, { periods }: Known): string[] {
  if (channel === undefined) return []
  if (mask & masks.historical) return ['historical']
  if (periods.includes(user, channel, id)) return []
  return mask & masks.channelWildcard ? ['received', 'stream_wildcard_mentioned'] : ['received']
}

function readFlags(
  { user, mask, id, isOwn }: Copy,
  { key, channel }: ImportedPlace,
  { periods, positions }: Known,
): string[] {
  const isRead = (mask & masks.read) !== 0
  const least = channel === undefined ? 0 : periods.since(user, channel)
  if (id <= positions.floor(user, key, least)) return isRead ? [] : ['unread']
  return isRead && !isOwn ? ['read'] : []
}
