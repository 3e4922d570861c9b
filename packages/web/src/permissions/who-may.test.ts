import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserGroup } from '@parley/api/organization/groups'
import { channelGroupSettings, realmGroupSettings, userGroupSettings } from '@parley/api/permission-settings'
import { roles } from '@parley/api/roles'
import {
  countHolders,
  offeredGroups,
  permissionTexts,
  reachedUsers,
  withGroup,
  withoutHolder,
  withUser,
} from './who-may.ts'

const group = (id: number, name: string, members: number[], direct_subgroup_ids: number[] = []) =>
  ({
    id,
    name,
    members,
    direct_subgroup_ids,
    is_system_group: name.startsWith('role:'),
    deactivated: false,
  }) as unknown as UserGroup

const groups = new Map(
  [
    group(1, 'role:nobody', []),
    group(2, 'role:administrators', [10]),
    group(3, 'role:members', [11, 12], [2]),
    group(4, 'role:everyone', [13], [3]),
    group(5, 'design', [12, 13]),
  ].map((one) => [one.id, one]),
)
const open = {
  require_system_group: false,
  allow_nobody_group: true,
  allow_everyone_group: true,
  allowed_system_groups: [],
}

test('people in several groups count once', () => {
  assert.equal(reachedUsers(groups, 4).size, 4)
  assert.deepEqual([...reachedUsers(groups, { direct_subgroups: [5], direct_members: [12, 20] })].sort(), [12, 13, 20])
})

test('groups that contain each other are counted and end', () => {
  const circle = new Map([group(1, 'a', [1], [2]), group(2, 'b', [2], [1])].map((one) => [one.id, one]))
  assert.equal(reachedUsers(circle, 1).size, 2)
})

test('only the groups that the server accepts are offered', () => {
  const names = (rule: Partial<typeof open>) => offeredGroups(groups, { ...open, ...rule }).map(({ name }) => name)
  assert.equal(names({}).length, 5)
  assert.ok(!names({ allow_nobody_group: false }).includes('role:nobody'))
  assert.ok(!names({ allow_everyone_group: false }).includes('role:everyone'))
  assert.ok(!names({ require_system_group: true }).includes('design'))
})

test('a role replaces another role, other groups are added', () => {
  assert.equal(withGroup(groups, open, 2, 3), 3)
  assert.deepEqual(withGroup(groups, open, 2, 5), { direct_subgroups: [2, 5], direct_members: [] })
})

test('"nobody" replaces all and is replaced by the first holder', () => {
  assert.equal(withGroup(groups, open, { direct_subgroups: [5], direct_members: [10] }, 1), 1)
  assert.deepEqual(withUser(groups, 1, 12), { direct_subgroups: [], direct_members: [12] })
})

test('the last holder can be removed only if nobody is accepted', () => {
  assert.equal(withoutHolder(groups, open, 5, { group: 5 }), 1)
  assert.equal(withoutHolder(groups, { ...open, allow_nobody_group: false }, 5, { group: 5 }), undefined)
})

test('every permission of the server has a text', () => {
  const names = Object.keys({ ...realmGroupSettings, ...channelGroupSettings, ...userGroupSettings })
  assert.deepEqual(
    names.filter((name) => !(name in permissionTexts)),
    [],
  )
})

test('guests in a group count only where everyone may hold the permission', () => {
  const users = new Map([
    [11, { is_active: true, role: roles.member }],
    [12, { is_active: false, role: roles.member }],
    [13, { is_active: true, role: roles.guest }],
  ])
  const count = (allow_everyone_group: boolean) => countHolders(users, new Set([11, 12, 13]), { allow_everyone_group })
  assert.equal(count(true), 2)
  assert.equal(count(false), 1)
})
