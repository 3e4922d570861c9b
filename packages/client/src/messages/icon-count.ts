import type { Store } from '../store/store.ts'
import type { ConversationRef } from '../store/unread.ts'

const followed = 3
const iconCounts = { all: 1, personalAndFollowed: 2, personal: 3, none: 4 } as const

/** The number in the window's title and on the app's icon, as the viewer chose it. */
export function iconCount({ preferences, unread, topics }: Pick<Store, 'preferences' | 'unread' | 'topics'>): number {
  const choice = preferences.get('desktop_icon_count_display')
  if (choice === iconCounts.none) return 0
  if (choice !== iconCounts.personal && choice !== iconCounts.personalAndFollowed) return unread.count
  const countsWhole = (place: ConversationRef) =>
    !('stream_id' in place) ||
    (choice === iconCounts.personalAndFollowed && topics.policyOf(place.stream_id, place.topic) === followed)
  let count = 0
  for (const { place, ids } of unread.conversations.values()) if (countsWhole(place)) count += ids.size
  for (const id of unread.mentions) {
    const place = unread.places.get(id)
    if (place && !countsWhole(place)) count++
  }
  return count
}
