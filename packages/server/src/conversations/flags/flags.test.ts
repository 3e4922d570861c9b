import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/flags'
import * as messages from '@parley/api/conversations/messages'
import { one } from '../../platform/db/query.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'

type Op = 'add' | 'remove'

function marks(actor: Actor, op: Op, flag: string, ids: number[]) {
  return actor.does(api.updateMessageFlags, { messages: ids, op, flag })
}

async function flagsOf(actor: Actor, id: number): Promise<string[]> {
  const { message } = await actor.does(messages.getMessage, { path: { message_id: id } })
  return message.flags
}

async function sendsMany(actor: Actor, to: Actor, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n < count; n++) ids.push(await actor.sends({ to: [to] }))
  return ids
}

/** The number of flags rows of a user. */
async function countFlagRows({ ctx, realmId }: World, actor: Actor): Promise<number> {
  const { count } = await one<{ count: number }>(ctx.db)`
    select count(*) from message_flags where realm_id = ${realmId} and user_id = ${actor.id}`
  return count
}

test('a flag event reaches only the clients of its user and lists only changed messages', async () => {
  const { ann, ben } = await newWorld()
  const [first, second] = (await sendsMany(ann, ben, 2)) as [number, number]
  await marks(ben, 'add', 'starred', [first])
  for (const one of [ann, ben]) await one.registers()

  const answer = await marks(ben, 'add', 'starred', [second, first])

  assert.deepEqual(answer.messages, [second, first])
  assert.deepEqual(answer.ignored_because_not_subscribed_channels, [])
  const [event] = await ben.receives('update_message_flags')
  const { id: _, ...body } = event!
  assert.deepEqual(body, {
    type: 'update_message_flags',
    op: 'add',
    operation: 'add',
    flag: 'starred',
    messages: [second],
    all: false,
  })
  assert.deepEqual(await ann.receives('update_message_flags'), [])
})

test('an event is sent even when nothing changed', async () => {
  const { ann, ben } = await newWorld()
  const [id] = await sendsMany(ann, ben, 1)
  await ben.registers()
  await marks(ben, 'remove', 'starred', [id!])
  await marks(ben, 'add', 'read', [id! + 1000])
  const events = await ben.receives('update_message_flags')
  assert.deepEqual(
    events.map((event) => event.messages),
    [[], []],
  )
})

test('starred and collapsed can be set and cleared', async () => {
  const { ann, ben } = await newWorld()
  const [id] = (await sendsMany(ann, ben, 1)) as [number]
  await marks(ben, 'add', 'starred', [id])
  await marks(ben, 'add', 'collapsed', [id])
  assert.deepEqual(await flagsOf(ben, id), ['starred', 'collapsed'])
  await marks(ben, 'remove', 'starred', [id])
  assert.deepEqual(await flagsOf(ben, id), ['collapsed'])
  assert.deepEqual(await flagsOf(ann, id), [])
})

test('clients can change only read, starred and collapsed', async () => {
  const { ann, ben } = await newWorld()
  const ids = await sendsMany(ann, ben, 1)
  const wrong = ['mentioned', 'historical', 'has_alert_word', 'wildcard_mentioned', 'unread', 'toString', '']
  for (const flag of wrong) {
    const refusal = await ben.isRefused(api.updateMessageFlags, { messages: ids, op: 'add', flag })
    assert.equal(refusal.code, 'BAD_REQUEST')
  }
})

test('malformed requests are refused', async () => {
  const { ben } = await newWorld()
  for (const params of [
    { op: 'toggle', flag: 'read', messages: [1] },
    { op: 'add', flag: 'read' },
    { op: 'add', flag: 'read', messages: [1e300] },
    { op: 'add', flag: 'read', messages: ['1'] },
    { op: 'add', messages: [1] },
  ])
    await ben.isRefused(api.updateMessageFlags, params)
})

test('marking as read and unread affects exactly the given messages, above and below the read floor', async () => {
  const { ann, ben } = await newWorld()
  const ids = await sendsMany(ann, ben, 5)
  const isRead = async () => Promise.all(ids.map(async (id) => (await flagsOf(ben, id)).includes('read')))

  await marks(ben, 'add', 'read', [ids[1]!, ids[3]!])
  assert.deepEqual(await isRead(), [false, true, false, true, false])
  await marks(ben, 'add', 'read', [ids[0]!, ids[2]!])
  assert.deepEqual(await isRead(), [true, true, true, true, false])
  await marks(ben, 'remove', 'read', [ids[1]!, ids[4]!])
  assert.deepEqual(await isRead(), [true, false, true, true, false])
  await marks(ben, 'add', 'read', ids)
  assert.deepEqual(await isRead(), [true, true, true, true, true])
})

test('when everything is read, no flags rows remain for read messages', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const ids = await sendsMany(ann, ben, 5)
  await marks(ben, 'add', 'read', [ids[4]!, ids[2]!])
  assert.equal(await countFlagRows(world, ben), 2)
  await marks(ben, 'add', 'starred', [ids[2]!])
  await marks(ben, 'add', 'read', ids)
  assert.equal(await countFlagRows(world, ben), 1)
  await marks(ben, 'remove', 'read', [ids[1]!])
  await marks(ben, 'add', 'read', [ids[1]!])
  assert.equal(await countFlagRows(world, ben), 1)
})

test('a message that was sent as read can be marked as unread by its sender', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], read_by_sender: true })
  assert.deepEqual(await flagsOf(ann, id), ['read'])
  await marks(ann, 'remove', 'read', [id])
  assert.deepEqual(await flagsOf(ann, id), [])
  await marks(ann, 'add', 'read', [id])
  assert.deepEqual(await flagsOf(ann, id), ['read'])
})

test('the event for marking as unread contains the details that clients need to count', async () => {
  const { ann, ben, mona } = await newWorld()
  const channel = await inChannel('verona', [ann, ben])
  const ids = [
    await ann.sends({ channel: 'verona', topic: 'balcony', content: '@**Ben**' }),
    await ann.sends({ to: [ben, mona] }),
    await ben.sends({ to: [ben] }),
  ]
  await marks(ben, 'add', 'read', ids)
  await ben.registers()

  await marks(ben, 'remove', 'read', ids)

  const [event] = await ben.receives('update_message_flags')
  assert.ok(event?.op === 'remove')
  assert.deepEqual(event.messages, ids)
  assert.deepEqual(event.message_details, {
    [ids[0]!]: { type: 'stream', stream_id: channel, topic: 'balcony', unmuted_stream_msg: true, mentioned: true },
    [ids[1]!]: { type: 'private', user_ids: [mona.id, ann.id] },
    [ids[2]!]: { type: 'private', user_ids: [] },
  })
})

test('messages of channels without a subscription stay read, and the response lists these channels', async () => {
  const { ann, ben } = await newWorld()
  const channel = await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona' })
  const direct = await ann.sends({ to: [ben] })
  await marks(ben, 'add', 'read', [direct])

  const answer = await marks(ben, 'remove', 'read', [id, direct])

  assert.deepEqual(answer.ignored_because_not_subscribed_channels, [channel])
  assert.deepEqual(await flagsOf(ben, id), ['read', 'historical'])
  assert.deepEqual(await flagsOf(ben, direct), [])
})

test('messages from before the subscription can be marked as unread', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona' })
  await inChannel('verona', [ann, ben])
  await marks(ben, 'remove', 'read', [id])
  assert.deepEqual(await flagsOf(ben, id), ['historical'])
})

test('starring or collapsing history creates a flags row, which stays', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona' })
  await marks(ben, 'add', 'starred', [id])
  assert.deepEqual(await flagsOf(ben, id), ['read', 'starred', 'historical'])
  await marks(ben, 'remove', 'starred', [id])
  assert.deepEqual(await flagsOf(ben, id), ['read', 'historical'])
})

test('marking history as read stores nothing', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona' })
  await marks(ben, 'add', 'read', [id])
  assert.equal(await countFlagRows(world, ben), 0)
})

test('an unreadable message fails the whole request, exactly like one that does not exist', async () => {
  const world = await newWorld()
  const { ann, ben, mona } = world
  const own = await ann.sends({ to: [mona] })
  const foreign = await ann.sends({ to: [ben] })
  await inChannel('plot', [ann, mona], { invite_only: true })
  const left = await ann.sends({ channel: 'plot' })
  await leaves(mona, 'plot')
  for (const [op, flag] of [
    ['add', 'starred'],
    ['add', 'collapsed'],
    ['remove', 'read'],
  ]) {
    const refusals = []
    for (const id of [foreign, left, 987_654])
      refusals.push(await mona.isRefused(api.updateMessageFlags, { messages: [own, id], op, flag }))
    assert.deepEqual(refusals[0], refusals[2])
    assert.deepEqual(refusals[1], refusals[2])
  }
  assert.deepEqual(await flagsOf(mona, own), [])
})

test('concurrent requests to mark as read lose nothing', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const ids = await sendsMany(ann, ben, 24)
  const halves = [0, 1].map((half) => ids.filter((_, n) => n % 2 === half))
  await Promise.all(halves.flatMap((half) => half.map((id) => marks(ben, 'add', 'read', [id]))))
  const { messages: unread } = await ben.does(messages.getMessages, {
    anchor: 'newest',
    num_before: 100,
    narrow: [['is', 'unread']],
  })
  assert.deepEqual(unread, [])
  assert.equal(await countFlagRows(world, ben), 0)
})

test('marking as read while messages arrive does not mark the new ones', async () => {
  const { ann, ben } = await newWorld()
  const seen = await sendsMany(ann, ben, 10)
  const [unseen] = await Promise.all([
    sendsMany(ann, ben, 10),
    Promise.all(seen.map((id) => marks(ben, 'add', 'read', [id]))),
  ])
  const { messages: unread } = await ben.does(messages.getMessages, {
    anchor: 'newest',
    num_before: 100,
    narrow: [['is', 'unread']],
  })
  assert.deepEqual(
    unread.map(({ id }) => id),
    unseen,
  )
})
