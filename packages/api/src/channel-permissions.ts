import {
  type ChannelPermissions,
  isAdmin,
  isGuest,
  type Member,
  mayInChannel,
  mayInRealm,
  type RealmMember,
} from './permissions.ts'

/** Permissions in a private channel that let users who are not subscribed read it. */
export const readingPermissions = ['can_subscribe_group', 'can_add_subscribers_group'] as const

/** What decides who may read a channel. */
export interface ChannelAccess<Value = number>
  extends Pick<ChannelPermissions<Value>, (typeof readingPermissions)[number]> {
  is_web_public: boolean
  invite_only: boolean
}

/** Whether the member may read without being subscribed. Administrators have no special access to private channels. */
export function canReadUnsubscribed<Value>(member: Member<Value>, channel: ChannelAccess<Value>): boolean {
  if (channel.is_web_public) return true
  if (isGuest(member)) return false
  if (!channel.invite_only) return true
  return readingPermissions.some((permission) => mayInChannel(member, channel, permission))
}

/** Whether the member may subscribe themselves. */
export function mayJoin<Value>(
  member: Member<Value>,
  channel: ChannelAccess<Value> & { is_archived: boolean },
  isSubscribed = false,
): boolean {
  return !channel.is_archived && (isSubscribed || canReadUnsubscribed(member, channel))
}

type Administered<Value> = Pick<ChannelPermissions<Value>, 'can_administer_channel_group'>

/** Whether the member may change the settings of the channel. */
export function mayAdminister<Value>(member: Member<Value>, channel: Administered<Value>): boolean {
  return isAdmin(member) || mayInChannel(member, channel, 'can_administer_channel_group')
}

/** Whether the member may subscribe other users to a channel that the member can subscribe to. */
export function mayAddOthers<Value>(
  member: RealmMember<Value>,
  channel: Administered<Value> & Pick<ChannelPermissions<Value>, 'can_add_subscribers_group'>,
): boolean {
  return (
    mayInRealm(member, member.realm, 'can_add_subscribers_group') ||
    mayInChannel(member, channel, 'can_add_subscribers_group') ||
    mayAdminister(member, channel)
  )
}

/** Whether the member may unsubscribe other users. Guests may not, even if the permission includes everyone. */
export function mayRemoveOthers<Value>(
  member: Member<Value>,
  channel: Administered<Value> & Pick<ChannelPermissions<Value>, 'can_remove_subscribers_group'>,
): boolean {
  if (isGuest(member)) return false
  return mayAdminister(member, channel) || mayInChannel(member, channel, 'can_remove_subscribers_group')
}
