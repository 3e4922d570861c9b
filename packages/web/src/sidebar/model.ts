import type { Store } from '@parley/client/store'
import { placeKey } from '@parley/client/unread'
import { t } from '../platform/i18n.ts'

export interface TopicEntry {
  topic: string
  unread: number
  hasMention: boolean
}

export interface ChannelEntry {
  id: number
  name: string
  color: string
  isPrivate: boolean
  isMuted: boolean
  isPinned: boolean
  folderId: number | null
  unread: number
  hasMention: boolean
  topics: TopicEntry[]
}

export interface DirectEntry {
  userIds: number[]
  unread: number
  latest: number
}

/** Unread messages of the sidebar: per channel and topic, and per direct conversation. */
export function unreadCounts({ unread }: Store) {
  const topics = new Map<number, Map<string, TopicEntry>>()
  const direct = new Map<string, number>()
  const mentioning = new Set([...unread.mentions].map((id) => unread.places.get(id)).map((one) => one && placeKey(one)))
  for (const [key, { place, ids }] of unread.conversations) {
    if ('user_ids' in place) {
      direct.set(place.user_ids.join(), ids.size)
      continue
    }
    const ofChannel = topics.get(place.stream_id) ?? new Map<string, TopicEntry>()
    topics.set(place.stream_id, ofChannel)
    ofChannel.set(key, { topic: place.topic, unread: ids.size, hasMention: mentioning.has(key) })
  }
  return { topics, direct }
}

/** The channels the viewer is subscribed to: pinned first, muted last, otherwise by name. */
export function channelEntries(store: Store): ChannelEntry[] {
  const { topics } = unreadCounts(store)
  const entries = [...store.channels.subscribed.values()].map((channel) => {
    const unreadTopics = [...(topics.get(channel.stream_id)?.values() ?? [])]
    const counted = unreadTopics.filter(({ topic }) => !store.topics.isMuted(channel.stream_id, topic))
    return {
      id: channel.stream_id,
      name: channel.name,
      color: channel.color,
      isPrivate: channel.invite_only,
      isMuted: channel.is_muted,
      isPinned: channel.pin_to_top,
      folderId: channel.folder_id,
      unread: counted.reduce((sum, { unread }) => sum + unread, 0),
      hasMention: unreadTopics.some(({ hasMention }) => hasMention),
      topics: unreadTopics,
    }
  })
  return entries.sort(
    (a, b) =>
      Number(b.isPinned) - Number(a.isPinned) || Number(a.isMuted) - Number(b.isMuted) || a.name.localeCompare(b.name),
  )
}

export interface ChannelSection {
  name: string
  channels: ChannelEntry[]
}

/** Pinned channels, then the folders in their order, then the rest. Sections without channels are left out. */
export function channelSections(store: Store): ChannelSection[] {
  const entries = channelEntries(store)
  const folders = store.folders.snapshot().channel_folders.filter(({ is_archived }) => !is_archived)
  const folderOf = ({ isPinned, folderId }: ChannelEntry) =>
    isPinned ? 'pinned' : folders.some(({ id }) => id === folderId) ? folderId : 'other'
  const channels = Map.groupBy(entries, folderOf)
  const hasOthers = folders.some(({ id }) => channels.has(id))
  return [
    { name: t('sidebar.pinned'), channels: channels.get('pinned') ?? [] },
    ...folders.map(({ id, name }) => ({ name, channels: channels.get(id) ?? [] })),
    { name: hasOthers ? t('sidebar.otherChannels') : t('nav.channels'), channels: channels.get('other') ?? [] },
  ].filter((section) => section.channels.length > 0)
}

/** The first channels of the sidebar, and the sections that contain them. */
export function firstChannels(sections: ChannelSection[], limit: number): ChannelSection[] {
  let left = limit
  return sections
    .map(({ name, channels }) => {
      const first = channels.slice(0, Math.max(0, left))
      left -= channels.length
      return { name, channels: first }
    })
    .filter(({ channels }) => channels.length > 0)
}

/** Direct conversations, the latest first. */
export function directEntries(store: Store, limit: number): DirectEntry[] {
  const { direct } = unreadCounts(store)
  return [...store.conversations.direct.values()]
    .sort((a, b) => b.max_message_id - a.max_message_id)
    .slice(0, limit)
    .map(({ user_ids, max_message_id }) => ({
      userIds: user_ids,
      unread: direct.get(user_ids.join()) ?? 0,
      latest: max_message_id,
    }))
}
