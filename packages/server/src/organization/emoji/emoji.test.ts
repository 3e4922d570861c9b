import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as messages from '@parley/api/conversations/messages'
import * as reactions from '@parley/api/conversations/reactions'
import * as api from '@parley/api/organization/emoji'
import { getStatus, updateStatus } from '@parley/api/people/status'
import sharp from 'sharp'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { configureRealm } from '../../testing/configure-realm.ts'
import { isRefusedUpload, type TestFile, uploads } from '../../testing/files.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

const red = { width: 80, height: 40, channels: 3 as const, background: 'red' }
let png: Buffer
let gif: Buffer
let image: TestFile

before(async () => {
  png = await sharp({ create: red }).png().toBuffer()
  const colours = [0, 80, 160].map((r) => ({ r, g: 0, b: 0 }))
  const frames = colours.map((background) =>
    sharp({ create: { ...red, background } })
      .png()
      .toBuffer(),
  )
  gif = await sharp(await Promise.all(frames), { join: { animated: true } })
    .gif()
    .toBuffer()
  image = { content: png, filename: 'polly.png' }
})

const adds = ({ app }: World, by: Actor, emoji_name: string, file = image) =>
  uploads(app, by, api.uploadEmoji, { emoji_name }, file)
const isRefused = ({ app }: World, by: Actor, emoji_name: string, ...files: TestFile[]) =>
  isRefusedUpload(app, by, api.uploadEmoji, { emoji_name }, ...(files.length > 0 ? files : [image]))
const removes = (by: Actor, emoji_name: string) => by.does(api.deactivateEmoji, { path: { emoji_name } })

async function emojiOf(actor: Actor) {
  return Object.values((await actor.does(api.getEmoji)).emoji)
}

function fetches({ app, host }: World, url: string, headers = {}) {
  return app.inject({ url, headers: { host, ...headers } })
}

test('an added emoji is listed, and its image is public', async () => {
  const world = await newWorld()
  await adds(world, world.ann, ' green polly')
  const [emoji] = await emojiOf(world.gus)
  const { id, source_url, ...rest } = emoji!
  assert.deepEqual(rest, { name: 'green_polly', still_url: null, deactivated: false, author_id: world.ann.id })
  assert.match(id, /^\d+$/)

  const response = await fetches(world, source_url)
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'image/png')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
  assert.match(String(response.headers['cache-control']), /immutable/)
  const { width, height, format } = await sharp(response.rawPayload).metadata()
  assert.deepEqual([width, height, format], [64, 64, 'png'])
})

test('an animated emoji stays animated, and has a still image', async () => {
  const world = await newWorld()
  await adds(world, world.ann, 'dance', { content: gif, filename: 'dance.gif' })
  const [emoji] = await emojiOf(world.ann)
  const moving = await sharp((await fetches(world, emoji!.source_url)).rawPayload, { animated: true }).metadata()
  assert.deepEqual([moving.format, moving.pages, moving.width, moving.pageHeight], ['gif', 3, 64, 64])
  const still = await sharp((await fetches(world, emoji!.still_url!)).rawPayload).metadata()
  assert.deepEqual([still.format, still.pages ?? 1], ['png', 1])
})

test('names consist of lower-case letters, digits, dashes and underscores, and end with a letter or digit', async () => {
  const world = await newWorld()
  for (const name of ['Polly', 'pol.ly', 'polly-', 'polly_', 'pölly', 'a/b', ' ', 'x'.repeat(101)])
    assert.equal((await isRefused(world, world.ann, name)).code, 'BAD_REQUEST', name)
  await adds(world, world.ann, '-a_1')
})

test('a name in use is refused; administrators can override built-in names', async () => {
  const world = await newWorld()
  await adds(world, world.ann, 'polly')
  assert.equal((await isRefused(world, world.olga, 'polly')).code, 'BAD_REQUEST')
  assert.equal((await isRefused(world, world.ann, 'tada')).code, 'BAD_REQUEST')
  await adds(world, world.adam, 'tada')
})

test('unsupported image types, and anything but exactly one file, are refused', async () => {
  const world = await newWorld()
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
  const huge = await sharp({ create: { ...red, width: 12_000, height: 9_000 } })
    .png({ compressionLevel: 9 })
    .toBuffer()
  for (const content of ['hello', '', svg, png.subarray(0, 60), huge])
    assert.equal(
      (await isRefused(world, world.ann, 'polly', { content, filename: 'a.png', type: 'image/png' })).code,
      'BAD_IMAGE',
    )
  assert.equal((await isRefused(world, world.ann, 'polly', image, image)).code, 'BAD_REQUEST')
  assert.equal((await world.ann.isRefused(api.uploadEmoji, { path: { emoji_name: 'polly' } })).code, 'BAD_REQUEST')
  const large = { content: Buffer.alloc(5 * 1024 * 1024 + 1) }
  assert.equal((await isRefused(world, world.ann, 'polly', large)).code, 'BAD_REQUEST')
  assert.deepEqual(await emojiOf(world.ann), [])
})

test('guests, bots and users without the permission may not add emoji', async () => {
  const world = await newWorld()
  const { add, ann, gus } = world
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  for (const one of [gus, bot]) assert.equal((await isRefused(world, one, 'polly')).code, 'BAD_REQUEST')
  await configureRealm(world, {}, { can_add_custom_emoji_group: 'role:administrators' })
  assert.equal((await isRefused(world, ann, 'polly')).code, 'BAD_REQUEST')
  await adds(world, world.adam, 'polly')
})

test('its author or an administrator can deactivate an emoji, which releases its name', async () => {
  const world = await newWorld()
  const { ann, ben, adam, mona } = world
  await adds(world, ann, 'polly')
  for (const one of [ben, mona]) {
    const refusal = await one.isRefused(api.deactivateEmoji, { path: { emoji_name: 'polly' } })
    assert.deepEqual([refusal.status, refusal.code], [400, 'BAD_REQUEST'])
  }
  await removes(ann, 'polly')
  await adds(world, ben, 'polly')
  await removes(adam, 'polly')
  assert.deepEqual(
    (await emojiOf(ann)).map(({ name, deactivated }) => `${name} ${deactivated}`),
    ['polly true', 'polly true'],
  )
})

test('a missing or deactivated emoji is not found, whatever its name looks like', async () => {
  const world = await newWorld()
  const other = await newWorld()
  await adds(other, other.ann, 'polly')
  await adds(world, world.ann, 'gone')
  await removes(world.ann, 'gone')
  for (const emoji_name of ['polly', 'gone', 'a/b', 'a%b', 'Ünknown'])
    for (const one of [world.gus, world.olga]) {
      const { status, code } = await one.isRefused(api.deactivateEmoji, { path: { emoji_name } })
      assert.deepEqual([status, code], [404, 'BAD_REQUEST'])
    }
  const nested = await world.app.inject({
    method: 'DELETE',
    url: '/api/v1/realm/emoji/a/b',
    headers: world.ann.headers,
  })
  assert.deepEqual([nested.statusCode, nested.json().code], [404, 'BAD_REQUEST'])
})

test('images are served only at their own URL in their own realm', async () => {
  const world = await newWorld()
  const other = await newWorld()
  await adds(world, world.ann, 'polly')
  const [emoji] = await emojiOf(world.ann)
  assert.equal((await fetches(other, emoji!.source_url)).statusCode, 404)
  for (const name of ['x.png', '..%2f..%2fsecret.key', '0123456789abcdef.png'])
    assert.equal((await fetches(world, `/user_avatars/${world.realmId}/emoji/images/${name}`)).statusCode, 404)
})

test('messages show custom emoji, and keep them after deactivation', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  await adds(world, ann, 'polly')
  const [emoji] = await emojiOf(ann)
  const message_id = await ben.sends({ channel: 'verona', content: 'hi :polly:' })
  await removes(ann, 'polly')
  const { message } = await ann.does(messages.getMessage, { path: { message_id } })
  assert.ok(message.content.includes(`<img alt=":polly:" class="emoji" src="${emoji!.source_url}" title="polly">`))
  const later = await ben.sends({ channel: 'verona', content: 'hi :polly:' })
  const { message: text } = await ann.does(messages.getMessage, { path: { message_id: later } })
  assert.equal(text.content, '<p>hi :polly:</p>')
})

test('a custom emoji works as a reaction by name or id; once deactivated, it accepts only votes for existing reactions', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const path = { message_id: await ann.sends({ channel: 'verona' }) }
  const next = { message_id: await ann.sends({ channel: 'verona' }) }
  await adds(world, ann, 'polly')
  const emoji_code = (await emojiOf(ann))[0]!.id
  const emoji = { emoji_name: 'polly', emoji_code, reaction_type: 'realm_emoji' as const }
  assert.equal(
    (await ann.isRefused(reactions.addReaction, { path, ...emoji, emoji_name: 'other' })).code,
    'BAD_REQUEST',
  )
  await ann.does(reactions.addReaction, { path, emoji_name: 'polly' })
  await removes(ann, 'polly')
  await ben.does(reactions.addReaction, { path, ...emoji })
  const { message } = await ann.does(messages.getMessage, { path })
  assert.deepEqual(message.reactions, [
    { ...emoji, user_id: ann.id },
    { ...emoji, user_id: ben.id },
  ])
  for (const one of [emoji, { emoji_name: 'polly' }, { ...emoji, emoji_code: `0${emoji_code}` }])
    assert.equal((await ann.isRefused(reactions.addReaction, { path: next, ...one })).code, 'BAD_REQUEST')
})

test('everyone receives all emoji when one is added or deactivated', async () => {
  const world = await newWorld()
  await adds(world, world.ann, 'polly')
  await verifyEvents([world.ann, world.gus], async () => {
    await adds(world, world.ben, 'rooky')
    await removes(world.ann, 'polly')
  })
})

test('of two concurrent additions of the same name, one is refused', async () => {
  const world = await newWorld()
  await world.gus.registers()
  const names = ['same_one', 'same_one', 'aaa', 'bbb']
  const results = await Promise.allSettled(names.map((name) => adds(world, world.ann, name)))
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1)
  const received = await world.gus.receives('realm_emoji')
  assert.equal(Object.keys(received.at(-1)!.realm_emoji).length, 3)
})

test('a status has only emoji with which one can react', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  for (const name of ['polly', 'old_polly']) await adds(world, ann, name)
  const codes = Object.fromEntries((await emojiOf(ann)).map(({ name, id }) => [name, id]))
  await removes(ann, 'old_polly')
  const realm_emoji = { reaction_type: 'realm_emoji' } as const
  const refused = [
    [{ emoji_name: 'nope', emoji_code: 'nope', ...realm_emoji }, 'Invalid custom emoji.'],
    [{ emoji_name: 'tada', ...realm_emoji }, 'Invalid custom emoji.'],
    [{ emoji_name: 'tada', emoji_code: '1f389', ...realm_emoji }, 'Invalid custom emoji.'],
    [{ emoji_name: 'tada', emoji_code: codes.polly!, ...realm_emoji }, 'Invalid custom emoji name.'],
    [
      { emoji_name: 'old_polly', emoji_code: codes.old_polly!, ...realm_emoji },
      'This custom emoji has been deactivated.',
    ],
  ] as const
  const message_id = await ann.sends({ to: [ben] })
  for (const [emoji, msg] of refused) {
    assert.equal((await ann.isRefused(updateStatus, emoji)).msg, msg, JSON.stringify(emoji))
    assert.equal((await ann.isRefused(reactions.addReaction, { path: { message_id }, ...emoji })).msg, msg)
  }
  await ann.does(updateStatus, { emoji_name: 'polly' })
  assert.deepEqual((await ben.does(getStatus, { path: { user_id: ann.id } })).status, {
    emoji_name: 'polly',
    emoji_code: codes.polly,
    ...realm_emoji,
  })
})
