import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as deletion from '@parley/api/conversations/deletion'
import * as drafts from '@parley/api/conversations/drafts'
import * as scheduled from '@parley/api/conversations/scheduled'
import * as api from '@parley/api/conversations/uploads'
import * as snippets from '@parley/api/people/snippets'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { edits } from '../../testing/editing.ts'
import { attachmentsOf, fetches, isRefusedUpload, storedFiles, upload, uploads } from '../../testing/files.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { removeUnclaimed } from './unclaimed.ts'

const mebibyte = 1024 * 1024

async function quotaWorld(t: TestContext, mib: number): Promise<World> {
  const world = await newWorld()
  world.ctx.config.uploadQuota = mib
  t.after(() => {
    world.ctx.config.uploadQuota = null
  })
  return world
}

test("files cannot exceed the realm's quota; deleting files frees space", async (t) => {
  const world = await quotaWorld(t, 1)
  const { app, ann, ben } = world
  await upload(world, ann, { content: Buffer.alloc(mebibyte - 1) })
  const refusal = await isRefusedUpload(app, ben, api.uploadFile, {}, { content: 'ab' })
  assert.deepEqual([refusal.status, refusal.code], [400, 'REALM_UPLOAD_QUOTA'])
  await upload(world, ben, { content: 'a' })
  const [attachment] = await attachmentsOf(ann)
  await ann.does(api.deleteAttachment, { path: { attachment_id: attachment!.id } })
  await upload(world, ben, { content: 'ab' })
})

test('concurrent uploads do not exceed the quota together, and refused ones leave no file', async (t) => {
  const world = await quotaWorld(t, 1)
  const file = { content: Buffer.alloc(mebibyte / 2) }
  const attempts = Array.from({ length: 5 }, () => uploads(world.app, world.ann, api.uploadFile, {}, file))
  const results = await Promise.allSettled(attempts)
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2)
  assert.equal((await world.ann.does(api.getAttachments)).upload_space_used, mebibyte)
  assert.equal((await storedFiles(world)).length, 2)
})

test('the quota is part of the registration', async (t) => {
  const { ann, ctx } = await quotaWorld(t, 7)
  assert.equal((await ann.registers()).realm_upload_quota_mib, 7)
  ctx.config.uploadQuota = null
  assert.equal((await ann.registers()).realm_upload_quota_mib, null)
})

async function populatedWorld() {
  const world = await newWorld()
  const stream_id = await inChannel('verona', [world.ann, world.ben, world.adam])
  return { ...world, stream_id }
}

const messagesOf = async (actor: Actor) =>
  (await attachmentsOf(actor)).map(({ messages }) => messages.map(({ id }) => id))

test('when a message is deleted its files stay, and their owners receive an event without that message', async () => {
  const world = await populatedWorld()
  const { ann, ben, adam } = world
  const url = await upload(world, ann, { content: 'x' })
  const first = await ann.sends({ channel: 'verona', content: `[x](${url})` })
  const second = await ben.sends({ channel: 'verona', content: `[x](${url})` })
  for (const one of [ann, ben]) await one.registers({ event_types: ['attachment'] })
  for (const message_id of [first, second]) await adam.does(deletion.deleteMessage, { path: { message_id } })
  const received = await ann.receives('attachment')
  assert.deepEqual(
    received.map(({ op, attachment }) => [op, 'messages' in attachment && attachment.messages.map(({ id }) => id)]),
    [
      ['update', [second]],
      ['update', []],
    ],
  )
  assert.deepEqual(await ben.receives('attachment'), [])
  assert.deepEqual(await messagesOf(ann), [[]])
})

test('a link that downloads a file claims it', async () => {
  const world = await populatedWorld()
  const { ann } = world
  const url = await upload(world, ann, { content: 'x' })
  const id = await ann.sends({
    channel: 'verona',
    content: `[x](${url.replace('/user_uploads/', '/user_uploads/download/')})`,
  })
  assert.deepEqual(await messagesOf(ann), [[id]])
})

test('the files of a deleted topic are kept and listed', async () => {
  const world = await populatedWorld()
  const { ann, adam, stream_id } = world
  const url = await upload(world, ann, { content: 'x' })
  for (let n = 0; n < 2; n++) await ann.sends({ channel: 'verona', topic: 'old', content: `[x](${url})` })
  await ann.registers({ event_types: ['attachment'] })
  await adam.does(deletion.deleteTopic, { path: { stream_id }, topic_name: 'old' })
  assert.deepEqual(await messagesOf(ann), [[]])
  assert.equal((await ann.receives('attachment')).length, 1)
  await makeOld(world)
  await removeUnclaimed(world.ctx)
  assert.equal((await attachmentsOf(ann)).length, 1)
})

test('an encoded link, as browsers copy it, shares the file', async () => {
  const world = await populatedWorld()
  const { ann, ben } = world
  const url = await upload(world, ann, { content: 'x', filename: '写真' })
  const id = await ann.sends({ channel: 'verona', content: `http://${world.host}${encodeURI(url)}` })
  assert.deepEqual(await messagesOf(ann), [[id]])
  assert.equal((await fetches(world, ben, encodeURI(url))).statusCode, 200)
})

test('a link with an encoded NUL character is an ordinary link', async () => {
  const { ann } = await populatedWorld()
  await ann.sends({ channel: 'verona', content: '[x](/user_uploads/1/ab/%00)' })
})

test('when an edit removes a file from a message, its owner receives an event', async () => {
  const world = await populatedWorld()
  const { ann } = world
  const url = await upload(world, ann, { content: 'x' })
  const id = await ann.sends({ channel: 'verona', content: `[x](${url})` })
  await ann.registers({ event_types: ['attachment'] })
  const { detached_uploads } = await edits(ann, id, { content: 'nothing' })
  const [received] = await ann.receives('attachment')
  assert.deepEqual(received!.attachment, detached_uploads[0])
})

/** Makes all uploads of the realm five weeks old. */
async function makeOld({ ctx, realmId }: World): Promise<void> {
  const create_time = new Date(Date.now() - 5 * 7 * 24 * 60 * 60 * 1000)
  await ctx.db.updateTable('attachments').set({ create_time }).where('realm_id', '=', realmId).execute()
}

test('an unused file is deleted after some weeks, and its owner receives an event', async () => {
  const world = await populatedWorld()
  const { ann } = world
  await upload(world, ann, { content: 'old' })
  await makeOld(world)
  await upload(world, ann, { content: 'young', filename: 'young' })
  const [old] = await attachmentsOf(ann)
  await ann.registers({ event_types: ['attachment'] })
  await removeUnclaimed(world.ctx)
  assert.deepEqual(
    (await attachmentsOf(ann)).map(({ name }) => name),
    ['young'],
  )
  const { id: _, ...received } = (await ann.receives('attachment'))[0]!
  assert.deepEqual(received, { type: 'attachment', op: 'remove', attachment: { id: old!.id }, upload_space_used: 5 })
})

test('a file is kept for a message, a draft, a scheduled message or a snippet that links to it', async () => {
  const world = await populatedWorld()
  const { ann, stream_id } = world
  const link = async (filename: string) =>
    `[x](${encodeURI(await upload(world, ann, { content: 'x', filename: `${filename} 写` }))})`
  await ann.sends({ channel: 'verona', content: await link('message') })
  const draft = { type: 'stream' as const, to: [stream_id], topic: 't', content: await link('draft'), timestamp: 1 }
  await ann.does(drafts.createDrafts, { drafts: [draft] })
  await ann.does(snippets.createSavedSnippet, { title: 't', content: await link('snippet') })
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 3600
  const later = { type: 'stream' as const, to: stream_id, topic: 't', content: await link('later') }
  await ann.does(scheduled.scheduleMessage, { ...later, scheduled_delivery_timestamp })
  await link('nothing')
  await makeOld(world)
  await removeUnclaimed(world.ctx)
  assert.deepEqual(
    (await attachmentsOf(ann)).map(({ name }) => name),
    ['message 写', 'draft 写', 'snippet 写', 'later 写'],
  )
})
