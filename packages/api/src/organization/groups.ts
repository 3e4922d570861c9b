import { type Static, Type } from 'typebox'
import { groupSettingValue, id, nullable, shortText, text } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { operation, withDefault } from '../operation.ts'

/** The six permission settings of a group. */
export const groupPermissionNames = [
  'can_add_members_group',
  'can_join_group',
  'can_leave_group',
  'can_manage_group',
  'can_mention_group',
  'can_remove_members_group',
] as const

export const userGroup = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  members: Type.Array(Type.Integer()),
  direct_subgroup_ids: Type.Array(Type.Integer()),
  is_system_group: Type.Boolean(),
  creator_id: nullable(Type.Integer()),
  date_created: nullable(Type.Integer()),
  deactivated: Type.Boolean(),
  can_add_members_group: groupSettingValue,
  can_join_group: groupSettingValue,
  can_leave_group: groupSettingValue,
  can_manage_group: groupSettingValue,
  can_mention_group: groupSettingValue,
  can_remove_members_group: groupSettingValue,
})
export type UserGroup = Static<typeof userGroup>

/** The fields of a group that can change. */
export const groupChange = Type.Partial(
  Type.Omit(userGroup, ['id', 'members', 'direct_subgroup_ids', 'is_system_group', 'creator_id', 'date_created']),
)
export type GroupChange = Static<typeof groupChange>

const tag = 'User groups'
const description = text(textLimits.groupDescription)
const idList = Type.Array(id, { maxItems: listLimits.groupMembers })
const optionalIds = Type.Optional(idList)
const pathParams = { user_group_id: id }
const directMembersOnly = { direct_member_only: withDefault(Type.Boolean(), false) }

/** A change of a permission: the new value, and the value that the client believes is current. */
export const settingChange = Type.Object({ new: groupSettingValue, old: Type.Optional(groupSettingValue) })
export type SettingChange = Static<typeof settingChange>

export const createUserGroup = operation({
  name: 'createUserGroup',
  method: 'POST',
  path: '/user_groups/create',
  access: 'member',
  permission: 'can_create_groups',
  tag,
  summary: 'Create a user group.',
  params: {
    name: shortText,
    members: idList,
    description,
    subgroups: optionalIds,
    can_add_members_group: Type.Optional(groupSettingValue),
    can_join_group: Type.Optional(groupSettingValue),
    can_leave_group: Type.Optional(groupSettingValue),
    can_manage_group: Type.Optional(groupSettingValue),
    can_mention_group: Type.Optional(groupSettingValue),
    can_remove_members_group: Type.Optional(groupSettingValue),
  },
  response: { group_id: Type.Integer() },
})

export const getUserGroups = operation({
  name: 'getUserGroups',
  method: 'GET',
  path: '/user_groups',
  access: 'user',
  tag,
  summary: 'List the user groups, including system groups, by id.',
  params: { include_deactivated_groups: withDefault(Type.Boolean(), false) },
  response: { user_groups: Type.Array(userGroup) },
})

export const updateUserGroup = operation({
  name: 'updateUserGroup',
  method: 'PATCH',
  path: '/user_groups/{user_group_id}',
  access: 'user',
  tag,
  summary: 'Update the name, description or permissions of a user group.',
  pathParams,
  params: {
    name: Type.Optional(shortText),
    description: Type.Optional(description),
    can_add_members_group: Type.Optional(settingChange),
    can_join_group: Type.Optional(settingChange),
    can_leave_group: Type.Optional(settingChange),
    can_manage_group: Type.Optional(settingChange),
    can_mention_group: Type.Optional(settingChange),
    can_remove_members_group: Type.Optional(settingChange),
  },
  errors: ['EXPECTATION_MISMATCH'],
})

export const deactivateUserGroup = operation({
  name: 'deactivateUserGroup',
  method: 'POST',
  path: '/user_groups/{user_group_id}/deactivate',
  access: 'user',
  tag,
  summary: 'Deactivate a user group. Groups that are in use are refused.',
  pathParams,
  errors: ['CANNOT_DEACTIVATE_GROUP_IN_USE'],
})

export const updateUserGroupMembers = operation({
  name: 'updateUserGroupMembers',
  method: 'POST',
  path: '/user_groups/{user_group_id}/members',
  access: 'user',
  tag,
  summary: 'Add and remove members and subgroups of a user group.',
  pathParams,
  params: { add: optionalIds, delete: optionalIds, add_subgroups: optionalIds, delete_subgroups: optionalIds },
})

export const getUserGroupMembers = operation({
  name: 'getUserGroupMembers',
  method: 'GET',
  path: '/user_groups/{user_group_id}/members',
  access: 'user',
  tag,
  summary: 'List the members of a user group, including those of its subgroups.',
  pathParams,
  params: directMembersOnly,
  response: { members: Type.Array(Type.Integer()) },
})

export const getUserGroupMembership = operation({
  name: 'getUserGroupMembership',
  method: 'GET',
  path: '/user_groups/{user_group_id}/members/{user_id}',
  access: 'user',
  tag,
  summary: 'Check whether a user is in a user group.',
  pathParams: { ...pathParams, user_id: id },
  params: directMembersOnly,
  response: { is_user_group_member: Type.Boolean() },
})

export const updateSubgroups = operation({
  name: 'updateSubgroups',
  method: 'POST',
  path: '/user_groups/{user_group_id}/subgroups',
  access: 'user',
  tag,
  summary: 'Add and remove subgroups of a user group.',
  pathParams,
  params: { add: optionalIds, delete: optionalIds },
})

export const getSubgroups = operation({
  name: 'getSubgroups',
  method: 'GET',
  path: '/user_groups/{user_group_id}/subgroups',
  access: 'user',
  tag,
  summary: 'List the subgroups of a user group, at any depth.',
  pathParams,
  params: { direct_subgroup_only: withDefault(Type.Boolean(), false) },
  response: { subgroups: Type.Array(Type.Integer()) },
})
