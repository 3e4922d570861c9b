import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import * as api from '@parley/api/people/users'
import type { Actor } from '../../../testing/actor.ts'
import { restrictGuests } from '../../../testing/configure-realm.ts'
import { newWorld, type World } from '../../../testing/world.ts'

/** A channel with these people in it. */
async function shareChannel({ ctx, realmId }: World, people: Actor[]): Promise<void> {
  const { realm } = await ctx.realms.get(realmId)
  const group = realm.systemGroups['role:everyone']
  const channel = await ctx.db
    .insertInto('channels')
    .values({
      realm_id: realmId,
      name: 'shared',
      name_key: 'shared',
      can_add_subscribers_group: group,
      can_administer_channel_group: group,
      can_remove_subscribers_group: group,
      can_send_message_group: group,
      can_subscribe_group: group,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('subscriptions')
    .values(
      people.map(({ id }) => ({
        realm_id: realmId,
        user_id: id,
        channel_id: channel.id,
        is_active: true,
        color: '#76ce90',
      })),
    )
    .execute()
}

test('a guest sees everybody while the organization allows it', async () => {
  const { gus } = await newWorld()
  assert.equal((await gus.does(api.getUsers)).members.length, 6)
})

test('a restricted guest sees themselves, bots, and users who share a channel or conversation', async () => {
  const world = await newWorld()
  const { gus, ann, ben, mona, add } = world
  const bot = await add('helper', roles.member, { bot_type: 1, bot_owner_id: mona.id })
  await restrictGuests(world)
  await shareChannel(world, [gus, ann])
  await ben.sends({ to: [gus] })

  const { members } = await gus.does(api.getUsers)

  assert.deepEqual(new Set(members.map(({ user_id }) => user_id)), new Set([gus.id, ann.id, ben.id, bot.id]))
  assert.equal((await mona.does(api.getUsers)).members.length, 7)
})

test('a hidden user is refused exactly like one that does not exist', async () => {
  const world = await newWorld()
  const { gus, ann, mona, host } = world
  await restrictGuests(world)
  await shareChannel(world, [gus, ann])

  const hidden = await gus.isRefused(api.getUser, { path: { user_id: mona.id } })

  assert.deepEqual(hidden, await gus.isRefused(api.getUser, { path: { user_id: 999_999_999 } }))
  for (const email of [`mona@${host}`, `user${mona.id}@${host}`])
    assert.deepEqual(await gus.isRefused(api.getUserByEmail, { path: { email } }), hidden)
  assert.equal((await gus.does(api.getUser, { path: { user_id: ann.id } })).user.user_id, ann.id)
  assert.equal((await gus.does(api.getOwnUser)).user_id, gus.id)
})

test('a user who left the shared channel is hidden again', async () => {
  const world = await newWorld()
  const { gus, ann, ctx } = world
  await restrictGuests(world)
  await shareChannel(world, [gus, ann])
  await ctx.db.updateTable('subscriptions').set({ is_active: false }).where('user_id', '=', ann.id).execute()

  await gus.isRefused(api.getUser, { path: { user_id: ann.id } })
})

test('registering, a guest with limited sight gets placeholders for the others, or nothing if the client can do without', async () => {
  const world = await newWorld()
  const { gus, ann, mona, host } = world
  await restrictGuests(world)
  await shareChannel(world, [gus, ann])

  const state = await gus.registers({ fetch_event_types: ['realm_user'], client_capabilities: undefined })
  const users = state.realm_users!
  const stranger = users.find(({ user_id }) => user_id === mona.id)
  const capabilities = { notification_settings_null: true, user_list_incomplete: true }
  const short = await gus.registers({ fetch_event_types: ['realm_user'], client_capabilities: capabilities })

  assert.equal(users.length, 6)
  assert.equal(stranger?.full_name, 'Unknown user')
  assert.equal(stranger?.email, `user${mona.id}@${host}`)
  assert.equal(stranger?.delivery_email, null)
  assert.equal(stranger?.role, roles.member)
  assert.equal(stranger?.date_joined, '1970-01-01T00:00+00:00')
  assert.equal(users.find(({ user_id }) => user_id === ann.id)?.full_name, 'Ann')
  assert.deepEqual(
    short.realm_users!.map(({ user_id }) => user_id),
    [ann.id, gus.id],
  )
})

test('restricted guests get a placeholder for a new user, unless the client accepts an incomplete list', async () => {
  const world = await newWorld()
  await restrictGuests(world)
  await world.gus.registers({ fetch_event_types: [] })
  await world.ann.registers({ fetch_event_types: [] })

  await world.add('nora')

  const named = async (actor: Actor) =>
    (await actor.receives('realm_user')).map(({ person }) => (person as { full_name: string }).full_name)
  assert.deepEqual([await named(world.ann), await named(world.gus)], [['Nora'], ['Unknown user']])
  await world.gus.registers({ client_capabilities: { notification_settings_null: true, user_list_incomplete: true } })
  await world.add('nick')
  assert.deepEqual(await world.gus.receives('realm_user'), [])
})
