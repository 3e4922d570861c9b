import { narrows } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'
import { topicKey } from '@parley/client/store/topics'
import { topicName } from '../channels/topic-name.ts'
import { isMatch } from '../compose/completion/completion.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { channelHash, narrowHash } from '../session/links.ts'
import { type ChannelEntry, channelEntries } from './model.ts'

export interface Found {
  name: string
  hash: string
  unread: number
  channel?: ChannelEntry
  userId?: number
  isResolved?: boolean
  isPrivate?: boolean
}

const most = 8

/** Channels, topics and people whose names match, and channels that the viewer has not joined. */
export function findPlaces(session: Session, query: string): { label: string; found: Found[] }[] {
  const groups: [PlainId, Found[]][] = [
    ['nav.channels', joined(session)],
    ['channel.tab.topics', topics(session)],
    ['sidebar.people', people(session)],
    ['sidebar.notJoined', notJoined(session)],
  ]
  return groups
    .map(([label, all]) => ({ label: t(label), found: all.filter(({ name }) => isMatch(name, query)).slice(0, most) }))
    .filter(({ found }) => found.length > 0)
}

function joined({ store }: Session): Found[] {
  return channelEntries(store!).map((channel) => {
    const { id, name, unread, isPrivate } = channel
    return { name, hash: channelHash(id, store!), unread, channel, isPrivate }
  })
}

/** Those with unread messages, and those whose messages the client has. */
function topics({ store, messages }: Session): Found[] {
  const found = new Map<string, { stream_id: number; topic: string; unread: number }>()
  for (const [key, { place, ids }] of store!.unread.conversations)
    if ('stream_id' in place) found.set(key, { ...place, unread: ids.size })
  for (const { type, stream_id, subject } of [...messages.byId.values()].reverse())
    if (type === 'stream' && !found.has(topicKey(stream_id!, subject)))
      found.set(topicKey(stream_id!, subject), { stream_id: stream_id!, topic: subject, unread: 0 })
  return [...found.values()].map(({ stream_id, topic, unread }) => ({
    name: topicName(topic),
    hash: narrowHash(narrows.topic(stream_id, topic), store!),
    unread,
    isResolved: topic.startsWith('✔ '),
  }))
}

function people({ store }: Session): Found[] {
  const active = [...store!.users.byId.values()].filter(({ is_active }) => is_active)
  return active.map(({ user_id, full_name }) => ({
    name: full_name,
    hash: narrowHash(narrows.direct([user_id]), store!),
    unread: store!.unread.conversations.get(`dm ${user_id}`)?.ids.size ?? 0,
    userId: user_id,
  }))
}

function notJoined({ store }: Session): Found[] {
  const others = [...store!.channels.neverSubscribed.values(), ...store!.channels.left.values()]
  return others.map(({ stream_id, name, invite_only }) => ({
    name,
    hash: channelHash(stream_id, store!),
    unread: 0,
    isPrivate: invite_only,
  }))
}
