import {
  channelGroupSettings,
  type RealmGroupSetting,
  realmGroupSettings,
  userGroupSettings,
} from './permission-settings.ts'
import { roles } from './roles.ts'

/**
 * A user whose permissions are checked: the role, and all groups that contain the user at any depth. `Value` is how a
 * permission names its group: by an id on the server, also by its members and subgroups in clients.
 */
export interface Member<Value = number> {
  role: number
  groups: { has(value: Value): boolean }
}

/** Why a member holds a permission, or does not: a guest who may not hold it, or outside of its group. */
export type Verdict = 'held' | 'guest' | 'outside'

export type RealmPermissions<Value = number> = Record<RealmGroupSetting, Value>

/** A user whose permissions in the organization count too. */
export interface RealmMember<Value = number> extends Member<Value> {
  realm: { permissions: RealmPermissions<Value> }
}

/**
 * The only place that evaluates permissions, for the server and for clients. A permission is a group; its members hold
 * it, directly or through subgroups. Guests hold only permissions that may be given to everyone, even if a group
 * contains them.
 */
export function verdictOf<Value>(member: Member<Value>, value: Value, allowsEveryone: boolean): Verdict {
  if (isGuest(member) && !allowsEveryone) return 'guest'
  return member.groups.has(value) ? 'held' : 'outside'
}

function holds<Value>(member: Member<Value>, value: Value, allowsEveryone: boolean): boolean {
  return verdictOf(member, value, allowsEveryone) === 'held'
}

export function mayInRealm<Value>(
  member: Member<Value>,
  realm: { permissions: RealmPermissions<Value> },
  setting: RealmGroupSetting,
): boolean {
  return holds(member, realm.permissions[setting], realmGroupSettings[setting].allowsEveryone)
}

export type ChannelPermission = keyof typeof channelGroupSettings
export type ChannelPermissions<Value = number> = Record<ChannelPermission, Value>

export function mayInChannel<Value, Setting extends ChannelPermission>(
  member: Member<Value>,
  channel: Record<Setting, Value>,
  setting: Setting,
): boolean {
  return holds(member, channel[setting], channelGroupSettings[setting].allowsEveryone)
}

export type GroupPermission = keyof typeof userGroupSettings
export type GroupPermissions<Value = number> = Record<GroupPermission, Value>

/** Users who may manage the group, or all groups, hold every other permission in it too. */
export function mayInGroup<Value>(
  member: RealmMember<Value>,
  group: GroupPermissions<Value>,
  ...settings: GroupPermission[]
): boolean {
  if (mayInRealm(member, member.realm, 'can_manage_all_groups')) return true
  const sufficient: GroupPermission[] = ['can_manage_group', ...settings]
  return sufficient.some((setting) => holds(member, group[setting], userGroupSettings[setting].allowsEveryone))
}

/** Managers of a group need this permission too. */
export function mayMention<Value>(
  member: Member<Value>,
  group: Pick<GroupPermissions<Value>, 'can_mention_group'>,
): boolean {
  return holds(member, group.can_mention_group, userGroupSettings.can_mention_group.allowsEveryone)
}

export function isOwner({ role }: { role: number }): boolean {
  return role === roles.owner
}

export function isAdmin({ role }: { role: number }): boolean {
  return role <= roles.admin
}

export function isModerator({ role }: { role: number }): boolean {
  return role <= roles.moderator
}

export function isGuest({ role }: { role: number }): boolean {
  return role === roles.guest
}
