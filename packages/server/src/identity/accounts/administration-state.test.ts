import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Role, roles } from '@parley/api/common'
import { archiveChannel, getChannelId, updateChannel } from '@parley/api/conversations/channels'
import { subscribe } from '@parley/api/conversations/subscriptions'
import * as api from '@parley/api/identity/accounts'
import { createUserGroup, deactivateUserGroup, getUserGroups } from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import { updateSettings } from '@parley/api/people/own-settings'
import { updatePresence } from '@parley/api/people/presence'
import { updateStatus } from '@parley/api/people/status'
import { transactIn } from '../../context.ts'
import { grant } from '../../people/users/actions.ts'
import type { Actor } from '../../testing/actor.ts'
import { openToWeb } from '../../testing/channels.ts'
import { everything, legacyClient, verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

const of = (actor: { id: number }) => ({ path: { user_id: actor.id } })

async function populatedWorld(): Promise<World> {
  const world = await newWorld()
  const { olga, ann, ben, gus, ctx, realmId } = world
  await ann.does(subscribe, { subscriptions: [{ name: 'verona' }, { name: 'padua' }], principals: [ann.id, ben.id] })
  await ann.does(subscribe, { subscriptions: [{ name: 'verona' }], principals: [gus.id] })
  await ann.does(subscribe, { subscriptions: [{ name: 'den' }], invite_only: true })
  await olga.does(subscribe, { subscriptions: [{ name: 'web' }], is_default_stream: true })
  await openToWeb(world, 'web')
  const settings = JSON.stringify({ email_address_visibility: 3 })
  await ctx.db.updateTable('users').set({ settings }).where('id', '=', ben.id).execute()
  await transactIn(ctx, realmId, (tx) => grant(tx, olga.id, ['can_create_users', 'can_change_user_emails']))
  await nameBen(world)
  return world
}

/** Ben is named by permissions of the organization, of a channel and of a group, has a status and was here. */
async function nameBen({ olga, ann, ben }: World): Promise<void> {
  const value = { direct_members: [ben.id], direct_subgroups: [] }
  const { stream_id } = await ann.does(getChannelId, { stream: 'padua' })
  await olga.does(updateRealm, { can_create_public_channel_group: { new: value } })
  await ann.does(updateChannel, { path: { stream_id }, can_remove_subscribers_group: { new: value } })
  await ann.does(createUserGroup, { name: 'friends', description: '', members: [ben.id], can_manage_group: value })
  await ben.does(updateStatus, { status_text: 'here', emoji_name: 'tada' })
  await ben.does(updatePresence, { status: 'active' })
}

function keepsStateTrue(name: string, act: (world: World) => Promise<unknown>, viewers?: (world: World) => Actor[]) {
  for (const registration of [everything, legacyClient])
    test(`state after events equals a new state: ${name} (${registration === everything ? 'now' : 'long ago'})`, async () => {
      const world = await populatedWorld()
      const { olga, adam, mona, ann, ben, gus } = world
      await verifyEvents(viewers?.(world) ?? [olga, adam, mona, ann, ben, gus], () => act(world), registration)
    })
}

const becomes =
  (of: (world: World) => Actor, ...steps: Role[]) =>
  async (world: World) => {
    for (const role of steps) await world.olga.does(api.updateUser, { path: { user_id: of(world).id }, role })
  }

keepsStateTrue(
  'a member becomes administrator',
  becomes(({ ben }) => ben, roles.admin),
)
keepsStateTrue(
  'a member becomes owner',
  becomes(({ ann }) => ann, roles.owner),
)
keepsStateTrue(
  'a moderator becomes member',
  becomes(({ mona }) => mona, roles.member),
)
keepsStateTrue(
  'an administrator becomes member',
  becomes(({ adam }) => adam, roles.member),
)
keepsStateTrue(
  'a guest becomes member',
  becomes(({ gus }) => gus, roles.member),
)
keepsStateTrue(
  'a member becomes guest',
  becomes(({ ben }) => ben, roles.guest),
)
keepsStateTrue(
  'a guest rises and falls',
  becomes(({ gus }) => gus, roles.member, roles.admin, roles.guest),
)
keepsStateTrue('a new name', ({ olga, ann }) => olga.does(api.updateUser, { ...of(ann), full_name: 'Anna' }))
keepsStateTrue(
  'a new address',
  ({ olga, ann, host }) => olga.does(api.updateUser, { ...of(ann), new_email: `anna@${host}` }),
  ({ olga, adam, ben, gus }) => [olga, adam, ben, gus],
)
keepsStateTrue(
  'a new address that few can see',
  ({ olga, ben, host }) => olga.does(api.updateUser, { ...of(ben), new_email: `benno@${host}` }),
  ({ olga, adam, ann, gus }) => [olga, adam, ann, gus],
)
keepsStateTrue('a new account', ({ olga, host }) =>
  olga.does(api.createUser, { email: `nora@${host}`, password: 'correct horse battery', full_name: 'Nora' }),
)
keepsStateTrue(
  'a deactivated account',
  ({ olga, ann }) => olga.does(api.deactivateUser, of(ann)),
  ({ olga, adam, ben, gus }) => [olga, adam, ben, gus],
)
keepsStateTrue(
  'an account that goes and comes back',
  async ({ olga, ben }) => {
    await olga.does(api.deactivateUser, of(ben))
    await olga.does(api.reactivateUser, of(ben))
  },
  ({ olga, adam, ann, gus }) => [olga, adam, ann, gus],
)

/** Padua is public, den is private; Ben is subscribed to padua. */
async function archivedWorld(): Promise<World> {
  const world = await populatedWorld()
  for (const stream of ['padua', 'den']) {
    const { stream_id } = await world.olga.does(getChannelId, { stream })
    await world.olga.does(archiveChannel, { path: { stream_id } })
  }
  return world
}

for (const [change, role] of [
  ['a member becomes guest', roles.guest],
  ['a member becomes administrator', roles.admin],
] as const)
  test(`events account for archived channels: ${change}`, async () => {
    const { olga, mona } = await archivedWorld()
    await verifyEvents([olga, mona], () => olga.does(api.updateUser, { ...of(mona), role }))
  })

/** Friends is a group that Ben may manage. */
async function deactivateFriends({ olga }: World): Promise<void> {
  const { user_groups } = await olga.does(getUserGroups)
  const { id: user_group_id } = user_groups.find(({ name }) => name === 'friends')!
  await olga.does(deactivateUserGroup, { path: { user_group_id } })
}

for (const [clients, registration] of Object.entries({ everything, legacyClient }))
  test(`events account for archived channels and deactivated groups: an account goes and comes back (${clients})`, async () => {
    const world = await archivedWorld()
    const { olga, ann, ben } = world
    await deactivateFriends(world)
    const comeBack = async () => {
      await olga.does(api.deactivateUser, of(ben))
      await olga.does(api.reactivateUser, of(ben))
    }
    await verifyEvents([olga, ann], comeBack, registration)
  })

/** Guests know only of those they have to do with: Gus of Ann and Ben, who are in verona. */
async function limited(): Promise<World> {
  const world = await populatedWorld()
  const { olga, ctx, realmId } = world
  const { realm } = await ctx.realms.get(realmId)
  await olga.does(updateRealm, { can_access_all_users_group: { new: realm.systemGroups['role:members'] } })
  return world
}

test('events keep the state of restricted guests up to date', async () => {
  const { olga, adam, mona, ann, gus, host } = await limited()
  await verifyEvents([olga, ann, gus], async () => {
    await olga.does(api.updateUser, { ...of(mona), full_name: 'Monica', role: roles.member })
    await olga.does(api.updateUser, { ...of(ann), full_name: 'Anna', role: roles.moderator })
    await olga.does(api.updateUser, { ...of(mona), new_email: `monica@${host}` })
    await olga.does(api.deactivateUser, of(adam))
    await olga.does(api.deactivateUser, of(mona))
    await olga.does(api.reactivateUser, of(mona))
  })
})

test('guests receive no events about users hidden from them', async () => {
  const { olga, adam, mona, gus, host } = await limited()
  await gus.registers(everything)
  await olga.does(api.updateUser, { ...of(mona), full_name: 'Canary', new_email: `canary@${host}` })
  await olga.does(api.deactivateUser, of(adam))
  await olga.does(api.reactivateUser, of(adam))
  mona.credentials.email = `canary@${host}`
  await mona.does(updateSettings, { timezone: 'Europe/Rome', email_address_visibility: 3 })
  const received = JSON.stringify(await gus.reads()).toLowerCase()
  assert.ok(!received.includes('canary') && !received.includes('rome'))
  assert.deepEqual(await gus.receives('realm_user'), [])
})

test('a user whose new role makes other users visible must register again', async () => {
  const { olga, gus } = await limited()
  await gus.registers(everything)
  await olga.does(api.updateUser, { ...of(gus), role: roles.member })
  await assert.rejects(gus.reads(), /BAD_EVENT_QUEUE_ID/)
})
