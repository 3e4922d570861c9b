import { roles } from '@parley/api/common'
import {
  channelGroupSettings,
  type RealmGroupSetting,
  realmGroupSettings,
  userGroupSettings,
} from '@parley/api/settings'
import type { Realm } from '../realms/state.ts'

/** A user whose permissions are checked: the role, and all groups that contain the user at any depth. */
export interface Member {
  role: number
  groups: ReadonlySet<number>
}

/**
 * The only place that evaluates permissions. A permission is a group; its members hold it, directly or through
 * subgroups. Guests hold only permissions that may be given to everyone, even if a group contains them.
 */
export function holds(member: Member, groupId: number, allowsEveryone: boolean): boolean {
  if (member.role === roles.guest && !allowsEveryone) return false
  return member.groups.has(groupId)
}

export function mayInRealm(member: Member, realm: Realm, setting: RealmGroupSetting): boolean {
  return holds(member, realm.permissions[setting], realmGroupSettings[setting].allowsEveryone)
}

export type ChannelPermissions = Record<keyof typeof channelGroupSettings, number>

export function mayInChannel<Setting extends keyof ChannelPermissions>(
  member: Member,
  channel: Pick<ChannelPermissions, Setting>,
  setting: Setting,
): boolean {
  return holds(member, channel[setting], channelGroupSettings[setting].allowsEveryone)
}

export type GroupPermission = keyof typeof userGroupSettings
export type GroupPermissions = Record<GroupPermission, number>

/** Users who may manage the group, or all groups, hold every other permission in it too. */
export function mayInGroup(
  member: Member & { realm: Realm },
  group: GroupPermissions,
  ...settings: GroupPermission[]
): boolean {
  if (mayInRealm(member, member.realm, 'can_manage_all_groups')) return true
  const sufficient: GroupPermission[] = ['can_manage_group', ...settings]
  return sufficient.some((setting) => holds(member, group[setting], userGroupSettings[setting].allowsEveryone))
}

export function isAdmin({ role }: { role: number }): boolean {
  return role <= roles.admin
}

export function isGuest({ role }: { role: number }): boolean {
  return role === roles.guest
}
