import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserGroup } from '@parley/api/organization/groups'
import { systemGroupNames } from '@parley/api/permission-settings'
import type { Actor } from '../../testing/actor.ts'
import { newWorld, type World } from '../../testing/world.ts'

async function groupsFor(actor: Actor, capabilities = {}): Promise<UserGroup[]> {
  const state = await actor.registers({
    fetch_event_types: ['realm_user_groups'],
    client_capabilities: { notification_settings_null: true, ...capabilities },
  })
  return state.realm_user_groups!
}

async function addGroup(
  { ctx, realmId }: World,
  name: string | null,
  more: { creator?: Actor; deactivated?: boolean },
) {
  const { realm } = await ctx.realms.get(realmId)
  const nobody = realm.systemGroups['role:nobody']
  const { id } = await ctx.db
    .insertInto('user_groups')
    .values({
      realm_id: realmId,
      name,
      description: 'Those who cook',
      creator_id: more.creator?.id ?? null,
      date_created: new Date(1_700_000_000_000),
      deactivated: more.deactivated ?? false,
      can_add_members_group: nobody,
      can_join_group: nobody,
      can_leave_group: realm.systemGroups['role:everyone'],
      can_manage_group: nobody,
      can_mention_group: nobody,
      can_remove_members_group: nobody,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

test('the system groups contain each other and the users of their role', async () => {
  const { ann, ben, olga, gus } = await newWorld()

  const groups = await groupsFor(ann)

  assert.deepEqual(
    groups.map(({ name }) => name),
    systemGroupNames,
  )
  const byName = Object.fromEntries(groups.map((group) => [group.name, group]))
  assert.deepEqual(byName['role:owners']?.members, [olga.id])
  assert.deepEqual(byName['role:members']?.members, [ann.id, ben.id])
  assert.deepEqual(byName['role:fullmembers']?.members, [ann.id, ben.id])
  assert.deepEqual(byName['role:everyone']?.members, [gus.id])
  assert.deepEqual(byName['role:everyone']?.direct_subgroup_ids, [byName['role:members']?.id])
  assert.deepEqual(byName['role:nobody']?.direct_subgroup_ids, [])
  assert.equal(byName['role:owners']?.can_manage_group, byName['role:nobody']?.id)
  assert.deepEqual([byName['role:owners']?.creator_id, byName['role:owners']?.date_created], [null, null])
})

test('a group has its creator, its permissions and its active members', async () => {
  const world = await newWorld()
  const { ann, ben, gus, ctx, realmId } = world
  const id = await addGroup(world, 'cooks', { creator: ann })
  const unnamed = await addGroup(world, null, {})
  await ctx.db
    .insertInto('group_members')
    .values([
      { realm_id: realmId, group_id: id, user_id: ben.id },
      { realm_id: realmId, group_id: id, user_id: gus.id },
      { realm_id: realmId, group_id: unnamed, user_id: ann.id },
    ])
    .execute()
  await ctx.db.updateTable('user_groups').set({ can_manage_group: unnamed }).where('id', '=', id).execute()
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', ben.id).execute()

  const groups = await groupsFor(gus)

  const cooks = groups.find(({ name }) => name === 'cooks')
  assert.equal(groups.length, 9)
  assert.deepEqual(cooks?.members, [gus.id])
  assert.deepEqual(cooks?.can_manage_group, { direct_members: [ann.id], direct_subgroups: [] })
  assert.deepEqual([cooks?.creator_id, cooks?.date_created, cooks?.is_system_group], [ann.id, 1_700_000_000, false])
})

test('only clients that support deactivated groups get them', async () => {
  const world = await newWorld()
  const id = await addGroup(world, 'cooks', { deactivated: true })
  const without = await groupsFor(world.ann)
  const withThem = await groupsFor(world.ann, { include_deactivated_groups: true })
  assert.equal(
    without.some((group) => group.id === id),
    false,
  )
  assert.equal(withThem.find((group) => group.id === id)?.deactivated, true)
})
