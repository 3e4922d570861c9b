import type { GroupSettingValue } from '@parley/api/common'
import type { PermissionSetting } from '@parley/api/delivery/register'
import { lookup } from '@parley/api/lookup'
import type { UserGroup } from '@parley/api/organization/groups'
import { isGuest } from '@parley/api/permissions'
import { type PlainId, t } from '../platform/i18n.ts'

export interface Holders {
  groups: number[]
  users: number[]
}

/** Which groups a permission accepts, as the server declares it. */
export type PermissionRule = Pick<
  PermissionSetting,
  'require_system_group' | 'allow_nobody_group' | 'allow_everyone_group' | 'allowed_system_groups'
>

export type Groups = ReadonlyMap<number, UserGroup>

const systemGroupTexts: Record<string, PlainId> = {
  'role:nobody': 'who.nobody',
  'role:owners': 'who.owners',
  'role:administrators': 'who.administrators',
  'role:moderators': 'who.moderatorsOnly',
  'role:fullmembers': 'who.fullMembers',
  'role:members': 'who.allMembers',
  'role:everyone': 'who.everyone',
  'role:internet': 'who.internet',
}

export function groupText(group: UserGroup | undefined): string {
  if (!group) return t('who.unknownGroup')
  const text = group.is_system_group ? lookup(systemGroupTexts, group.name) : undefined
  return text ? t(text) : group.name
}

export function holdersOf(value: GroupSettingValue): Holders {
  if (typeof value === 'number') return { groups: [value], users: [] }
  return { groups: value.direct_subgroups, users: value.direct_members }
}

export function settingValue({ groups, users }: Holders): GroupSettingValue {
  const [only] = groups
  if (only !== undefined && groups.length === 1 && users.length === 0) return only
  return { direct_subgroups: groups, direct_members: users }
}

/** The users that a permission reaches, each once, through groups of groups too. */
export function reachedUsers(groups: Groups, value: GroupSettingValue): Set<number> {
  const holders = holdersOf(value)
  const reached = new Set(holders.users)
  const seen = new Set<number>()
  const waiting = [...holders.groups]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const group = groups.get(id)
    if (!group || seen.has(id)) continue
    seen.add(id)
    for (const user of group.members) reached.add(user)
    waiting.push(...group.direct_subgroup_ids)
  }
  return reached
}

/** Whether a group is another one, or contains it at any depth. */
export function containsGroup(groups: Groups, id: number, other: number): boolean {
  const seen = new Set<number>()
  const waiting = [id]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one === other) return true
    if (!seen.has(one)) waiting.push(...(groups.get(one)?.direct_subgroup_ids ?? []))
    seen.add(one)
  }
  return false
}

/** Guests in a group hold only permissions that may be given to everyone. */
export function countHolders(
  users: ReadonlyMap<number, { is_active: boolean; role: number }>,
  reached: ReadonlySet<number>,
  rule: Pick<PermissionRule, 'allow_everyone_group'>,
): number {
  const holds = (id: number) => {
    const user = users.get(id)
    return !user || (user.is_active && (rule.allow_everyone_group || !isGuest(user)))
  }
  return [...reached].filter(holds).length
}

const notOffered = new Set(['role:internet'])

/** The groups that may be chosen, those of roles first. */
export function offeredGroups(groups: Groups, rule: PermissionRule): UserGroup[] {
  const offered = [...groups.values()].filter((group) => !group.deactivated && isAccepted(group, rule))
  return offered.sort((a, b) => Number(b.is_system_group) - Number(a.is_system_group) || a.name.localeCompare(b.name))
}

function isAccepted({ name, is_system_group }: UserGroup, rule: PermissionRule): boolean {
  if (!is_system_group) return !rule.require_system_group
  if (notOffered.has(name)) return false
  if (name === 'role:nobody' && !rule.allow_nobody_group) return false
  if (name === 'role:everyone' && !rule.allow_everyone_group) return false
  return rule.allowed_system_groups.length === 0 || rule.allowed_system_groups.includes(name)
}

const isSystem = (groups: Groups, id: number) => groups.get(id)?.is_system_group === true
const isNobody = (groups: Groups, id: number) => groups.get(id)?.name === 'role:nobody'

/** Adds a group. Role groups contain each other, so a new one replaces the old one; nobody replaces all. */
export function withGroup(
  groups: Groups,
  rule: PermissionRule,
  value: GroupSettingValue,
  id: number,
): GroupSettingValue {
  const { groups: known, users } = holdersOf(value)
  if (isNobody(groups, id) || rule.require_system_group) return id
  const kept = known.filter(
    (one) => one !== id && !isNobody(groups, one) && !(isSystem(groups, id) && isSystem(groups, one)),
  )
  return settingValue({ groups: [...kept, id], users })
}

export function withUser(groups: Groups, value: GroupSettingValue, id: number): GroupSettingValue {
  const { groups: known, users } = holdersOf(value)
  return settingValue({
    groups: known.filter((one) => !isNobody(groups, one)),
    users: [...users.filter((one) => one !== id), id],
  })
}

/** Removes a group or user. Undefined if nobody would be left and the permission does not accept that. */
export function withoutHolder(
  groups: Groups,
  rule: PermissionRule,
  value: GroupSettingValue,
  removed: { group?: number; user?: number },
): GroupSettingValue | undefined {
  const holders = holdersOf(value)
  const left = {
    groups: holders.groups.filter((id) => id !== removed.group),
    users: holders.users.filter((id) => id !== removed.user),
  }
  if (left.groups.length + left.users.length > 0) return settingValue(left)
  const nobody = [...groups.values()].find(({ name }) => name === 'role:nobody')
  return rule.allow_nobody_group ? nobody?.id : undefined
}

/** The question that each permission answers. */
export const permissionTexts: Record<string, PlainId> = {
  can_access_all_users_group: 'permission.accessAllUsers',
  can_add_custom_emoji_group: 'permission.addCustomEmoji',
  can_add_subscribers_group: 'permission.addSubscribers',
  can_create_bots_group: 'permission.createBots',
  can_create_write_only_bots_group: 'permission.createWriteOnlyBots',
  can_create_groups: 'permission.createGroups',
  can_create_public_channel_group: 'permission.createPublicChannel',
  can_create_private_channel_group: 'permission.createPrivateChannel',
  can_create_web_public_channel_group: 'permission.createWebPublicChannel',
  can_delete_any_message_group: 'permission.deleteAnyMessage',
  can_delete_own_message_group: 'permission.deleteOwnMessage',
  can_invite_users_group: 'permission.inviteUsers',
  create_multiuse_invite_group: 'permission.createMultiuseInvite',
  can_manage_all_groups: 'permission.manageAllGroups',
  can_manage_billing_group: 'permission.manageBilling',
  can_mention_many_users_group: 'permission.mentionManyUsers',
  can_move_messages_between_channels_group: 'permission.moveMessagesBetweenChannels',
  can_move_messages_between_topics_group: 'permission.moveMessagesBetweenTopics',
  can_resolve_topics_group: 'permission.resolveTopics',
  can_summarize_topics_group: 'permission.summarizeTopics',
  direct_message_initiator_group: 'permission.directMessageInitiator',
  direct_message_permission_group: 'permission.directMessagePermission',
  can_administer_channel_group: 'permission.administerChannel',
  can_remove_subscribers_group: 'permission.removeSubscribers',
  can_send_message_group: 'permission.sendMessage',
  can_subscribe_group: 'permission.subscribe',
  can_add_members_group: 'permission.addMembers',
  can_join_group: 'permission.joinGroup',
  can_leave_group: 'permission.leaveGroup',
  can_manage_group: 'permission.manageGroup',
  can_mention_group: 'permission.mentionGroup',
  can_remove_members_group: 'permission.removeMembers',
}

/** Permissions that a newer server has are named after their setting. */
export function whoMayText(name: string): string {
  const text = lookup(permissionTexts, name)
  return text ? t(text) : t('permission.other', { action: name.replace(/^can_|_group$/g, '').replaceAll('_', ' ') })
}
