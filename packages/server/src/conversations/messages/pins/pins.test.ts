import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/channel-pins'
import { updateChannel } from '@parley/api/conversations/channels'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { editMessage } from '@parley/api/conversations/editing'
import { pinsPerChannel } from '@parley/api/limits'
import { inChannel } from '../../../testing/channels.ts'
import { newWorld } from '../../../testing/world.ts'

const link = { url: 'https://example.com/build', title: 'Build status' }

/** Ann and Ben write in Verona. */
async function pinnedWorld() {
  const world = await newWorld()
  const stream_id = await inChannel('verona', [world.ann, world.ben])
  const message_id = await world.ann.sends({ channel: 'verona', topic: 'castle', content: 'How we review' })
  const path = { stream_id }
  const titles = async (user = world.ben) =>
    (await user.does(api.getChannelPins, { path })).pins.map(({ title }) => title)
  return { ...world, stream_id, path, message_id, titles }
}

test('messages and links are pinned to a channel, and unpinned by others who may post there', async () => {
  const { ann, ben, path, message_id, titles } = await pinnedWorld()
  const { id } = await ann.does(api.createChannelPin, { path, message_id, title: ' How we review ' })
  await ann.does(api.createChannelPin, { path, ...link })
  const { pins } = await ben.does(api.getChannelPins, { path })
  assert.deepEqual(
    pins.map(({ title, message_id, url, user_id }) => ({ title, message_id, url, user_id })),
    [
      { title: 'How we review', message_id, url: null, user_id: ann.id },
      { title: link.title, message_id: null, url: link.url, user_id: ann.id },
    ],
  )
  await ben.does(api.deleteChannelPin, { path: { ...path, pin_id: id } })
  assert.deepEqual(await titles(), [link.title])
})

test('everybody who sees the channel hears that its pins changed, without what they are', async () => {
  const { ann, ben, mona, path } = await pinnedWorld()
  for (const user of [ben, mona]) await user.registers()
  const { id } = await ann.does(api.createChannelPin, { path, ...link })
  await ann.does(api.deleteChannelPin, { path: { ...path, pin_id: id } })
  const [event] = await ben.receives('channel_pins')
  assert.deepEqual(Object.keys(event!).sort(), ['id', 'stream_id', 'type'])
  assert.equal((await mona.receives('channel_pins')).length, 2)
})

test('nobody hears about the pins of private channels that they cannot see', async () => {
  const { ann, mona } = await newWorld()
  const stream_id = await inChannel('den', [ann], { invite_only: true })
  await mona.registers()
  await ann.does(api.createChannelPin, { path: { stream_id }, ...link })
  assert.deepEqual(await mona.receives('channel_pins'), [])
})

test('messages that were deleted or moved elsewhere are no longer pinned', async () => {
  const { olga, ann, path, titles } = await pinnedWorld()
  const say = () => ann.sends({ channel: 'verona', topic: 'castle' })
  const [gone, moved] = [await say(), await say()]
  for (const [message_id, title] of [
    [gone, 'gone'],
    [moved, 'moved'],
  ] as const)
    await ann.does(api.createChannelPin, { path, message_id, title })
  assert.deepEqual(await titles(), ['gone', 'moved'])
  await olga.does(deleteMessage, { path: { message_id: gone } })
  const elsewhere = await inChannel('milan', [olga, ann])
  await olga.does(editMessage, { path: { message_id: moved }, stream_id: elsewhere, propagate_mode: 'change_one' })
  assert.deepEqual(await titles(), [])
})

test('of protected history, newcomers see only pins of messages that they received', async () => {
  const { ann, ben } = await newWorld()
  const stream_id = await inChannel('den', [ann], { invite_only: true, history_public_to_subscribers: false })
  const message_id = await ann.sends({ channel: 'den' })
  const path = { stream_id }
  await ann.does(api.createChannelPin, { path, message_id, title: 'Secret' })
  await ann.does(api.createChannelPin, { path, ...link })
  await inChannel('den', [ann, ben])
  const { pins } = await ben.does(api.getChannelPins, { path })
  assert.deepEqual(
    pins.map(({ title }) => title),
    [link.title],
  )
})

test('who may not post in a channel changes none of its pins', async () => {
  const { olga, ann, ben, path, titles } = await pinnedWorld()
  const { id } = await ann.does(api.createChannelPin, { path, ...link })
  await olga.does(updateChannel, {
    path,
    can_send_message_group: { new: { direct_members: [ann.id], direct_subgroups: [] } },
  })
  const refused = await ben.isRefused(api.createChannelPin, { path, ...link })
  assert.equal(refused.msg, 'You do not have permission to post in this channel.')
  await ben.isRefused(api.deleteChannelPin, { path: { ...path, pin_id: id } })
  assert.deepEqual(await titles(), [link.title])
})

test('a pin is a message of the channel or a link with a title', async () => {
  const { ann, ben, path, message_id, titles } = await pinnedWorld()
  const direct = await ann.sends({ to: [ben] })
  for (const wrong of [
    { title: 'Nothing' },
    { ...link, message_id },
    { ...link, title: ' ' },
    { ...link, title: 'x'.repeat(61) },
    { ...link, url: 'javascript:alert(1)' },
    { ...link, url: 'example.com' },
    { message_id: direct, title: 'Elsewhere' },
    { message_id: 999_999, title: 'Missing' },
  ])
    await ann.isRefused(api.createChannelPin, { path, ...wrong })
  await ann.isRefused(api.deleteChannelPin, { path: { ...path, pin_id: 999_999 } })
  assert.deepEqual(await titles(), [])
})

test('a channel has a limited number of pins, of which those of lost messages do not count', async () => {
  const { olga, ann, path, message_id } = await pinnedWorld()
  await ann.does(api.createChannelPin, { path, message_id, title: 'gone' })
  for (let count = 1; count < pinsPerChannel; count++) await ann.does(api.createChannelPin, { path, ...link })
  const refused = await ann.isRefused(api.createChannelPin, { path, ...link })
  assert.match(refused.msg, /^At most 50 messages and links/)
  await olga.does(deleteMessage, { path: { message_id } })
  await ann.does(api.createChannelPin, { path, ...link })
})
