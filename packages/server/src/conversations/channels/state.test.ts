import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelObject } from '@parley/api/conversations/channels'
import * as api from '@parley/api/conversations/subscriptions'
import type { Actor } from '../../testing/actor.ts'
import { openToWeb } from '../../testing/channels.ts'
import { restrictGuests } from '../../testing/configure-realm.ts'
import { everything, legacyClient, verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

const named = (...names: string[]) => ({ subscriptions: names.map((name) => ({ name })) })

interface State {
  subscriptions: api.SubscriptionObject[]
  unsubscribed: api.SubscriptionObject[]
  never_subscribed: (ChannelObject & { subscribers?: number[] })[]
  streams: ChannelObject[]
  realm_default_streams: number[]
}

const capabilities = { notification_settings_null: true }

async function stateOf(actor: Actor, params: Parameters<Actor['registers']>[0] = {}): Promise<State> {
  const fetch_event_types = ['subscription', 'stream', 'default_streams']
  return (await actor.registers({ fetch_event_types, ...params })) as unknown as State
}

const namesOf = (channels: { name: string }[]) => channels.map(({ name }) => name)

test('channels are split into subscribed, unsubscribed and never subscribed, each sorted by name', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, named('d', 'c', 'b', 'a'))
  await ann.does(api.subscribe, { ...named('secret'), invite_only: true, principals: [ann.id, ben.id] })
  await ann.does(api.subscribe, { ...named('hidden'), invite_only: true })
  await ben.does(api.subscribe, named('d', 'b', 'c'))
  await ben.does(api.unsubscribe, { subscriptions: ['c', 'secret'] })
  const state = await stateOf(ben)
  assert.deepEqual(namesOf(state.subscriptions), ['b', 'd'])
  assert.deepEqual(namesOf(state.unsubscribed), ['c'])
  assert.deepEqual(namesOf(state.never_subscribed), ['a'])
  assert.deepEqual(namesOf(state.streams), ['a', 'b', 'c', 'd'])
})

test('guests see subscribed and web-public channels; administrators see that private channels exist', async () => {
  const world = await newWorld()
  const { ann, gus, olga } = world
  await ann.does(api.subscribe, named('public', 'joined'))
  await ann.does(api.subscribe, { ...named('joined'), principals: [gus.id] })
  await ann.does(api.subscribe, { ...named('secret'), invite_only: true })
  await olga.does(api.subscribe, { ...named('web'), is_default_stream: true })
  await openToWeb(world, 'web')
  const guest = await stateOf(gus)
  assert.deepEqual(namesOf(guest.subscriptions), ['joined'])
  assert.deepEqual(namesOf(guest.never_subscribed), ['web'])
  assert.deepEqual(guest.realm_default_streams, [])
  const owner = await stateOf(olga)
  assert.deepEqual(namesOf(owner.never_subscribed), ['joined', 'public', 'secret'])
  assert.equal(owner.realm_default_streams.length, 1)
})

test('subscribers are included on request', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, { ...named('x'), principals: [ben.id, ann.id] })
  await ann.does(api.subscribe, named('y'))
  const state = await stateOf(ben)
  assert.deepEqual(state.subscriptions[0]?.subscribers, [ann.id, ben.id])
  assert.deepEqual(state.never_subscribed[0]?.subscribers, [ann.id])
  const without = await stateOf(ben, { include_subscribers: false })
  assert.equal(without.subscriptions[0]?.subscribers, undefined)
  assert.equal(without.never_subscribed[0]?.subscribers, undefined)
})

test('clients that cannot inherit notification settings get the inherited values', async () => {
  const { ann, ctx } = await newWorld()
  await ctx.db
    .updateTable('users')
    .set({ settings: JSON.stringify({ enable_stream_push_notifications: true }) })
    .where('id', '=', ann.id)
    .execute()
  await ann.does(api.subscribe, named('x'))
  const [plain] = (await stateOf(ann, { client_capabilities: { notification_settings_null: false } })).subscriptions
  assert.deepEqual(
    [plain?.push_notifications, plain?.desktop_notifications, plain?.wildcard_mentions_notify],
    [true, false, null],
  )
  assert.equal((await stateOf(ann)).subscriptions[0]?.push_notifications, null)
})

test('only clients that support archived channels get them', async () => {
  const { ann, ctx, realmId } = await newWorld()
  await ann.does(api.subscribe, named('x'))
  await ctx.db.updateTable('channels').set({ is_archived: true }).where('realm_id', '=', realmId).execute()
  assert.deepEqual((await stateOf(ann)).subscriptions, [])
  const state = await stateOf(ann, { client_capabilities: { ...capabilities, archived_channels: true } })
  assert.equal(state.subscriptions[0]?.is_archived, true)
  assert.equal(state.streams[0]?.is_archived, true)
})

test('channel objects in events equal those in a new registration', async () => {
  const { ann, ben, mona } = await newWorld()
  for (const one of [ann, ben, mona]) await one.registers()
  await ann.does(api.subscribe, { ...named('x', 'y'), invite_only: true, principals: [ann.id, ben.id, mona.id] })
  for (const one of [ann, ben, mona]) {
    const created = (await one.receives('stream')).flatMap((event) => (event.op === 'create' ? event.streams : []))
    const added = (await one.receives('subscription')).flatMap((event) =>
      event.op === 'add' ? event.subscriptions : [],
    )
    const state = await stateOf(one)
    assert.deepEqual(state.streams, created)
    assert.deepEqual(state.subscriptions, added)
  }
})

test('applying the events gives the same state as a new registration', async () => {
  const world = await newWorld()
  const { ann, ben, gus, adam, olga } = world
  const users = [ann, ben, gus, adam]
  for (const params of [everything, legacyClient]) {
    const [open, secret, web] = ['open', 'secret', 'web'].map((name) => `${name} ${params === everything}`)
    await olga.does(api.subscribe, { ...named(web!), principals: [olga.id, ben.id] })
    await openToWeb(world, web!)
    const act = async () => {
      await adam.does(api.subscribe, { ...named(open!), is_default_stream: true })
      await ann.does(api.subscribe, { ...named(secret!), invite_only: true, principals: [ann.id, ben.id] })
      await ann.does(api.subscribe, { ...named(open!), principals: [gus.id, ben.id] })
      await ann.does(api.subscribe, { ...named(secret!), principals: [gus.id] })
      await ann.sends({ channel: secret! })
      await gus.does(api.unsubscribe, { subscriptions: [open!] })
      await adam.does(api.unsubscribe, { subscriptions: [secret!], principals: [ann.id, ben.id] })
      await ben.does(api.unsubscribe, { subscriptions: [web!] })
      await ben.does(api.subscribe, named(web!))
    }
    await verifyEvents(users, act, params)
  }
})

test('guests with restricted visibility do not get the subscribers of channels they are not subscribed to', async () => {
  const { olga, ben, gus, ctx, realmId } = await newWorld()
  await restrictGuests({ ctx, realmId })
  await olga.does(api.subscribe, named('web'))
  await openToWeb({ ctx, realmId }, 'web')
  assert.deepEqual((await stateOf(gus)).never_subscribed[0]?.subscribers, [])
  await ben.does(api.subscribe, named('web'))
  assert.deepEqual(await gus.receives('subscription'), [])
})
