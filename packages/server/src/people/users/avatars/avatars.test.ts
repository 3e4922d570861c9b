import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as messages from '@parley/api/conversations/messages'
import * as bots from '@parley/api/delivery/bots'
import { updateRealm } from '@parley/api/organization/realm'
import * as api from '@parley/api/people/avatars'
import * as users from '@parley/api/people/users'
import sharp from 'sharp'
import { column } from '../../../platform/db/query.ts'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { restrictGuests } from '../../../testing/configure-realm.ts'
import { isRefusedUpload, multipartFiles, type TestFile, uploads } from '../../../testing/files.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'

let png: Buffer

before(async () => {
  const halves = { width: 300, height: 100, channels: 3 as const, background: 'red' }
  const blue = { create: { ...halves, width: 100, background: 'blue' } }
  png = await sharp({ create: halves })
    .composite([{ input: blue, left: 100, top: 0 }])
    .png()
    .toBuffer()
})

async function uploadsPicture({ app }: World, by: Actor, file: Partial<TestFile> = {}): Promise<string> {
  const { avatar_url } = await uploads(app, by, api.uploadAvatar, {}, { content: png, field: 'any name', ...file })
  return avatar_url as string
}

const isRefused = ({ app }: World, by: Actor, ...files: TestFile[]) =>
  isRefusedUpload(app, by, api.uploadAvatar, {}, ...files)

const fetches = ({ app, host }: World, url: string) => app.inject({ url, headers: { host } })

const userSeenBy = async (viewer: Actor, { id }: Actor) =>
  (await viewer.does(users.getUser, { path: { user_id: id } })).user

test('an uploaded image is re-encoded in two sizes, and public to anyone with its URL', async () => {
  const world = await newWorld()
  const url = await uploadsPicture(world, world.ann)
  assert.match(url, new RegExp(`^/user_avatars/${world.realmId}/[0-9a-f]{32}\\.png\\?version=2$`))
  for (const [address, size] of [
    [url, 100],
    [url.replace('.png', '-medium.png'), 500],
  ] as const) {
    const response = await fetches(world, address)
    assert.equal(response.headers['content-type'], 'image/png')
    assert.equal(response.headers['x-content-type-options'], 'nosniff')
    assert.match(String(response.headers['cache-control']), /immutable/)
    const { width, height } = await sharp(response.rawPayload).metadata()
    assert.deepEqual([width, height], [size, size])
    const { dominant } = await sharp(response.rawPayload).stats()
    assert.ok(dominant.b > 200 && dominant.r < 50, 'the middle is kept')
  }
})

test('an avatar is shown everywhere, also on earlier messages of its owner', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const message_id = await ann.sends({ channel: 'verona' })
  const url = await uploadsPicture(world, ann)
  const user = await userSeenBy(ben, ann)
  assert.deepEqual([user.avatar_url, user.avatar_version], [url, 2])
  const { message } = await ben.does(messages.getMessage, { path: { message_id } })
  assert.equal(message.avatar_url, url)
  const { avatar_source, avatar_url, avatar_url_medium } = await ann.registers({ fetch_event_types: ['realm_user'] })
  assert.deepEqual([avatar_source, avatar_url, avatar_url_medium], ['U', url, url.replace('.png', '-medium.png')])
  await ben.registers()
  await ann.sends({ channel: 'verona' })
  assert.equal((await ben.receives('message'))[0]!.message.avatar_url, url)
})

test('clients that compute Gravatar URLs get the URLs of uploaded avatars', async () => {
  const world = await newWorld()
  assert.equal((await userSeenBy(world.ben, world.ann)).avatar_url, null)
  const url = await uploadsPicture(world, world.ann)
  assert.equal((await userSeenBy(world.ben, world.ann)).avatar_url, url)
})

test('a new avatar has a new URL and version, and the old files are deleted', async () => {
  const world = await newWorld()
  const first = await uploadsPicture(world, world.ann)
  const second = await uploadsPicture(world, world.ann)
  assert.notEqual(first.split('?')[0], second.split('?')[0])
  assert.match(second, /version=3$/)
  const paths = await column<string>(world.ctx.db)`
    select payload ->> 'path' as path from jobs.jobs
     where payload ->> 'path' like ${`avatars/${world.realmId}/%`} order by id`
  const key = first.split('/')[3]!.slice(0, 32)
  assert.deepEqual(paths, [`avatars/${world.realmId}/${key}.png`, `avatars/${world.realmId}/${key}-medium.png`])
})

test('removing the avatar restores the default one; removing it twice changes nothing', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ben.registers()
  const usual = (await ann.does(api.deleteAvatar)).avatar_url
  assert.match(usual, /gravatar/)
  assert.deepEqual(await ben.receives('realm_user'), [])
  await uploadsPicture(world, ann)
  const after = (await ann.does(api.deleteAvatar)).avatar_url
  assert.equal(after, usual.replace('version=1', 'version=3'))
  assert.equal((await userSeenBy(ben, ann)).avatar_url, null)
})

test('events contain all fields of an avatar that is set and removed', async () => {
  const world = await newWorld()
  const { ann, ben, gus } = world
  await ben.registers()
  const avatar_url = await uploadsPicture(world, ann)
  const [event] = await ben.receives('realm_user')
  assert.deepEqual(event?.op === 'update' && event.person, {
    user_id: ann.id,
    avatar_url,
    avatar_url_medium: avatar_url.replace('.png', '-medium.png'),
    avatar_source: 'U',
    avatar_version: 2,
  })
  await verifyEvents([ann, ben, gus], () => ann.does(api.deleteAvatar))
  await verifyEvents([ann, ben, gus], () => uploadsPicture(world, ann))
})

test('only users who can see the owner receive avatar events', async () => {
  const world = await newWorld()
  await restrictGuests(world)
  await world.gus.registers()
  await uploadsPicture(world, world.ann)
  assert.deepEqual(await world.gus.receives('realm_user'), [])
})

test('a file that is not an image or too large, and several files, are refused', async () => {
  const world = await newWorld()
  const { ann } = world
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
  const huge = await sharp({ create: { width: 12_000, height: 9_000, channels: 3, background: 'red' } })
    .png({ compressionLevel: 9 })
    .toBuffer()
  for (const content of ['hello', '', svg, png.subarray(0, 60), huge])
    assert.equal((await isRefused(world, ann, { content, filename: 'a.png', type: 'image/png' })).code, 'BAD_IMAGE')
  const large = { content: Buffer.alloc(api.avatarLimit + 1) }
  assert.match((await isRefused(world, ann, large)).msg, /limit of 5 MiB/)
  assert.equal((await isRefused(world, ann, { content: png }, { content: png })).code, 'BAD_REQUEST')
  assert.equal((await ann.isRefused(api.uploadAvatar)).code, 'BAD_REQUEST')
  assert.equal((await userSeenBy(ann, ann)).avatar_version, 1)
})

test('administrators can change their avatar where others cannot', async () => {
  const world = await newWorld()
  const { olga, adam, ann } = world
  await uploadsPicture(world, ann)
  await olga.does(updateRealm, { avatar_changes_disabled: true })
  assert.equal((await isRefused(world, ann, { content: png })).code, 'BAD_REQUEST')
  assert.equal((await ann.isRefused(api.deleteAvatar)).code, 'BAD_REQUEST')
  await uploadsPicture(world, adam)
  assert.equal((await userSeenBy(ann, ann)).avatar_version, 2)
})

test('the avatar of a user is found by id or by email', async () => {
  const world = await newWorld()
  const { ann, ben, app } = world
  const url = await uploadsPicture(world, ann)
  const asks = (path: string) => app.inject({ url: `/avatar/${path}`, headers: ben.headers })
  for (const who of [ann.id, ann.credentials.email, ann.credentials.email.toUpperCase()])
    assert.deepEqual([(await asks(String(who))).statusCode, (await asks(String(who))).headers.location], [302, url])
  assert.equal((await asks(`${ann.id}/medium?x=1`)).headers.location, `${url.replace('.png', '-medium.png')}&x=1`)
  assert.match(String((await asks(String(ben.id))).headers.location), /^https:\/\/secure\.gravatar\.com\//)
  const response = await fetches(world, `/avatar/${ann.id}`)
  assert.equal(response.statusCode, 401)
})

test('the key in the query of an avatar is not passed on to Gravatar, the rest is', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const { headers } = await fetches(world, `/avatar/${ann.id}?s=50&api_key=${ben.credentials.key}`)
  assert.match(String(headers.location), /^https:\/\/secure\.gravatar\.com\/.*&s=50$/)
})

test('the avatar of an unknown or hidden user is a silhouette', async () => {
  const world = await newWorld()
  const { ann, gus, app } = world
  await uploadsPicture(world, ann)
  await restrictGuests(world)
  for (const who of [ann.id, ann.credentials.email, 999_999_999, 'nobody@x.example']) {
    const { location } = (await app.inject({ url: `/avatar/${who}/medium`, headers: gus.headers })).headers
    assert.equal(location, '/static/images/unknown-user.png')
  }
  const response = await fetches(world, '/static/images/unknown-user.png')
  assert.equal((await sharp(response.rawPayload).metadata()).format, 'png')
})

test('avatars are served only at their own URL in their own realm', async () => {
  const world = await newWorld()
  const url = await uploadsPicture(world, world.ann)
  assert.equal((await fetches(await newWorld(), url)).statusCode, 404)
  for (const name of ['x.png', '..%2f..%2fsecret.key', `${'0'.repeat(32)}.png`])
    assert.equal((await fetches(world, `/user_avatars/${world.realmId}/${name}`)).statusCode, 404)
})

test('of avatars uploaded concurrently the last one stays, and each has its own version', async () => {
  const world = await newWorld()
  const urls = await Promise.all([1, 2, 3].map(() => uploadsPicture(world, world.ann)))
  assert.deepEqual(urls.map((url) => url.slice(-1)).sort(), ['2', '3', '4'])
  assert.equal(
    (await userSeenBy(world.ben, world.ann)).avatar_url,
    urls.find((url) => url.endsWith('4')),
  )
})

/** Makes or changes a bot with a picture. */
async function withPicture({ app }: World, by: Actor, method: 'POST' | 'PATCH', url: string, content: Buffer | string) {
  const { headers, payload } = multipartFiles([{ content }])
  return app.inject({ method, url: `/api/v1/bots${url}`, headers: { ...by.headers, ...headers }, payload })
}

test('a bot is created and changed with an avatar, and everyone receives the event', async () => {
  const world = await newWorld()
  const { ann, ben, adam } = world
  let bot: { user_id: number; avatar_url: string } | undefined
  await verifyEvents([ann, ben, adam], async () => {
    bot = (await withPicture(world, ann, 'POST', '?full_name=Robo&short_name=robo', png)).json()
  })
  assert.match(bot!.avatar_url, /^\/user_avatars\/.*version=2$/)
  await ann.registers()
  await verifyEvents([ben, adam], async () => {
    const changed = await withPicture(world, ann, 'PATCH', `/${bot!.user_id}`, png)
    assert.match(changed.json().avatar_url, /version=3$/)
  })
  const [event] = await ann.receives('realm_bot')
  assert.deepEqual(Object.keys(event!.bot), ['user_id', 'avatar_url'])
  assert.equal((await ann.does(bots.getBots)).bots[0]!.avatar_url.slice(-1), '3')
})

test('a bot with an invalid avatar is not created, and other users cannot set its avatar', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const refused = await withPicture(world, ann, 'POST', '?full_name=Robo&short_name=robo', 'hello')
  assert.deepEqual([refused.statusCode, refused.json().code], [400, 'BAD_IMAGE'])
  assert.deepEqual((await ann.does(bots.getBots)).bots, [])
  const { user_id } = await ann.does(bots.createBot, { full_name: 'Robo', short_name: 'robo' })
  assert.equal((await withPicture(world, ben, 'PATCH', `/${user_id}`, png)).json().code, 'BAD_REQUEST')
})

test('a bot changes its own avatar, and its owner and administrators receive the event', async () => {
  const world = await newWorld()
  const { ann, add } = world
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  await verifyEvents([ann, bot], () => uploadsPicture(world, bot))
})
