import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveChannel, getChannel, updateChannel } from '@parley/api/conversations/channels'
import * as messages from '@parley/api/conversations/messages'
import { scheduleMessage } from '@parley/api/conversations/scheduled'
import { getAttachments, uploadFile } from '@parley/api/conversations/uploads'
import { countExpiredMessages } from '@parley/api/operation/retention'
import { updateRealm } from '@parley/api/organization/realm'
import { sql } from 'kysely'
import { many } from '../../platform/db/query.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { uploads } from '../../testing/files.ts'
import { everything, legacyClient, verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { deleteExpiredMessages } from './jobs.ts'

/** Makes messages older by some days: all so far, except direct messages from the server. */
async function pass({ ctx, realmId }: World, days: number): Promise<void> {
  await sql`
    update messages m set date_sent = date_sent - make_interval(days => ${days}) from users u
     where m.realm_id = ${realmId} and u.id = m.sender_id
       and (m.channel_id is not null or not u.is_system_bot)`.execute(ctx.db)
}

const keep = ({ olga }: World, days: number | 'unlimited') => olga.does(updateRealm, { message_retention_days: days })

async function isGone(actor: Actor, message_id: number): Promise<boolean> {
  return (await actor.request(messages.getMessage, { path: { message_id } })).status !== 200
}

test('messages older than the organization keeps them are deleted, also direct ones; younger ones stay', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  await inChannel('verona', [ann, ben])
  const old = [await ann.sends({ channel: 'verona' }), await ann.sends({ to: [ben] })]
  await pass(world, 8)
  const young = [await ann.sends({ channel: 'verona' }), await ann.sends({ to: [ben] })]
  await deleteExpiredMessages(ctx)
  for (const id of old) assert.equal(await isGone(ann, id), false)
  await keep(world, 7)
  await deleteExpiredMessages(ctx)
  for (const id of old) assert.equal(await isGone(ann, id), true)
  for (const id of young) assert.equal(await isGone(ann, id), false)
})

test('a channel can keep messages for ever, or shorter or longer than the organization', async () => {
  const world = await newWorld()
  const { ann, olga, ctx } = world
  const places = { forever: 'unlimited', longer: 20, usual: 'realm_default', shorter: 2 } as const
  const sent = new Map<string, number>()
  for (const [name, message_retention_days] of Object.entries(places)) {
    const stream_id = await inChannel(name, [ann, olga])
    await olga.does(updateChannel, { path: { stream_id }, message_retention_days })
    sent.set(name, await ann.sends({ channel: name }))
  }
  const after = async (days: number) => {
    await pass(world, days)
    await deleteExpiredMessages(ctx)
    const gone = await Promise.all([...sent.values()].map((id) => isGone(ann, id)))
    return [...sent.keys()].filter((_, index) => !gone[index])
  }
  await keep(world, 7)
  assert.deepEqual(await after(3), ['forever', 'longer', 'usual'])
  assert.deepEqual(await after(5), ['forever', 'longer'])
  assert.deepEqual(await after(15), ['forever'])
})

test('an organization that keeps messages for ever can have a channel that does not, archived or not', async () => {
  const world = await newWorld()
  const { ann, olga, ctx } = world
  const path = { stream_id: await inChannel('verona', [ann, olga]) }
  await olga.does(updateChannel, { path, message_retention_days: 1 })
  const id = await ann.sends({ channel: 'verona' })
  await olga.does(archiveChannel, { path })
  await pass(world, 2)
  await deleteExpiredMessages(ctx)
  await olga.does(updateChannel, { path, is_archived: false })
  assert.equal(await isGone(ann, id), true)
  assert.ok((await ann.does(getChannel, { path })).stream.first_message_id! > id) // that it is open again
})

test('the largest number of days that can be set is no trouble', async () => {
  const world = await newWorld()
  await keep(world, 2_147_483_647)
  const id = await world.ann.sends({ to: [world.ben] })
  await pass(world, 3000)
  await deleteExpiredMessages(world.ctx)
  assert.equal(await isGone(world.ann, id), false)
})

test('expired messages are deleted in batches, with one event per topic and batch, until time is up', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  const stream_id = await inChannel('verona', [ann, ben])
  for (let n = 0; n < 120; n++) await ann.sends({ channel: 'verona', topic: n % 12 ? 'Castle' : 'Tower' })
  await pass(world, 8)
  await keep(world, 7)
  await ben.registers({ client_capabilities: { notification_settings_null: true, bulk_message_deletion: true } })
  await deleteExpiredMessages(ctx, 0)
  assert.deepEqual(await ben.receives('delete_message'), [])
  await deleteExpiredMessages(ctx)
  const events = (await ben.receives('delete_message')).filter(({ topic }) => topic === 'Castle' || topic === 'Tower')
  assert.deepEqual(
    events.map(({ topic, message_ids }) => [topic, message_ids!.length]),
    [
      ['Tower', 10],
      ['Castle', 100],
      ['Castle', 10],
    ],
  )
  assert.ok(events.every((event) => event.message_type === 'stream' && event.stream_id === stream_id))
})

/** Something newer is left in each place: no event says which message is the newest after a deletion. */
async function populatedWorld(): Promise<World & { newer(): Promise<void> }> {
  const world = await newWorld()
  const { adam, ann, ben, gus } = world
  await inChannel('verona', [ann, ben, gus])
  await inChannel('den', [ann, ben, adam], { invite_only: true })
  const newer = async () => {
    await ann.sends({ channel: 'den', topic: 'Castle' })
    await ann.sends({ channel: 'verona', topic: 'Castle' })
    await ann.sends({ to: [ben, gus] })
    for (const one of [adam, world.mona, world.olga]) await ann.sends({ to: [one] })
  }
  await newer()
  await ann.sends({ channel: 'verona', topic: '', content: 'hi @**Ben** @**all**' })
  return { ...world, newer }
}

for (const registration of [everything, legacyClient])
  test(`state after events equals a new state: messages expire (${registration === everything ? 'modern' : 'older'} client)`, async () => {
    const world = await populatedWorld()
    const { adam, mona, ann, ben, gus, olga, ctx, newer } = world
    await pass(world, 8)
    await newer()
    await keep(world, 7)
    await verifyEvents([olga, adam, mona, ann, ben, gus], () => deleteExpiredMessages(ctx), registration)
  })

test('a file goes with the last message that links to it, unless one is still to be sent', async () => {
  const world = await newWorld()
  const { app, ann, ben, ctx } = world
  await inChannel('verona', [ann, ben])
  const file = async () => String((await uploads(app, ann, uploadFile, {}, { content: 'x' })).url)
  const [once, again, later] = [await file(), await file(), await file()]
  await ann.sends({ channel: 'verona', content: `[a](${once}) [b](${again}) [c](${later})` })
  await pass(world, 8)
  await ann.sends({ channel: 'verona', content: `[b](${again})` })
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 3600
  const planned = { type: 'direct' as const, to: [ben.id], content: `[c](${later})`, scheduled_delivery_timestamp }
  await ann.does(scheduleMessage, planned)
  await keep(world, 7)
  await ann.registers()
  await deleteExpiredMessages(ctx)
  const { attachments } = await ann.does(getAttachments)
  assert.deepEqual(
    attachments.map(({ path_id, messages }) => [`/user_uploads/${path_id}`, messages.length]),
    [
      [again, 1],
      [later, 0],
    ],
  )
  const removed = (await ann.receives('attachment')).filter(({ op }) => op === 'remove')
  assert.equal(removed.length, 1)
  const found = await many(ctx.db)`
    select payload from jobs.jobs where payload ->> 'path' like ${`%${once.split('/').at(-2)}%`}`
  assert.equal(found.length, 1)
})

test('owners can count what a retention period would delete, in the organization or in a channel', async () => {
  const world = await newWorld()
  const { ann, ben, adam, olga, ctx } = world
  const count = async (params: { message_retention_days: number; stream_id?: number }) =>
    (await olga.does(countExpiredMessages, params)).count
  const stream_id = await inChannel('own', [ann, ben, olga])
  await inChannel('usual', [ann, ben])
  await olga.does(updateChannel, { path: { stream_id }, message_retention_days: 'unlimited' })
  for (const place of [{ channel: 'own' }, { channel: 'usual' }, { to: [ben] }]) await ann.sends(place)
  await pass(world, 8)
  await ann.sends({ channel: 'usual' })
  const found = await Promise.all([
    count({ message_retention_days: 7 }),
    count({ message_retention_days: 9 }),
    count({ message_retention_days: 7, stream_id }),
  ])
  await keep(world, 7)
  await deleteExpiredMessages(ctx)
  const expected = await many<{ n: number }>(ctx.db)`
    select (target ->> 'messages')::integer as n from audit_log where realm_id = ${world.realmId} and action = 'messages_expired'`
  assert.deepEqual(found, [expected.reduce((sum, { n }) => sum + n, 0), 0, found[2]])
  assert.ok(found[0]! >= 2 && found[2]! >= 1)
  assert.equal((await adam.isRefused(countExpiredMessages, { message_retention_days: 7 })).status, 400)
})
