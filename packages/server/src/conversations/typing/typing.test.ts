import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subscribe } from '@parley/api/conversations/subscriptions'
import * as api from '@parley/api/conversations/typing'
import { updateSettings } from '@parley/api/people/own-settings'
import { inChannel, leaves } from '../../testing/channels.ts'
import { restrictGuests } from '../../testing/configure-realm.ts'
import { newWorld } from '../../testing/world.ts'

test('typing in a direct conversation reaches its participants, the sender included, and nobody else', async () => {
  const { ann, ben, mona } = await newWorld()
  for (const one of [ann, ben, mona]) await one.registers()

  await ann.does(api.setTypingStatus, { op: 'start', to: [ben.id] })

  const [event] = await ben.receives('typing')
  assert.equal(event?.op, 'start')
  assert.equal(event?.sender.user_id, ann.id)
  assert.equal((await ann.receives('typing')).length, 1)
  assert.deepEqual(await mona.receives('typing'), [])
})

test('a user who turns typing notifications off receives no more of them', async () => {
  const { ann, ben } = await newWorld()
  await ben.registers()
  await ann.does(api.setTypingStatus, { op: 'start', to: [ben.id] })
  await ben.does(updateSettings, { receives_typing_notifications: false })
  await ann.does(api.setTypingStatus, { op: 'stop', to: [ben.id] })
  assert.deepEqual(
    (await ben.receives('typing')).map(({ op }) => op),
    ['start'],
  )
})

test('parameters of the other message type are ignored, even invalid ones', async () => {
  const { ann, ben } = await newWorld()
  const stream_id = await inChannel('verona', [ann, ben])
  const typing = async (params: object) => (await ann.request(api.setTypingStatus, { op: 'start', ...params })).status
  assert.equal(await typing({ to: [ben.id], stream_id: 'nonsense', topic: 'a\0b' }), 200)
  assert.equal(await typing({ type: 'channel', stream_id, topic: 'castle', to: 'nonsense' }), 200)
  assert.equal(await typing({ type: 'channel', stream_id: 'nonsense', topic: 'castle' }), 400)
})

test('typing in a channel reaches those who are subscribed at the time', async () => {
  const { ann, ben, mona } = await newWorld()
  const stream_id = await inChannel('verona', [ann, ben])
  for (const one of [ben, mona]) await one.registers()
  const type = () => ann.does(api.setTypingStatus, { op: 'start', type: 'channel', stream_id, topic: 'castle' })

  await type()
  await mona.does(subscribe, { subscriptions: [{ name: 'verona' }] })
  await type()
  await leaves(ben, 'verona')
  await type()

  assert.equal((await ben.receives('typing')).length, 2)
  assert.equal((await mona.receives('typing')).length, 2)
})

test('a direct message reaches its recipient', async () => {
  const { ann, ben, mona } = await newWorld()
  await ben.registers()
  await mona.registers()
  const id = await ann.sends({ to: [ben], content: 'hi **there**' })
  const [event] = await ben.receives('message')
  assert.equal(event?.message.id, id)
  assert.deepEqual(await mona.receives('message'), [])
})

test('a restricted guest cannot use typing to find out which users exist', async () => {
  const world = await newWorld()
  const { gus, ann, ben } = world
  await restrictGuests(world)
  await ann.sends({ to: [gus] })
  const refusal = async (id: number) => {
    const { msg, ...rest } = await gus.isRefused(api.setTypingStatus, { op: 'start', to: [id] })
    return { ...rest, msg: msg.replace(String(id), '') }
  }
  assert.deepEqual(await refusal(ben.id), await refusal(999_999))
  await gus.does(api.setTypingStatus, { op: 'start', to: [ann.id] })
})

test('typing to a restricted guest does not reveal a user hidden from them', async () => {
  const world = await newWorld()
  await restrictGuests(world)
  await world.ann.sends({ to: [world.gus] })
  await world.gus.registers()
  await world.ben.does(api.setTypingStatus, { op: 'start', to: [world.gus.id] })
  assert.deepEqual(await world.gus.receives('typing'), [])
  await world.ann.does(api.setTypingStatus, { op: 'start', to: [world.gus.id] })
  assert.equal((await world.gus.receives('typing')).length, 1)
})
