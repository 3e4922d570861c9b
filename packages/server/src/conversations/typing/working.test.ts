import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/typing'
import { createBot } from '@parley/api/delivery/bots'
import { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld } from '../../testing/world.ts'

async function withBot() {
  const world = await newWorld()
  const { ann, ben } = world
  const made = await ann.does(createBot, { full_name: 'Helper', short_name: 'helper' })
  const credentials = { ...ann.credentials, email: `helper-bot@${ann.credentials.host}`, key: made.api_key }
  const bot = new Actor(world.app, made.user_id, 'Helper', credentials)
  const stream_id = await inChannel('verona', [ann, ben, bot])
  const place = { type: 'channel', stream_id, topic: 'castle' } as const
  return { ...world, bot, place, stream_id }
}

test('a bot shows what it works on, and people cannot', async () => {
  const { ben, bot, place } = await withBot()
  await ben.registers()
  const work = { op: 'start', activity: 'working', note: 'reading 3 topics' } as const
  await bot.does(api.setTypingStatus, { ...work, ...place })
  await bot.does(api.setTypingStatus, { ...work, to: [ben.id] })
  assert.deepEqual(
    (await ben.receives('typing')).map(({ activity, note, message_type }) => [activity, note, message_type]),
    [
      ['working', 'reading 3 topics', 'stream'],
      ['working', 'reading 3 topics', 'direct'],
    ],
  )
  assert.match((await ben.isRefused(api.setTypingStatus, { ...work, ...place })).msg, /Only bots and agents/)
  for (const note of ['x'.repeat(81), 'a\u0007b'])
    assert.ok((await bot.isRefused(api.setTypingStatus, { ...work, ...place, note })).msg)
})

test('who may write in a conversation can ask a bot there to stop', async () => {
  const { ann, ben, bot, gus, mona, stream_id } = await withBot()
  await bot.registers()
  await mona.registers()
  const path = { user_id: bot.id }
  await ben.does(api.stopWork, { path, stream_id, topic: 'castle' })
  await ben.does(api.stopWork, { path })
  assert.deepEqual(
    (await bot.receives('agent_stop')).map(({ id: _, ...event }) => event),
    [
      { type: 'agent_stop', user_id: ben.id, stream_id, topic: 'castle' },
      { type: 'agent_stop', user_id: ben.id },
    ],
  )
  assert.deepEqual(await mona.receives('agent_stop'), [])
  await gus.isRefused(api.stopWork, { path, stream_id, topic: 'castle' })
  await ann.isRefused(api.stopWork, { path: { user_id: 999_999 } })
  const den = await inChannel('den', [ann], { invite_only: true })
  assert.match((await ann.isRefused(api.stopWork, { path, stream_id: den, topic: '' })).msg, /Invalid channel/)
})
