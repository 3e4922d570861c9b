import type { ChannelObject } from '@parley/api/channels'
import type { GroupSettingValue } from '@parley/api/common'
import type { Store } from '@parley/client/store'
import type { PlainId } from '../platform/i18n.ts'
import { type Groups, reachedUsers } from './who-may.ts'

export type KnownChannel = ChannelObject

/** All channels that the viewer can see, each once, by name. */
export function knownChannels({ channels }: Pick<Store, 'channels'>): KnownChannel[] {
  const all: KnownChannel[] = [
    ...channels.subscribed.values(),
    ...channels.left.values(),
    ...channels.neverSubscribed.values(),
  ]
  return all.sort((a, b) => a.name.localeCompare(b.name))
}

/** By name first, then by description. */
export function searchChannels<C extends { name: string; description: string }>(all: readonly C[], query: string): C[] {
  const text = query.trim().toLowerCase()
  const isNamed = ({ name }: C) => name.toLowerCase().includes(text)
  return [...all.filter(isNamed), ...all.filter((one) => !isNamed(one) && one.description.toLowerCase().includes(text))]
}

export type Privacy = 'public' | 'private' | 'protected'

export const privacyChoices: readonly (readonly [value: Privacy, label: PlainId, detail: PlainId])[] = [
  ['public', 'channel.public', 'channel.public.text'],
  ['private', 'channel.private', 'channel.private.text'],
  ['protected', 'channel.protected', 'channel.protected.text'],
]

export function privacyOf(channel: { invite_only: boolean; history_public_to_subscribers: boolean }): Privacy {
  if (!channel.invite_only) return 'public'
  return channel.history_public_to_subscribers ? 'private' : 'protected'
}

export function privacyParams(privacy: Privacy): { is_private: boolean; history_public_to_subscribers: boolean } {
  return { is_private: privacy !== 'public', history_public_to_subscribers: privacy !== 'protected' }
}

interface Viewer {
  id: number
  role: number
}

/** Administrators, and those who may administer the channel. */
export function mayAdminister(groups: Groups, { id, role }: Viewer, value: GroupSettingValue): boolean {
  return role <= 200 || reachedUsers(groups, value).has(id)
}

type JoinedChannel = Pick<
  KnownChannel,
  'invite_only' | 'is_archived' | 'is_web_public' | 'can_subscribe_group' | 'can_add_subscribers_group'
>

/** Whether a user may subscribe to a channel: private ones need a permission that lets them read it. */
export function mayJoin(groups: Groups, { id, role }: Viewer, channel: JoinedChannel): boolean {
  if (channel.is_archived) return false
  if (channel.is_web_public) return true
  const readers = [channel.can_subscribe_group, channel.can_add_subscribers_group]
  return role < 600 && (!channel.invite_only || readers.some((value) => reachedUsers(groups, value).has(id)))
}
