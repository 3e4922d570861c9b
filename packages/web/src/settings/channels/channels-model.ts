import type { ChannelObject } from '@parley/api/conversations/channels'
import { mayInRealm } from '@parley/api/permissions'
import type { Store } from '@parley/client/store/store'
import type { PlainId } from '../../platform/i18n.ts'

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

export type Privacy = 'open' | 'public' | 'private' | 'protected'

export const privacyChoices: readonly (readonly [value: Privacy, label: PlainId, detail: PlainId])[] = [
  ['open', 'channel.open', 'channel.open.text'],
  ['public', 'channel.public', 'channel.public.text'],
  ['private', 'channel.private', 'channel.private.text'],
  ['protected', 'channel.protected', 'channel.protected.text'],
]

type PrivacyColumns = Pick<KnownChannel, 'invite_only' | 'is_web_public' | 'history_public_to_subscribers'>

export function privacyOf(channel: PrivacyColumns): Privacy {
  if (channel.is_web_public) return 'open'
  if (!channel.invite_only) return 'public'
  return channel.history_public_to_subscribers ? 'private' : 'protected'
}

export function privacyParams(privacy: Privacy) {
  return {
    is_private: privacy === 'private' || privacy === 'protected',
    is_web_public: privacy === 'open',
    history_public_to_subscribers: privacy !== 'protected',
  }
}

/** What the viewer may choose. Protected history is not opened to the web by one change. */
export function privacyChoicesFor({ viewer }: Pick<Store, 'viewer'>, now: Privacy = 'public'): typeof privacyChoices {
  const { realm } = viewer
  const mayOpen =
    realm.settings.enable_spectator_access === true &&
    mayInRealm(viewer, realm, 'can_create_web_public_channel_group') &&
    now !== 'protected'
  return privacyChoices.filter(([value]) => value !== 'open' || mayOpen || now === 'open')
}

/** A part of the page of a channel. */
export function channelSectionHash(channelId: number, section: 'members'): string {
  return `#channels/${channelId}/${section}`
}
