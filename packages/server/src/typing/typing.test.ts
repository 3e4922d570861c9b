import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/typing'
import { newWorld } from '../testing/world.ts'

test('typing to somebody is told to them and to oneself, and to nobody else', async () => {
  const { ann, ben, mona } = await newWorld()
  for (const one of [ann, ben, mona]) await one.listens()

  await ann.does(api.setTypingStatus, { op: 'start', to: [ben.id] })

  const [event] = await ben.hears('typing')
  assert.equal(event?.op, 'start')
  assert.equal(event?.sender.user_id, ann.id)
  assert.equal((await ann.hears('typing')).length, 1)
  assert.deepEqual(await mona.hears('typing'), [])
})

test('a direct message reaches its recipient', async () => {
  const { ann, ben, mona } = await newWorld()
  await ben.listens()
  await mona.listens()
  const id = await ann.sends({ to: [ben], content: 'hi **there**' })
  const [event] = await ben.hears('message')
  assert.equal(event?.message.id, id)
  assert.deepEqual(await mona.hears('message'), [])
})
