import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/subscriptions'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld } from '../../../testing/world.ts'

const sets = (actor: Actor, stream_id: number, property: string, value: unknown) =>
  actor.does(api.updateSubscription, { path: { stream_id }, property, value } as never)

async function own(actor: Actor, id: number) {
  const { subscriptions } = await actor.does(api.getSubscriptions)
  return subscriptions.find(({ stream_id }) => stream_id === id)!
}

test('every property can be set, one at a time and several at once', async () => {
  const { ann } = await newWorld()
  const id = await inChannel('verona', [ann])
  await sets(ann, id, 'color', '#abc')
  await sets(ann, id, 'pin_to_top', true)
  await ann.does(api.updateSubscriptionProperties, {
    subscription_data: [
      { stream_id: id, property: 'in_home_view', value: false },
      { stream_id: id, property: 'desktop_notifications', value: true },
      { stream_id: id, property: 'audible_notifications', value: false },
      { stream_id: id, property: 'push_notifications', value: true },
      { stream_id: id, property: 'email_notifications', value: false },
      { stream_id: id, property: 'wildcard_mentions_notify', value: true },
    ],
  })
  const { color, pin_to_top, is_muted, in_home_view, ...rest } = await own(ann, id)
  assert.deepEqual([color, pin_to_top, is_muted, in_home_view], ['#aabbcc', true, true, false])
  assert.deepEqual(
    [
      rest.desktop_notifications,
      rest.audible_notifications,
      rest.push_notifications,
      rest.email_notifications,
      rest.wildcard_mentions_notify,
    ],
    [true, false, true, false, true],
  )
})

test('muting emits both forms, the older one first, and only to the user', async () => {
  const { ann, ben } = await newWorld()
  const id = await inChannel('verona', [ann, ben])
  for (const actor of [ann, ben]) await actor.registers()
  await sets(ann, id, 'in_home_view', false)
  const received = (await ann.receives('subscription')).map(
    (event) => event.op === 'update' && [event.property, event.value],
  )
  assert.deepEqual(received, [
    ['in_home_view', false],
    ['is_muted', true],
  ])
  assert.deepEqual(await ben.receives('subscription'), [])
})

test('an update event contains the whole updated subscription', async () => {
  const { ann } = await newWorld()
  const id = await inChannel('verona', [ann])
  await ann.registers()
  await ann.does(api.updateSubscriptionProperties, {
    subscription_data: [
      { stream_id: id, property: 'pin_to_top', value: true },
      { stream_id: id, property: 'color', value: '#a1b2c3' },
    ],
  })
  const shown = (await ann.receives('subscription')).map(
    (event) =>
      event.op === 'update' &&
      event.subscriptions.map(({ name, pin_to_top, color }) => [name, pin_to_top, color === '#a1b2c3']),
  )
  assert.deepEqual(shown, [[['verona', true, false]], [['verona', true, true]]])
})

test('invalid properties, invalid values and unsubscribed channels are refused, and nothing changes', async () => {
  const { ann, ben } = await newWorld()
  const id = await inChannel('verona', [ann])
  const wrong = [
    { stream_id: id, property: 'name', value: 'x' },
    { stream_id: id, property: 'pin_to_top', value: 'x' },
    { stream_id: id, property: 'pin_to_top', value: null },
    { stream_id: id, property: 'color', value: 'red' },
    { stream_id: id, property: 'color', value: true },
    { stream_id: 999_999_999, property: 'pin_to_top', value: true },
  ]
  for (const one of wrong)
    await ann.isRefused(api.updateSubscriptionProperties, {
      subscription_data: [{ stream_id: id, property: 'is_muted', value: true }, one],
    })
  await ben.isRefused(api.updateSubscription, { path: { stream_id: id }, property: 'is_muted', value: true })
  assert.equal((await own(ann, id)).is_muted, false)
})

test('one request can subscribe and unsubscribe', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann])
  await inChannel('mantua', [ben])
  const answer = await ann.does(api.updateSubscriptions, {
    add: [{ name: 'mantua' }, { name: 'padua' }],
    delete: ['verona'],
  })
  assert.deepEqual(answer.subscribed, { [ann.id]: ['mantua', 'padua'] })
  assert.deepEqual([answer.removed, answer.not_removed], [['verona'], []])
  await ann.isRefused(api.updateSubscriptions, {})
  await ann.isRefused(api.updateSubscriptions, { add: [{ name: 'venice' }], delete: ['nowhere'] })
  const { subscriptions } = await ann.does(api.getSubscriptions)
  assert.deepEqual(
    subscriptions.map(({ name }) => name),
    ['mantua', 'padua'],
  )
})

test('a guest can use it to unsubscribe, but not to subscribe', async () => {
  const { ann, gus } = await newWorld()
  await inChannel('verona', [ann, gus])
  await inChannel('mantua', [ann])
  await gus.isRefused(api.updateSubscriptions, { add: [{ name: 'mantua' }], delete: ['verona'] })
  assert.deepEqual((await gus.does(api.updateSubscriptions, { delete: ['verona'] })).removed, ['verona'])
})

test('events are complete: properties of a subscription', async () => {
  const { ann, ben } = await newWorld()
  const id = await inChannel('verona', [ann, ben])
  await verifyEvents([ann, ben], async () => {
    await sets(ann, id, 'is_muted', true)
    await sets(ann, id, 'color', '#c2726a')
    await sets(ann, id, 'desktop_notifications', true)
  })
})
