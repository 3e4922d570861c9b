import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import * as messages from '@parley/api/conversations/messages'
import * as api from '@parley/api/conversations/uploads'
import type { Actor } from '../../testing/actor.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import {
  attachmentsOf,
  fetches,
  isRefusedUpload,
  storedFiles,
  type TestFile,
  upload,
  uploads,
} from '../../testing/files.ts'
import { newWorld, type World } from '../../testing/world.ts'

const note: TestFile = { content: 'hello', filename: 'my  note (1).txt', type: 'text/plain', field: '/home/ann/note' }

const status = async (world: World, by: Actor, url: string) => (await fetches(world, by, url)).statusCode

test('the owner can download an uploaded file, whatever the name of the form field', async () => {
  const world = await newWorld()
  const { ann, realmId } = world
  const answer = await uploads(world.app, ann, api.uploadFile, {}, note)
  assert.equal(answer.uri, answer.url)
  assert.equal(answer.filename, 'my  note (1).txt')
  assert.match(String(answer.url), new RegExp(`^/user_uploads/${realmId}/[0-9a-f]{2}/[\\w-]{24}/my-note-1.txt$`))
  const response = await fetches(world, ann, String(answer.url))
  assert.equal(response.body, 'hello')
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(String(response.headers['content-disposition']), /^inline/)
  assert.match(String(response.headers['content-security-policy']), /sandbox/)
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
})

test('the file name of a form is percent-decoded, and only what is a name stays', async () => {
  const { app, ann } = await newWorld()
  for (const [filename, name, end] of [
    ['caf%C3%A9.txt', 'café.txt', 'café.txt'],
    ['a %22b%22.txt', 'a "b".txt', 'a-b.txt'],
    ['100% of 5%zz.txt', '100% of 5%zz.txt', '100-of-5zz.txt'],
    ['..%2F..%5Cup.txt', 'up.txt', 'up.txt'],
  ] as const) {
    const answer = await uploads(app, ann, api.uploadFile, {}, { ...note, filename })
    assert.deepEqual([answer.filename, String(answer.url).split('/').at(-1)], [name, end])
  }
  for (const filename of ['a%00b.txt', 'a\0b'])
    assert.equal((await isRefusedUpload(app, ann, api.uploadFile, {}, { ...note, filename })).code, 'BAD_REQUEST')
})

test('the content type is detected from the bytes, and unknown types are only downloaded', async () => {
  const world = await newWorld()
  for (const [content, type] of [
    ['<script>alert(1)</script>', 'image/png'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['a\0b', 'text/plain'],
    ['', 'application/x-empty'],
  ] as const) {
    const url = await upload(world, world.ann, { content, filename: 'x.html', type })
    const { headers, body } = await fetches(world, world.ann, url)
    assert.equal(body, content)
    assert.equal(headers['content-type'], 'application/octet-stream')
    assert.match(String(headers['content-disposition']), /^attachment/)
  }
  const html = await upload(world, world.ann, { content: '<p>', filename: 'x.html', type: 'text/html' })
  assert.match(String((await fetches(world, world.ann, html)).headers['content-type']), /^text\/plain/)
  const saved = await fetches(world, world.ann, html.replace('/user_uploads/', '/user_uploads/download/'))
  assert.match(String(saved.headers['content-disposition']), /^attachment/)
})

test('an upload contains exactly one file, up to the size limit', async () => {
  const world = await newWorld()
  const { app, ann } = world
  const limit = 25 * 1024 * 1024
  await upload(world, ann, { content: Buffer.alloc(limit) })
  const refused = (...files: TestFile[]) => isRefusedUpload(app, ann, api.uploadFile, {}, ...files)
  assert.equal((await refused({ content: Buffer.alloc(limit + 1) })).code, 'BAD_REQUEST')
  assert.equal((await refused()).code, 'BAD_REQUEST')
  assert.equal((await refused(note, note)).code, 'BAD_REQUEST')
  assert.equal((await attachmentsOf(ann)).length, 1)
  const unfinished = join(world.ctx.config.dataDir, 'files', 'unfinished')
  assert.deepEqual(await readdir(unfinished).catch(() => []), [])
  assert.equal((await storedFiles(world)).length, 1)
})

test('only the owner can read a file until a message links to it; then its readers can too', async () => {
  const world = await newWorld()
  const { ann, ben, gus, mona } = world
  await inChannel('secret', [ann, ben], { invite_only: true })
  const url = await upload(world, ann, note)
  assert.equal(await status(world, ben, url), 404)
  const message_id = await ann.sends({ channel: 'secret', content: `see [note](${url})` })
  assert.equal(await status(world, ben, url), 200)
  for (const one of [gus, mona, world.olga]) assert.equal(await status(world, one, url), 404)
  await leaves(ben, 'secret')
  assert.equal(await status(world, ben, url), 404)
  const [attachment] = await attachmentsOf(ann)
  assert.deepEqual(
    attachment!.messages.map(({ id }) => id),
    [message_id],
  )
  const narrow = [{ operator: 'has', operand: 'attachment' }]
  const found = await ann.does(messages.getMessages, { anchor: 'newest', num_before: 9, num_after: 0, narrow })
  assert.deepEqual(
    found.messages.map(({ id }) => id),
    [message_id],
  )
})

test('users who cannot read a file cannot share it by linking to it', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const url = await upload(world, ann, note)
  await ben.sends({ channel: 'verona', content: `[stolen](${url})` })
  assert.equal(await status(world, ben, url), 404)
})

test('files are refused without credentials, in another realm, and for a wrong URL', async () => {
  const world = await newWorld()
  const other = await newWorld()
  const url = await upload(world, world.ann, note)
  assert.equal((await world.app.inject({ url, headers: { host: world.host } })).statusCode, 401)
  assert.equal(await status(other, other.olga, url), 404)
  for (const wrong of [`${url}x`, url.replace(/[^/]+$/, '..%2f..%2fsecret.key'), '/user_uploads/1/2/3/4'])
    assert.equal(await status(world, world.ann, wrong), 404)
})

test('a temporary URL works without credentials, but only in its own realm', async () => {
  const world = await newWorld()
  const other = await newWorld()
  const [, , realm_id_str, ...rest] = (await upload(world, world.ann, note)).split('/')
  const path = { realm_id_str: realm_id_str!, filename: rest.join('/') }
  const { url } = await world.ann.does(api.getFileUrl, { path })
  assert.equal((await world.app.inject({ url, headers: { host: world.host } })).body, 'hello')
  assert.equal((await world.app.inject({ url, headers: { host: other.host } })).statusCode, 404)
  for (const forged of [url.replace(/temporary\//, '$&_'), url.replace(/temporary\/[^/]+/, '$&=')])
    assert.equal((await world.app.inject({ url: forged, headers: { host: world.host } })).statusCode, 404)
  assert.equal((await world.ben.isRefused(api.getFileUrl, { path })).status, 404)
})

test('a deleted file is not found; only its owner can delete it', async () => {
  const world = await newWorld()
  const { ann, adam } = world
  const url = await upload(world, ann, note)
  const [attachment] = await attachmentsOf(ann)
  const path = { attachment_id: attachment!.id }
  const missing = await adam.isRefused(api.deleteAttachment, { path: { attachment_id: 999_999 } })
  assert.deepEqual(await adam.isRefused(api.deleteAttachment, { path }), missing)
  await ann.does(api.deleteAttachment, { path })
  assert.equal(await status(world, ann, url), 404)
  assert.deepEqual(await attachmentsOf(ann), [])
})

test('only the owner receives attachment events, with the space used by the realm', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  for (const one of [ann, ben]) await one.registers()
  const url = await upload(world, ann, note)
  await ann.sends({ channel: 'verona', content: `[note](${url})` })
  const [attachment] = await attachmentsOf(ann)
  await ann.does(api.deleteAttachment, { path: { attachment_id: attachment!.id } })
  const received = await ann.receives('attachment')
  assert.deepEqual(
    received.map(({ op, upload_space_used }) => [op, upload_space_used]),
    [
      ['add', 5],
      ['update', 5],
      ['remove', 0],
    ],
  )
  assert.deepEqual(received[1]!.attachment, attachment)
  assert.deepEqual(await ben.receives('attachment'), [])
})
