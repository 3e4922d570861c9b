import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { sendMessage } from '@parley/api/conversations/messages'
import { subscribe, unsubscribe } from '@parley/api/conversations/subscriptions'
import { updateStatus } from '@parley/api/people/status'
import { getUser } from '@parley/api/people/users'
import { addAccount } from '../../../identity/accounts/create-account.ts'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { restrictGuests } from '../../../testing/configure-realm.ts'
import { everything, legacyClient, verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'

type Acted = World & { gina: Actor }

/** Guests see few: Gus shares verona with Ann and hall with Ann and Ben; Gina sees nobody. Mona says what she is doing. */
async function populatedWorld(): Promise<Acted> {
  const world = await newWorld()
  const { ann, ben, gus, mona, adam, add } = world
  const gina = await add('gina', roles.guest)
  await inChannel('verona', [ann, gus])
  await inChannel('hall', [ann, ben, gus])
  await inChannel('den', [adam, mona], { invite_only: true })
  await mona.does(updateStatus, { status_text: 'on the road' })
  await restrictGuests(world)
  return { ...world, gina }
}

function staysTrue(name: string, act: (world: Acted) => Promise<unknown>): void {
  for (const [registration, client] of [
    [everything, 'a client of today'],
    [legacyClient, 'a client from long ago'],
  ] as const)
    test(`guests with limited sight, with ${client}, know everything: ${name}`, async () => {
      const world = await populatedWorld()
      await verifyEvents([world.gus, world.gina, world.ann], () => act(world), registration)
    })
}

const joins = (by: Actor, channel: string, ...people: Actor[]) =>
  by.does(subscribe, { subscriptions: [{ name: channel }], principals: people.map(({ id }) => id) })
const leaves = (by: Actor, channel: string, ...people: Actor[]) =>
  by.does(unsubscribe, { subscriptions: [channel], principals: people.map(({ id }) => id) })

staysTrue('a user joins their channel', ({ mona }) => joins(mona, 'verona', mona))
staysTrue('they join a channel', ({ adam, gina, gus }) => joins(adam, 'den', gina, gus))
staysTrue('a channel is made for them', ({ ann, mona, gina, gus }) => joins(ann, 'new', mona, gina, gus))
staysTrue('a user leaves a channel, but not the last common one', ({ ann }) => leaves(ann, 'verona', ann))
staysTrue('a user leaves the last common channel', ({ ben }) => leaves(ben, 'hall', ben))
staysTrue('they leave channels', async ({ gus }) => {
  await gus.does(unsubscribe, { subscriptions: ['verona', 'hall'] })
})
staysTrue('a user comes and goes and comes', async ({ mona, gus }) => {
  await joins(mona, 'verona', mona)
  await leaves(mona, 'verona', mona)
  await joins(mona, 'verona', mona)
  await leaves(gus, 'verona', gus)
})
staysTrue('a user writes to them', ({ mona, gus }) => mona.sends({ to: [gus] }))
staysTrue('a user writes to them and others', ({ mona, ben, gus, gina }) => mona.sends({ to: [ben, gus, gina] }))
staysTrue('a user who wrote leaves the last common channel', async ({ ben, gus }) => {
  await ben.sends({ to: [gus] })
  await leaves(ben, 'hall', ben)
})
staysTrue('an account is made', ({ add }) => add('nora'))
staysTrue('an account is made that joins their channel', async ({ adam, ctx, realmId, host, gus }) => {
  await adam.does(subscribe, { subscriptions: [{ name: 'lobby' }], principals: [gus.id], is_default_stream: true })
  const { realm } = await ctx.realms.get(realmId)
  await addAccount(ctx, realm, { email: `nora@${host}`, full_name: 'Nora', role: roles.member })
})

test('a user who becomes visible to a guest is added before their first message', async () => {
  const { mona, gus } = await populatedWorld()
  await gus.registers(everything)
  await mona.sends({ to: [gus] })
  const received = (await gus.reads()).map(({ type }) => type)
  assert.deepEqual(received.slice(0, 3), ['realm_user', 'user_status', 'message'])
  const [event] = await gus.receives('realm_user')
  assert.equal(event?.op === 'add' && event.person.full_name, 'Mona')
})

test('a user who becomes hidden is removed, and no longer found', async () => {
  const { ben, gus } = await populatedWorld()
  await gus.registers(everything)
  await leaves(ben, 'hall', ben)
  const [event] = await gus.receives('realm_user')
  assert.deepEqual([event?.op, event?.person], ['remove', { user_id: ben.id, full_name: 'Unknown user' }])
  await gus.isRefused(getUser, { path: { user_id: ben.id } })
})

test('other users receive no events about the users a guest meets', async () => {
  const { mona, ann, gina, gus } = await populatedWorld()
  await ann.registers(everything)
  await gina.registers(everything)
  await mona.sends({ to: [gus] })
  assert.deepEqual(await ann.reads(), [])
  assert.deepEqual(await gina.reads(), [])
})

test('a guest cannot write to a hidden user, who fails like one that does not exist', async () => {
  const { gus, mona, ann } = await populatedWorld()
  const writesTo = (to: unknown[]) =>
    gus.isRefused(sendMessage, { type: 'direct', to, content: 'hello' }).then(({ msg, code }) => ({
      code,
      msg: msg.replace(String(to[0]), '…'),
    }))
  assert.deepEqual(await writesTo([mona.id]), await writesTo([999_999_999]))
  assert.deepEqual(await writesTo([mona.credentials.email]), await writesTo(['nobody@x.example']))
  await gus.sends({ to: [ann] })
})

test('concurrent subscribing and unsubscribing leaves a guest with the correct users', async () => {
  const { mona, gus, adam } = await populatedWorld()
  await joins(mona, 'verona', mona)
  await joins(adam, 'den', gus)
  await verifyEvents([gus], () => Promise.all([leaves(mona, 'verona', mona), leaves(gus, 'den', gus)]))
})
