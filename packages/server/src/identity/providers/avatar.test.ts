import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteAvatar } from '@parley/api/people/avatars'
import { getOwnUser } from '@parley/api/people/users'
import sharp from 'sharp'
import { newReceiver } from '../../testing/peers/receiver.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'
import { fetchAvatar } from './avatar.ts'

const world = await newWorld()
const { ctx, ann, ben, realmId } = world
const png = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'red' } })
  .png()
  .toBuffer()
const answers: Record<string, [status: number, body: Buffer | string, headers?: Record<string, string>]> = {
  '/face.png': [200, png, { 'content-type': 'image/png' }],
  '/page.html': [200, '<svg onload="alert(1)">', { 'content-type': 'image/png' }],
  '/missing': [404, png],
  '/moved': [302, '', { location: '/face.png' }],
  '/huge': [200, Buffer.concat([png, Buffer.alloc(6 * 1024 * 1024)])],
}
const { port, requests } = await newReceiver((response, { path }) => {
  const [status, body, headers = {}] = answers[path]!
  response.writeHead(status, headers).end(body)
})
const host = `http://127.0.0.1:${port}`
const fetched = (user: { id: number }, url: string, issuer = host) =>
  fetchAvatar(ctx, { realm_id: realmId, user_id: user.id, url, issuer })
const avatarOf = async (user: typeof ann) => (await user.does(getOwnUser)).avatar_url!

test('the image becomes the avatar, in our own sizes, and everyone receives it', async () => {
  await verifyEvents([ann, ben], () => fetched(ann, `${host}/face.png`))
  const url = await avatarOf(ann)
  assert.match(url, /^\/user_avatars\//)
  const image = await world.app.inject({ url, headers: { host: world.host } })
  assert.equal((await sharp(image.rawPayload).metadata()).width, 100)
})

test('an avatar that the user has, or had and deleted, stays', async () => {
  const own = await world.add('cora')
  await fetched(own, `${host}/face.png`)
  const first = await avatarOf(own)
  await fetched(own, `${host}/face.png`)
  assert.equal(await avatarOf(own), first)
  await own.does(deleteAvatar)
  const none = await avatarOf(own)
  await fetched(own, `${host}/face.png`)
  assert.equal(await avatarOf(own), none)
})

for (const path of ['/page.html', '/missing', '/moved', '/huge'])
  test(`${path} is not used`, async () => {
    const before = await avatarOf(ben)
    await fetched(ben, `${host}${path}`)
    assert.equal(await avatarOf(ben), before)
  })

test('an internal host is not asked, unless its origin is the one of the provider', async () => {
  const count = requests.length
  const others = ['https://id.example.com', 'http://127.0.0.2', 'http://127.0.0.1', `https://127.0.0.1:${port}`]
  for (const issuer of others) await fetched(ben, `${host}/face.png`, issuer)
  assert.equal(requests.length, count)
})

test('nothing happens for a user who was deactivated before the job runs', async () => {
  const gone = await world.add('gone')
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', gone.id).execute()
  await fetched(gone, `${host}/face.png`)
  const row = await ctx.db.selectFrom('users').select('avatar_path').where('id', '=', gone.id).executeTakeFirstOrThrow()
  assert.equal(row.avatar_path, null)
})
