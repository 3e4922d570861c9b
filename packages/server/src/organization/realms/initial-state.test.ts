import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerParts } from '@parley/api/delivery/register'
import { buildApp } from '../../http/app.ts'
import { Actor } from '../../testing/actor.ts'
import { configureRealm } from '../../testing/configure-realm.ts'
import { newWorld } from '../../testing/world.ts'

const only = { fetch_event_types: ['realm'] }

test('the state contains every declared field of the organization', async () => {
  const { ann } = await newWorld()
  const state = await ann.registers(only)
  const missing = Object.keys(registerParts.realm).filter((name) => !(name in state))
  assert.deepEqual(missing, [])
})

test('settings have defaults until the organization sets them', async () => {
  const world = await newWorld()
  const { ann } = world
  const fresh = await ann.registers(only)
  assert.equal(fresh.realm_message_content_edit_limit_seconds, 600)
  assert.equal(fresh.realm_allow_edit_history, true)
  assert.equal(fresh.realm_message_retention_days, -1)

  const settings = { message_content_edit_limit_seconds: null, message_edit_history_visibility_policy: 'none' }
  await configureRealm(world, settings)

  const changed = await ann.registers(only)
  assert.equal(changed.realm_message_content_edit_limit_seconds, null)
  assert.equal(changed.realm_allow_edit_history, false)
})

test('the realm URL is the one that the client used, without a trailing slash', async () => {
  const { ann, host } = await newWorld()
  const state = await ann.registers(only)
  assert.equal(state.realm_url, `http://${host}`)
  assert.equal(state.realm_uri, state.realm_url)
  assert.equal(state.realm_bot_domain, host)
})

test('a permission is the id of a named group, or the members and subgroups of an unnamed one', async () => {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  const { realm } = await ctx.realms.get(realmId)
  const { 'role:nobody': nobody, 'role:moderators': moderators, 'role:everyone': everyone } = realm.systemGroups
  const { id } = await ctx.db
    .insertInto('user_groups')
    .values({
      realm_id: realmId,
      can_add_members_group: nobody,
      can_join_group: nobody,
      can_leave_group: nobody,
      can_manage_group: nobody,
      can_mention_group: nobody,
      can_remove_members_group: nobody,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db.insertInto('group_members').values({ realm_id: realmId, group_id: id, user_id: ben.id }).execute()
  await ctx.db
    .insertInto('group_subgroups')
    .values({ realm_id: realmId, group_id: id, subgroup_id: moderators })
    .execute()
  await configureRealm(world, {}, { can_mention_many_users_group: id })

  const state = await ann.registers(only)

  assert.equal(state.realm_can_access_all_users_group, everyone)
  assert.deepEqual(state.realm_can_mention_many_users_group, {
    direct_members: [ben.id],
    direct_subgroups: [moderators],
  })
  assert.equal(state.realm_wildcard_mention_policy, 1)
})

test('older clients get permissions as numbers', async () => {
  const world = await newWorld()
  const { ann } = world
  const fresh = await ann.registers(only)
  await configureRealm(
    world,
    {},
    {
      can_create_public_channel_group: 'role:administrators',
      can_create_private_channel_group: 'role:owners',
      can_create_web_public_channel_group: 'role:nobody',
    },
  )
  const changed = await ann.registers(only)

  const numbers = (state: Record<string, unknown>) => [
    state.realm_create_public_stream_policy,
    state.realm_create_private_stream_policy,
    state.realm_create_web_public_stream_policy,
    state.realm_wildcard_mention_policy,
  ]
  assert.deepEqual(numbers(fresh), [1, 1, 7, 5])
  assert.deepEqual(numbers(changed), [2, 1, 6, 5])
})

test('clients get the groups that each permission can be given to', async () => {
  const { ann } = await newWorld()
  const { server_supported_permission_settings: supported } = await ann.registers(only)
  const { realm, stream, group } = supported!
  assert.deepEqual(realm?.can_access_all_users_group, {
    require_system_group: true,
    allow_internet_group: false,
    allow_nobody_group: false,
    allow_everyone_group: true,
    default_group_name: 'role:everyone',
    default_for_system_groups: null,
    allowed_system_groups: ['role:everyone', 'role:members'],
  })
  assert.deepEqual(group?.can_manage_group, {
    require_system_group: false,
    allow_internet_group: false,
    allow_nobody_group: true,
    allow_everyone_group: false,
    default_group_name: 'group_creator',
    default_for_system_groups: 'role:nobody',
    allowed_system_groups: [],
  })
  assert.equal(Object.keys(stream!).length, 5)
})

test('only the demo server offers sign-in without a password', async () => {
  const { ann, ctx } = await newWorld()
  const app = buildApp({ ...ctx, config: { ...ctx.config, mode: 'demo' } })
  const demoAnn = new Actor(app, ann.id, ann.name, ann.credentials)

  const production = await ann.registers(only)
  const demo = await demoAnn.registers(only)
  await app.close()

  assert.deepEqual(Object.keys(production.realm_authentication_methods!), ['Email'])
  assert.deepEqual(Object.keys(demo.realm_authentication_methods!), ['Email', 'Dev'])
  assert.deepEqual([production.development_environment, demo.development_environment], [false, true])
})
