import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/subscriptions'
import { newWorld, type World } from '../../testing/world.ts'

const named = (...names: string[]) => ({ subscriptions: names.map((name) => ({ name })) })

function channelsOf({ ctx, realmId }: World) {
  return ctx.db.selectFrom('channels').select(['id', 'name']).where('realm_id', '=', realmId).execute()
}

test('users who create the same channel concurrently are all subscribed to a single channel', async () => {
  const world = await newWorld()
  const users = [world.ann, world.ben, world.mona, world.adam, world.olga]
  const answers = await Promise.all(users.map((one) => one.does(api.subscribe, named('x'))))
  assert.deepEqual(
    answers.map(({ subscribed }) => Object.values(subscribed)),
    users.map(() => [['x']]),
  )
  assert.equal((await channelsOf(world)).length, 1)
  const { subscriptions } = await world.ann.does(api.getSubscriptions, { include_subscribers: true })
  assert.equal(subscriptions[0]?.subscribers?.length, users.length)
})

test('requests that name the same channels in different orders do not deadlock', async () => {
  const world = await newWorld()
  const { ann, ben, mona, adam } = world
  await Promise.all([
    ann.does(api.subscribe, named('a', 'b', 'c', 'd')),
    ben.does(api.subscribe, named('d', 'c', 'b', 'a')),
    mona.does(api.subscribe, named('c', 'a')),
    adam.does(api.subscribe, { ...named('b', 'd'), principals: [ann.id, ben.id, adam.id] }),
  ])
  assert.equal((await channelsOf(world)).length, 4)
})

test('concurrent requests to subscribe create one subscription', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  await ann.does(api.subscribe, named('x'))
  await ben.registers()
  await Promise.all(Array.from({ length: 5 }, () => ben.does(api.subscribe, named('x'))))
  const periods = await ctx.db
    .selectFrom('subscription_periods')
    .select('from_event')
    .where('realm_id', '=', realmId)
    .where('user_id', '=', ben.id)
    .execute()
  assert.equal(periods.length, 1)
  assert.equal((await ben.receives('subscription')).length, 1)
})

test('a user who subscribes and unsubscribes while others send receives each message sent in between exactly once', async () => {
  const { ann, ben, mona, ctx, realmId } = await newWorld()
  await ann.does(api.subscribe, { ...named('x'), principals: [ann.id, mona.id] })
  await ben.registers()
  const talking = [ann, mona].map(async (one) => {
    for (let n = 0; n < 40; n++) await one.sends({ channel: 'x', topic: 'talk' })
  })
  for (let round = 0; round < 4; round++) {
    await ben.does(api.subscribe, named('x'))
    await ben.does(api.unsubscribe, { subscriptions: ['x'] })
  }
  await ben.does(api.subscribe, named('x'))
  await Promise.all(talking)

  const periods = await ctx.db
    .selectFrom('subscription_periods')
    .select(['from_message', 'to_message'])
    .where('realm_id', '=', realmId)
    .where('user_id', '=', ben.id)
    .execute()
  const sent = await ctx.db
    .selectFrom('messages')
    .select('id')
    .where('realm_id', '=', realmId)
    .where('channel_id', 'is not', null)
    .orderBy('id')
    .execute()
  const due = sent
    .map(({ id }) => id)
    .filter((id) => periods.some((p) => id > p.from_message && (p.to_message === null || id <= p.to_message)))
  assert.deepEqual(
    (await ben.receives('message')).map(({ message }) => message.id),
    due,
  )
})

test('adding and removing the same users concurrently ends in a consistent state', async () => {
  const { ann, ben, mona, adam, ctx, realmId } = await newWorld()
  await ann.does(api.subscribe, named('x', 'y'))
  const principals = [ben.id, mona.id]
  await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      n % 2
        ? adam.does(api.unsubscribe, { subscriptions: ['y', 'x'], principals })
        : ann.does(api.subscribe, { ...named('x', 'y'), principals }),
    ),
  )
  const rows = await ctx.db
    .selectFrom('subscriptions as s')
    .leftJoin('subscription_periods as p', (join) =>
      join.onRef('p.user_id', '=', 's.user_id').onRef('p.channel_id', '=', 's.channel_id').on('p.to_event', 'is', null),
    )
    .select(['s.user_id', 's.is_active', 'p.from_event'])
    .where('s.realm_id', '=', realmId)
    .execute()
  for (const { is_active, from_event } of rows) assert.equal(is_active, from_event !== null)
})
