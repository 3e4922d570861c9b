import { lookup } from '@parley/api/lookup'
import { roles } from '@parley/api/roles'
import type { ShownMessage } from '@parley/client/messages/cache'
import type { Store } from '@parley/client/store'
import { mayInRealm } from '../session/permissions.ts'

function isWithin({ realm }: Store, { timestamp }: ShownMessage, name: string): boolean {
  const limit = lookup(realm.settings, name) as number | null | undefined
  return limit === null || limit === undefined || Date.now() / 1000 - timestamp < limit
}

/** The server decides; these only hide what it would refuse. */
export function mayEdit(store: Store, message: ShownMessage): boolean {
  const isOwn = message.sender_id === store.settings.user_id
  const isAllowed = store.realm.settings.allow_message_editing !== false
  return isOwn && isAllowed && isWithin(store, message, 'message_content_edit_limit_seconds')
}

export function mayDelete(store: Store, message: ShownMessage): boolean {
  if (mayInRealm(store, 'can_delete_any_message_group')) return true
  const isOwn = message.sender_id === store.settings.user_id
  if (!isOwn || !mayInRealm(store, 'can_delete_own_message_group')) return false
  return isWithin(store, message, 'message_content_delete_limit_seconds')
}

/** To another topic of the same channel. Moderators may move messages of any age. */
export function mayMoveTopic(store: Store, message: ShownMessage): boolean {
  return mayMove(store, message, 'can_move_messages_between_topics_group', 'move_messages_within_stream_limit_seconds')
}

export function mayMoveChannel(store: Store, message: ShownMessage): boolean {
  return mayMove(
    store,
    message,
    'can_move_messages_between_channels_group',
    'move_messages_between_streams_limit_seconds',
  )
}

function mayMove(store: Store, message: ShownMessage, group: string, limit: string): boolean {
  if (message.type !== 'stream' || !mayInRealm(store, group)) return false
  const role = store.users.byId.get(store.settings.user_id as number)?.role ?? roles.guest
  return role <= roles.moderator || isWithin(store, message, limit)
}
