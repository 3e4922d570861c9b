import type { RealmGroupSetting } from '@parley/api/permission-settings'
import { isAdmin, isModerator, mayInChannel, mayInRealm } from '@parley/api/permissions'
import type { ShownMessage } from '@parley/client/messages/cache'
import type { Slices } from '@parley/client/store/store'

type Limit =
  | 'message_content_edit_limit_seconds'
  | 'message_content_delete_limit_seconds'
  | 'move_messages_within_stream_limit_seconds'
  | 'move_messages_between_streams_limit_seconds'

function isWithin({ realm }: Slices<'realm'>, { timestamp }: ShownMessage, name: Limit): boolean {
  const limit = realm.settings[name]
  return limit === null || limit === undefined || Date.now() / 1000 - timestamp < limit
}

/** The server decides; these only hide what it would refuse. */
export function mayEdit(store: Slices<'realm' | 'viewer'>, message: ShownMessage): boolean {
  const isOwn = message.sender_id === store.viewer.id
  const isAllowed = store.realm.settings.allow_message_editing !== false
  return isOwn && isAllowed && isWithin(store, message, 'message_content_edit_limit_seconds')
}

export function mayHidePreviews({ viewer }: Slices<'viewer'>, { sender_id, content }: ShownMessage): boolean {
  return content.includes('<div class="message_embed">') && (sender_id === viewer.id || isModerator(viewer))
}

export function mayDelete(store: Slices<'realm' | 'viewer'>, message: ShownMessage): boolean {
  const { viewer, realm } = store
  if (mayInRealm(viewer, realm, 'can_delete_any_message_group')) return true
  const isOwn = message.sender_id === viewer.id
  if (!isOwn || !mayInRealm(viewer, realm, 'can_delete_own_message_group')) return false
  return isWithin(store, message, 'message_content_delete_limit_seconds')
}

export function mayDeleteTopic({ viewer }: Slices<'viewer'>): boolean {
  return isAdmin(viewer)
}

/** To another topic of the same channel. Moderators may move messages of any age. */
export function mayMoveTopic(store: Slices<'realm' | 'viewer'>, message: ShownMessage): boolean {
  return mayMove(store, message, moves.topic)
}

export function mayMoveChannel(store: Slices<'realm' | 'viewer'>, message: ShownMessage): boolean {
  return mayMove(store, message, moves.channel)
}

export const moves = {
  topic: {
    group: 'can_move_messages_between_topics_group',
    limit: 'move_messages_within_stream_limit_seconds',
  },
  channel: {
    group: 'can_move_messages_between_channels_group',
    limit: 'move_messages_between_streams_limit_seconds',
  },
} as const satisfies Record<string, { group: RealmGroupSetting; limit: Limit }>

type Move = (typeof moves)[keyof typeof moves]

export function mayMove(store: Slices<'realm' | 'viewer'>, message: ShownMessage, { group, limit }: Move): boolean {
  const { viewer, realm } = store
  if (message.type !== 'stream' || !mayInRealm(viewer, realm, group)) return false
  return isModerator(viewer) || isWithin(store, message, limit)
}

/** Who may post in a channel may pin there. */
export function mayPin({ channels, viewer }: Slices<'channels' | 'viewer'>, channelId: number | undefined): boolean {
  const channel = channels.subscribed.get(channelId ?? -1)
  return channel !== undefined && mayInChannel(viewer, channel, 'can_send_message_group')
}
