import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupSettingValue } from '@parley/api/common'
import { roles } from '@parley/api/common'
import * as groups from '@parley/api/organization/groups'
import type { SystemGroupName } from '@parley/api/permission-settings'
import { configureRealm } from '../../testing/configure-realm.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

const named = (name: string, members: number[] = []) => ({ name, description: '', members })

async function systemGroup({ ann }: World, name: SystemGroupName): Promise<number> {
  const { user_groups } = await ann.does(groups.getUserGroups)
  return user_groups.find((group) => group.name === name)!.id
}

async function namesOf({ ann }: World): Promise<string[]> {
  const { user_groups } = await ann.does(groups.getUserGroups, { include_deactivated_groups: true })
  return user_groups.filter((group) => !group.is_system_group).map(({ name }) => name)
}

test('a group has its members, its subgroups and the default permissions', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const { group_id: inner } = await ann.does(groups.createUserGroup, named('inner'))
  const { group_id } = await ann.does(groups.createUserGroup, {
    name: 'outer',
    description: 'all of us',
    members: [ben.id, ben.id],
    subgroups: [inner],
  })
  const { user_groups } = await ben.does(groups.getUserGroups)
  const group = user_groups.find(({ id }) => id === group_id)!
  const creator = { direct_members: [ann.id], direct_subgroups: [] }
  const nobody = await systemGroup(world, 'role:nobody')
  const everyone = await systemGroup(world, 'role:everyone')
  assert.deepEqual(
    { ...group, date_created: typeof group.date_created },
    {
      id: group_id,
      name: 'outer',
      description: 'all of us',
      members: [ben.id],
      direct_subgroup_ids: [inner],
      is_system_group: false,
      creator_id: ann.id,
      date_created: 'number',
      deactivated: false,
      can_add_members_group: creator,
      can_manage_group: creator,
      can_join_group: nobody,
      can_leave_group: everyone,
      can_mention_group: everyone,
      can_remove_members_group: nobody,
    },
  )
})

test('system groups have descriptions', async () => {
  const { ann } = await newWorld()
  const { user_groups } = await ann.does(groups.getUserGroups)
  for (const { name, description } of user_groups) assert.ok(description.length > 5, name)
})

test('groups are listed by id, system groups first, for guests and bots too', async () => {
  const { gus, ann, add } = await newWorld()
  const bot = await add('robo', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  for (const actor of [gus, bot]) {
    const { user_groups } = await actor.does(groups.getUserGroups)
    assert.deepEqual(
      user_groups.map(({ name }) => name),
      [
        'role:nobody',
        'role:owners',
        'role:administrators',
        'role:moderators',
        'role:fullmembers',
        'role:members',
        'role:everyone',
        'role:internet',
      ],
    )
  }
})

test('everyone receives a new group, followed by its subgroups', async () => {
  const { ann, gus } = await newWorld()
  const { group_id: inner } = await ann.does(groups.createUserGroup, named('inner'))
  await gus.registers()
  const { group_id } = await ann.does(groups.createUserGroup, { ...named('outer', [gus.id]), subgroups: [inner] })
  const [added, subgroups] = await gus.receives('user_group')
  assert.ok(added?.op === 'add')
  assert.deepEqual([added.group.id, added.group.members, added.group.direct_subgroup_ids], [group_id, [gus.id], []])
  assert.ok(subgroups?.op === 'add_subgroups')
  assert.deepEqual([subgroups.group_id, subgroups.direct_subgroup_ids], [group_id, [inner]])
})

test('guests and users without the permission are refused before anything else is checked', async () => {
  const world = await newWorld()
  const { gus, ann, olga } = world
  assert.equal((await gus.isRefused(groups.createUserGroup)).code, 'BAD_REQUEST')
  await configureRealm(world, {}, { can_create_groups: 'role:owners' })
  assert.equal((await ann.isRefused(groups.createUserGroup)).code, 'BAD_REQUEST')
  await olga.does(groups.createUserGroup, named('owned'))
})

test('missing parameters are reported in the order name, members, description', async () => {
  const { ann } = await newWorld()
  const missed = async (params: object) => {
    const { code, var_name } = await ann.isRefused(groups.createUserGroup, { ...params })
    assert.equal(code, 'REQUEST_VARIABLE_MISSING')
    return var_name
  }
  assert.equal(await missed({}), 'name')
  assert.equal(await missed({ name: 'x' }), 'members')
  assert.equal(await missed({ name: 'x', members: [] }), 'description')
})

test('a group with an unknown id in it is not created', async () => {
  const world = await newWorld()
  const { ann } = world
  const elsewhere = await newWorld()
  const { group_id: foreign } = await elsewhere.ann.does(groups.createUserGroup, named('foreign'))
  const wrong = [
    { members: [999_999_999] },
    { members: [elsewhere.ben.id] },
    { subgroups: [999_999_999] },
    { subgroups: [foreign] },
    { can_join_group: 999_999_999 },
    { can_join_group: foreign },
    { can_join_group: { direct_members: [elsewhere.ben.id], direct_subgroups: [] } },
    { can_join_group: { direct_members: [], direct_subgroups: [foreign, 1] } },
    { can_join_group: { direct_members: [ann.id] } },
    { can_join_group: 'role:members' },
  ]
  for (const one of wrong) {
    const { code } = await ann.isRefused(groups.createUserGroup, { ...named('wrong'), ...one })
    assert.equal(code, 'BAD_REQUEST', JSON.stringify(one))
  }
  const { msg } = await ann.isRefused(groups.createUserGroup, { ...named('wrong'), members: [ann.id, 999_999_999] })
  assert.equal(msg, 'Invalid user ID: 999999999')
  assert.deepEqual(await namesOf(world), [])
})

test('blank, too long, reserved and taken names are refused', async () => {
  const world = await newWorld()
  const { ann } = world
  for (const name of ['', '  ', 'x'.repeat(101), '@all', 'role:x', 'user:1', 'stream:1', 'channel:1'])
    await ann.isRefused(groups.createUserGroup, named(name))
  await ann.does(groups.createUserGroup, named('y'.repeat(100)))
  await ann.does(groups.createUserGroup, named('Team'))
  await ann.isRefused(groups.createUserGroup, named('Team'))
  await ann.does(groups.createUserGroup, named('team'))
})

test('of two concurrent creations with the same name, one succeeds', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const both = await Promise.all([ann, ben].map((actor) => actor.request(groups.createUserGroup, named('same'))))
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
})

test('each permission refuses the system groups that it does not allow', async () => {
  const world = await newWorld()
  const { ann } = world
  const internet = await systemGroup(world, 'role:internet')
  const everyone = await systemGroup(world, 'role:everyone')
  const owners = await systemGroup(world, 'role:owners')
  const nobody = await systemGroup(world, 'role:nobody')
  let count = 0
  for (const setting of groups.groupPermissionNames) {
    await ann.isRefused(groups.createUserGroup, { ...named('refused'), [setting]: internet })
    await ann.does(groups.createUserGroup, { ...named(`nobody ${count++}`), [setting]: nobody })
    const open = setting === 'can_leave_group' || setting === 'can_mention_group'
    if (open) await ann.does(groups.createUserGroup, { ...named(`everyone ${count++}`), [setting]: everyone })
    else await ann.isRefused(groups.createUserGroup, { ...named('refused'), [setting]: everyone })
    if (setting === 'can_mention_group')
      await ann.isRefused(groups.createUserGroup, { ...named('refused'), [setting]: owners })
    else await ann.does(groups.createUserGroup, { ...named(`owners ${count++}`), [setting]: owners })
  }
})

test('a permission given as an object is returned in its simplest form', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const members = await systemGroup(world, 'role:members')
  const nobody = await systemGroup(world, 'role:nobody')
  const shown: [GroupSettingValue, GroupSettingValue][] = [
    [{ direct_members: [], direct_subgroups: [] }, nobody],
    [{ direct_members: [], direct_subgroups: [members] }, members],
    [
      { direct_members: [ben.id, ann.id], direct_subgroups: [members] },
      { direct_members: [ann.id, ben.id], direct_subgroups: [members] },
    ],
  ]
  for (const [given, expected] of shown) {
    const { group_id } = await ann.does(groups.createUserGroup, {
      ...named(`group ${JSON.stringify(given)}`),
      can_join_group: given,
    })
    const { user_groups } = await ann.does(groups.getUserGroups)
    assert.deepEqual(user_groups.find(({ id }) => id === group_id)!.can_join_group, expected)
  }
})

test('events are complete: a new group', async () => {
  const { ann, ben, gus } = await newWorld()
  await verifyEvents([ann, ben, gus], async () => {
    const { group_id: inner } = await ann.does(groups.createUserGroup, named('inner', [ben.id]))
    await ann.does(groups.createUserGroup, { ...named('outer'), subgroups: [inner] })
  })
})

/** The system groups that each setting does not allow. */
const forbidden = {
  can_add_members_group: ['role:everyone', 'role:internet'],
  can_join_group: ['role:everyone', 'role:internet'],
  can_leave_group: ['role:internet'],
  can_manage_group: ['role:everyone', 'role:internet'],
  can_mention_group: ['role:owners', 'role:internet'],
  can_remove_members_group: ['role:everyone', 'role:internet'],
}

for (const [setting, refused] of Object.entries(forbidden))
  test(`${setting} accepts every system group except ${refused.join(' and ')}, alone or among others`, async () => {
    const { ann, ctx, realmId } = await newWorld()
    const { systemGroups } = (await ctx.realms.get(realmId)).realm
    for (const [name, id] of Object.entries(systemGroups)) {
      const params = { description: '', members: [] }
      const alone = await ann.request(groups.createUserGroup, { ...params, name: `${name.slice(5)} 1`, [setting]: id })
      assert.equal(alone.status, refused.includes(name) ? 400 : 200, name)
      const value = { direct_members: [ann.id], direct_subgroups: [id] }
      const among = await ann.request(groups.createUserGroup, {
        ...params,
        name: `${name.slice(5)} 2`,
        [setting]: value,
      })
      const isTooLarge = refused.includes(name) && name !== 'role:owners'
      assert.equal(among.status, isTooLarge ? 400 : 200, name)
    }
  })
