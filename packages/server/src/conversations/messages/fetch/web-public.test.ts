import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMessage, getMessages } from '@parley/api/conversations/messages'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel, openToWeb } from '../../../testing/channels.ts'
import { newWorld } from '../../../testing/world.ts'

const inWeb = {
  anchor: 'newest',
  num_before: 9,
  num_after: 0,
  narrow: [{ operator: 'channel', operand: 'web' }],
} as const
const idsSeenBy = async (actor: Actor) => (await actor.does(getMessages, inWeb as never)).messages.map(({ id }) => id)

test('a channel narrow shows a web-public channel to guests who are not subscribed', async () => {
  const world = await newWorld()
  const { ann, gus } = world
  await inChannel('web', [ann])
  const message_id = await ann.sends({ channel: 'web' })
  await gus.isRefused(getMessages, inWeb)
  await openToWeb(world, 'web')
  assert.ok((await idsSeenBy(gus)).includes(message_id))
  await gus.isRefused(getMessage, { path: { message_id } })
})
