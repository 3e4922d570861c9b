import { channelOf, type Narrow } from '@parley/client/messages/narrow'
import type { Slices } from '@parley/client/store/store'
import { placeKey } from '@parley/client/store/unread'
import { t } from '../platform/i18n.ts'
import { layoutOf } from './layout.ts'

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
export function unreadCounts({ unread }: Slices<'unread'>) {
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
export function channelEntries(store: Slices<'channels' | 'topics' | 'unread'>): ChannelEntry[] {
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
  key: string
  name: string
  /** Made by the viewer. */
  isOwn: boolean
  channels: ChannelEntry[]
}

type Arranged = Slices<'channels' | 'folders' | 'preferences' | 'topics' | 'unread'>

/**
 * Pinned channels, the viewer's own sections, the folders in their order, then the rest. Own sections are also shown
 * without channels.
 */
export function channelSections(store: Arranged): ChannelSection[] {
  const layout = layoutOf(store)
  const place = new Map(layout.order.map((id, index) => [id, index]))
  const entries = channelEntries(store).sort(
    (a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity) || 0,
  )
  const folders = store.folders.snapshot().channel_folders.filter(({ is_archived }) => !is_archived)
  const ownOf = new Map(layout.sections.flatMap(({ name, channels }) => channels.map((id) => [id, `own ${name}`])))
  const keyOf = ({ id, isPinned, folderId }: ChannelEntry) => {
    if (isPinned) return 'pinned'
    return ownOf.get(id) ?? (folders.some((folder) => folder.id === folderId) ? `folder ${folderId}` : 'other')
  }
  const channels = Map.groupBy(entries, keyOf)
  const section = (key: string, name: string, isOwn = false) => ({
    key,
    name,
    isOwn,
    channels: channels.get(key) ?? [],
  })
  const named = [
    section('pinned', t('sidebar.pinned')),
    ...layout.sections.map(({ name }) => section(`own ${name}`, name, true)),
    ...folders.map(({ id, name }) => section(`folder ${id}`, name)),
  ].filter((one) => one.isOwn || one.channels.length > 0)
  const isAlone = named.every(({ key }) => key === 'pinned')
  const others = section('other', isAlone ? t('nav.channels') : t('sidebar.otherChannels'))
  return others.channels.length > 0 ? [...named, others] : named
}

/** Only what is unread, and what is open. A muted channel counts as read unless it mentions the viewer. */
export function unreadSections(
  all: readonly ChannelSection[],
  open: Narrow,
): { sections: ChannelSection[]; hidden: number } {
  const isShown = ({ id, unread, isMuted, hasMention }: ChannelEntry) =>
    id === channelOf(open) || hasMention || (unread > 0 && !isMuted)
  const sections = all.map((section) => ({ ...section, channels: section.channels.filter(isShown) }))
  const count = (list: readonly ChannelSection[]) => list.reduce((sum, { channels }) => sum + channels.length, 0)
  return { sections: sections.filter(({ channels }) => channels.length > 0), hidden: count(all) - count(sections) }
}

/** The first channels of the sidebar, and the sections that contain them. */
export function firstChannels(sections: ChannelSection[], limit: number): ChannelSection[] {
  let left = limit
  return sections
    .map((section) => {
      const first = section.channels.slice(0, Math.max(0, left))
      left -= section.channels.length
      return { ...section, channels: first }
    })
    .filter(({ isOwn, channels }) => isOwn || channels.length > 0)
}

/** Direct conversations, the latest first. */
export function directEntries(store: Slices<'conversations' | 'unread'>, limit: number): DirectEntry[] {
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
