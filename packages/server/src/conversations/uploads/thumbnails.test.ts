import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as rendering from '@parley/api/conversations/rendering'
import * as api from '@parley/api/conversations/uploads'
import sharp from 'sharp'
import { startBackgroundWork } from '../../boot/background-jobs.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { configureRealm } from '../../testing/configure-realm.ts'
import { edits, sees } from '../../testing/editing.ts'
import { attachmentsOf, fetches, storedFiles, upload } from '../../testing/files.ts'
import { until } from '../../testing/until.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { makeThumbnails } from './thumbnails.ts'

const wide = { width: 1600, height: 400 }
const still = '840x560.webp'
const moving = '840x560-anim.webp'

function newImage(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 20, b: 20 } } })
}

const png = await newImage(wide.width, wide.height).png().toBuffer()

/** Two frames of 20 × 10, red and blue. */
async function animation(): Promise<Buffer> {
  const frames = ['red', 'blue'].map((background) =>
    sharp({ create: { width: 20, height: 10, channels: 3, background } })
      .png()
      .toBuffer(),
  )
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .gif()
    .toBuffer()
}

async function populatedWorld() {
  const world = await newWorld()
  await inChannel('verona', [world.ann, world.ben])
  return world
}

function uploadImage(world: World, by: Actor, content: Buffer = png, filename = 'cat.png'): Promise<string> {
  return upload(world, by, { content, filename, type: 'image/png' })
}

/** Runs the thumbnail job of the upload. */
async function makesThumbnails({ ctx, realmId }: World, url: string): Promise<void> {
  const path_id = url.replace('/user_uploads/', '')
  const rows = ctx.db.selectFrom('attachments').select('id').where('path_id', '=', path_id)
  const { id } = await rows.executeTakeFirstOrThrow()
  await makeThumbnails(ctx, { realm_id: realmId, attachment_id: id })
}

const thumbnailUrl = (url: string, format = still) =>
  `${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/${format}`

const data = 'data-original-content-type="image/png" data-original-dimensions="1600x400"'
const preview = (url: string, img: string) =>
  `<p><a href="${url}">cat</a></p>\n<div class="message_inline_image"><a href="${url}" title="cat"><img ${img}></a></div>`
const placeholder = `class="image-loading-placeholder" ${data} src="/static/images/loading/loader-black.svg"`

async function htmlOf(actor: Actor, id: number): Promise<string> {
  return (await sees(actor, id)).content
}

test('an image has a placeholder until its thumbnail is ready; then readers receive an update', async () => {
  const world = await populatedWorld()
  const { ann, ben, mona } = world
  const url = await uploadImage(world, ann)
  for (const one of [ben, mona]) await one.registers({ event_types: ['update_message'] })
  const content = `[cat](${url})`
  const id = await ann.sends({ channel: 'verona', content })
  assert.equal(await htmlOf(ben, id), preview(url, placeholder))

  await makesThumbnails(world, url)

  const ready = preview(url, `${data} src="${thumbnailUrl(url)}"`)
  assert.equal(await htmlOf(ben, id), ready)
  const [received, ...more] = await ben.receives('update_message')
  const { id: _, edit_timestamp, ...event } = received!
  assert.ok(Math.abs(edit_timestamp - Date.now() / 1000) < 60)
  assert.deepEqual(event, {
    type: 'update_message',
    user_id: null,
    rendering_only: true,
    message_id: id,
    message_ids: [id],
    flags: [],
    content,
    rendered_content: ready,
  })
  assert.deepEqual(more, [])
  assert.deepEqual(await mona.receives('update_message'), [])
  assert.equal((await sees(ben, id)).last_edit_timestamp, undefined)
})

test('adding a thumbnail later changes nothing else in the message', async () => {
  const world = await populatedWorld()
  const { ann, ben, mona } = world
  const url = await uploadImage(world, ann)
  const id = await ann.sends({ channel: 'verona', content: `@**Ben** [cat](${url})` })
  await verifyEvents([ann, ben, mona], () => makesThumbnails(world, url))
  assert.deepEqual((await sees(ben, id)).flags, ['mentioned'])
})

test('an image whose thumbnail is ready is shown immediately, also in a rendering preview', async () => {
  const world = await populatedWorld()
  const { ann } = world
  const url = await uploadImage(world, ann)
  await makesThumbnails(world, url)
  const ready = preview(url, `${data} src="${thumbnailUrl(url)}"`)
  const content = `[cat](${url})`
  assert.equal(await htmlOf(ann, await ann.sends({ channel: 'verona', content })), ready)
  assert.equal((await ann.does(rendering.renderMessage, { content })).rendered, ready)
  await configureRealm(world, { inline_image_preview: false })
  assert.doesNotMatch((await ann.does(rendering.renderMessage, { content })).rendered, /<img/)
})

test('an uploaded video is shown as a video', async () => {
  const world = await populatedWorld()
  const url = await upload(world, world.ann, { content: '\0\0\0\x18ftypisom', filename: 'clip.mp4', type: 'video/mp4' })
  const html = await htmlOf(world.ann, await world.ann.sends({ channel: 'verona', content: `[clip](${url})` }))
  const video = `<a href="${url}" title="clip"><video preload="metadata" src="${url}"></video></a>`
  assert.ok(html.endsWith(`<div class="message_inline_image message_inline_video">${video}</div>`), html)
  assert.equal((await fetches(world, world.ann, url)).headers['content-type'], 'video/mp4')
})

test('the placeholder needs no authentication', async () => {
  const { app, host } = await newWorld()
  const { statusCode, headers, body } = await app.inject({
    url: '/static/images/loading/loader-black.svg',
    headers: { host },
  })
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'image/svg+xml')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal((await sharp(Buffer.from(body)).metadata()).format, 'svg')
})

test('a thumbnail is a WebP within the maximum size, without metadata, and is not enlarged', async () => {
  const world = await populatedWorld()
  const camera = await newImage(1000, 500)
    .withExif({ IFD0: { Artist: 'secret' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const small = await newImage(10, 10).png().toBuffer()
  for (const [bytes, width, height] of [
    [png, 840, 210],
    [camera, 280, 560],
    [small, 10, 10],
  ] as const) {
    const url = await uploadImage(world, world.ann, bytes)
    await makesThumbnails(world, url)
    const { rawPayload, headers } = await fetches(world, world.ann, thumbnailUrl(url))
    const found = await sharp(rawPayload).metadata()
    assert.deepEqual([found.format, found.width, found.height, found.exif], ['webp', width, height, undefined])
    assert.equal(headers['content-type'], 'image/webp')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /sandbox/)
  }
})

test('an animation has an animated and a still thumbnail', async () => {
  const world = await populatedWorld()
  const { ann } = world
  const url = await uploadImage(world, ann, await animation(), 'dance.gif')
  await makesThumbnails(world, url)
  const html = await htmlOf(ann, await ann.sends({ channel: 'verona', content: `[dance](${url})` }))
  assert.match(
    html,
    /<img data-animated="true" data-original-content-type="image\/gif" data-original-dimensions="20x10"/,
  )
  assert.ok(html.includes(`src="${thumbnailUrl(url, moving)}"`), html)
  const frames = async (format: string) =>
    (await sharp((await fetches(world, ann, thumbnailUrl(url, format))).rawPayload).metadata()).pages ?? 1
  assert.deepEqual([await frames(moving), await frames(still)], [2, 1])
})

test('another size returns the nearest thumbnail, and an invalid format is not found', async () => {
  const world = await populatedWorld()
  const { ann } = world
  const url = await uploadImage(world, ann)
  assert.equal((await fetches(world, ann, thumbnailUrl(url))).statusCode, 404)
  await makesThumbnails(world, url)
  for (const format of [moving, '300x200.jpg'])
    assert.equal((await fetches(world, ann, thumbnailUrl(url, format))).statusCode, 200)
  for (const format of ['cat.png', '840x560', '%2e%2e'])
    assert.equal((await fetches(world, ann, thumbnailUrl(url, format))).statusCode, 404)
})

test('all advertised thumbnail formats are served', async () => {
  const world = await populatedWorld()
  const { server_thumbnail_formats } = await world.ann.registers()
  const url = await uploadImage(world, world.ann, await animation(), 'dance.gif')
  await makesThumbnails(world, url)
  assert.equal(server_thumbnail_formats!.length, 2)
  for (const { name, animated } of server_thumbnail_formats!) {
    const { rawPayload } = await fetches(world, world.ann, thumbnailUrl(url, name))
    assert.equal(((await sharp(rawPayload).metadata()).pages ?? 1) > 1, animated)
  }
})

test('users without access to a file get no thumbnail, and learn nothing by linking to it', async () => {
  const world = await populatedWorld()
  const { ann, ben, gus } = world
  await inChannel('secret', [ann, ben], { invite_only: true })
  const url = await uploadImage(world, ann)
  await makesThumbnails(world, url)
  const stolen = await htmlOf(ben, await ben.sends({ channel: 'verona', content: `[x](${url})` }))
  assert.equal(stolen, `<p><a href="${url}">x</a></p>`)
  const seen = async (actor: Actor) => (await fetches(world, actor, thumbnailUrl(url))).statusCode
  assert.equal(await seen(ben), 404)
  await ann.sends({ channel: 'secret', content: `[cat](${url})` })
  assert.deepEqual([await seen(ben), await seen(gus)], [200, 404])
  await leaves(ben, 'secret')
  assert.equal(await seen(ben), 404)
})

test('a file that only starts like an image, or an image that is too large, has no preview', async () => {
  const world = await populatedWorld()
  const { ann } = world
  const fake = Buffer.concat([png.subarray(0, 8), Buffer.from('nothing')])
  const bomb = await newImage(9500, 9500).png({ compressionLevel: 9 }).toBuffer() // 90.25 million pixels
  for (const bytes of [fake, bomb]) {
    const url = await uploadImage(world, ann, bytes)
    const html = await htmlOf(ann, await ann.sends({ channel: 'verona', content: `[cat](${url})` }))
    assert.equal(html, `<p><a href="${url}">cat</a></p>`)
    assert.equal((await fetches(world, ann, thumbnailUrl(url))).statusCode, 404)
  }
})

test('a broken image loses its preview', async () => {
  const world = await populatedWorld()
  const { ann } = world
  const noise = await sharp({
    create: {
      width: 300,
      height: 300,
      channels: 3,
      background: 'red',
      noise: { type: 'gaussian', mean: 99, sigma: 50 },
    },
  })
    .png()
    .toBuffer()
  const url = await uploadImage(world, ann, noise.subarray(0, noise.length / 2))
  const id = await ann.sends({ channel: 'verona', content: `[cat](${url})` })
  assert.match(await htmlOf(ann, id), /image-loading-placeholder/)
  await makesThumbnails(world, url)
  assert.equal((await htmlOf(ann, id)).trim(), `<p><a href="${url}">cat</a></p>`)
})

async function works(t: TestContext, { ctx }: World): Promise<void> {
  const jobs = startBackgroundWork(ctx)
  t.after(() => jobs.stop())
}

test('an upload gets its thumbnails in the background', async (t) => {
  const world = await populatedWorld()
  const { ann } = world
  const url = await uploadImage(world, ann)
  const id = await ann.sends({ to: [world.ben], content: `[cat](${url})` })
  await works(t, world)
  await until(async () => (await htmlOf(ann, id)).includes(thumbnailUrl(url)))
})

test('a message rendered just before the thumbnail is ready, and stored just after, is still updated', async (t) => {
  const world = await populatedWorld()
  const { ann, ctx } = world
  const id = await ann.sends({ channel: 'verona', content: 'soon' })
  const url = await uploadImage(world, ann)
  await ctx.pool.query('delete from jobs.jobs where locked_at is null')
  await edits(ann, id, { content: `[cat](${url})` })
  // Simulates a process that has not seen the edit yet.
  await ctx.db
    .updateTable('attachments')
    .set({ thumbnails: [still] })
    .where('realm_id', '=', world.realmId)
    .execute()
  await works(t, world)
  await until(async () => (await htmlOf(ann, id)).includes(thumbnailUrl(url)))
})

test('deleting an image deletes its thumbnails', async (t) => {
  const world = await populatedWorld()
  const { ann } = world
  const url = await uploadImage(world, ann)
  await makesThumbnails(world, url)
  assert.equal((await storedFiles(world)).length, 2)
  const [attachment] = await attachmentsOf(ann)
  await ann.does(api.deleteAttachment, { path: { attachment_id: attachment!.id } })
  assert.equal((await fetches(world, ann, thumbnailUrl(url))).statusCode, 404)
  await works(t, world)
  await until(async () => (await storedFiles(world)).length === 0)
})
