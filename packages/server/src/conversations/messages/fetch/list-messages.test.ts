import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as flags from '@parley/api/conversations/flags'
import * as api from '@parley/api/conversations/messages'
import { subscribe } from '@parley/api/conversations/subscriptions'
import type { ParamsOf } from '@parley/api/operation'
import { sql } from 'kysely'
import type { Actor } from '../../../testing/actor.ts'
import { newWorld } from '../../../testing/world.ts'

async function fiveMessages() {
  const world = await newWorld()
  const ids: number[] = []
  for (let n = 0; n < 5; n++) ids.push(await world.ann.sends({ to: [world.ben], content: `number ${n}` }))
  return { ...world, ids }
}

async function page(actor: Actor, params: Partial<ParamsOf<typeof api.getMessages>>) {
  const { messages, ...found } = await actor.does(api.getMessages, params)
  return { ids: messages.map(({ id }) => id), ...found }
}

test('anchor "newest" returns ascending messages and an anchor above every id', async () => {
  const { ben, ids } = await fiveMessages()
  const found = await page(ben, { anchor: 'newest', num_before: 2 })
  assert.deepEqual(found.ids, ids.slice(3))
  assert.equal(found.anchor, api.largestAnchor)
  assert.deepEqual([found.found_anchor, found.found_oldest, found.found_newest], [false, false, true])
  assert.equal(found.history_limited, false)
})

test('anchor "oldest" returns messages from the beginning', async () => {
  const { ben, ids } = await fiveMessages()
  const found = await page(ben, { anchor: 'oldest', num_after: 2, num_before: 3 })
  assert.deepEqual(found.ids, ids.slice(0, 2))
  assert.equal(found.anchor, 0)
  assert.deepEqual([found.found_anchor, found.found_oldest, found.found_newest], [false, true, false])
})

test('the anchor message is returned in addition to num_before and num_after', async () => {
  const { ben, ids } = await fiveMessages()
  const found = await page(ben, { anchor: ids[2]!, num_before: 1, num_after: 1 })
  assert.deepEqual(found.ids, ids.slice(1, 4))
  assert.deepEqual([found.found_anchor, found.found_oldest, found.found_newest], [true, false, false])
})

test('found_oldest and found_newest are set when there are fewer messages than requested', async () => {
  const { ben, ids } = await fiveMessages()
  const found = await page(ben, { anchor: ids[2]!, num_before: 3, num_after: 2 })
  assert.deepEqual(found.ids, ids)
  assert.deepEqual([found.found_oldest, found.found_newest], [true, false])
})

test('an anchor that is not a message is not found, and does not reduce the result', async () => {
  const { ann, ben, mona, ids } = await fiveMessages()
  const foreign = await ann.sends({ to: [mona] })
  const last = await ann.sends({ to: [ben] })
  const found = await page(ben, { anchor: foreign, num_before: 1, num_after: 1 })
  assert.deepEqual(found.ids, [ids[4], last])
  assert.equal(found.found_anchor, false)
})

test('the anchor can be excluded only at an end of the range', async () => {
  const { ben, ids } = await fiveMessages()
  const after = await page(ben, { anchor: ids[2]!, num_after: 2, include_anchor: false })
  assert.deepEqual(after.ids, ids.slice(3))
  const before = await page(ben, { anchor: ids[2]!, num_before: 2, include_anchor: false })
  assert.deepEqual(before.ids, ids.slice(0, 2))
  await ben.isRefused(api.getMessages, { anchor: ids[2], num_before: 1, num_after: 1, include_anchor: false })
})

test('with num_before and num_after 0, an id returns that one message', async () => {
  const { ben, ids } = await fiveMessages()
  assert.deepEqual((await page(ben, { anchor: ids[1]! })).ids, [ids[1]])
})

test('an anchor out of range is clamped', async () => {
  const { ben, ids } = await fiveMessages()
  assert.equal((await page(ben, { anchor: -7, num_after: 1 })).anchor, 0)
  const beyond = await page(ben, { anchor: 2 * api.largestAnchor, num_before: 1 })
  assert.equal(beyond.anchor, api.largestAnchor)
  assert.deepEqual(beyond.ids, ids.slice(4))
})

/** The ids around an anchor, with at most as many on each side. */
function around(ids: number[], anchor: number, before: number, after: number): number[] {
  const earlier = ids.filter((id) => id < anchor)
  const later = ids.filter((id) => id >= anchor)
  const end = later[0] === anchor ? after + 1 : after
  return [...earlier.slice(Math.max(0, earlier.length - before)), ...later.slice(0, end)]
}

test('pages of a channel and of its topics contain as many messages around the anchor as requested', async () => {
  const { ann } = await newWorld()
  await ann.does(subscribe, { subscriptions: [{ name: 'hall' }] })
  const first = await ann.sends({ channel: 'hall', topic: 'even' })
  for (let n = 1; n < 40; n++) await ann.sends({ channel: 'hall', topic: n % 2 === 0 ? 'even' : 'odd' })
  for (const topic of ['even', undefined]) {
    const narrow: api.NarrowTerm[] = [['channel', 'hall'], ...(topic ? [['topic', topic] as [string, string]] : [])]
    const { ids } = await page(ann, { anchor: 'newest', num_before: 100, narrow })
    assert.equal(ids.filter((id) => id >= first).length, topic ? 20 : 40)
    for (const [num_before, num_after] of [
      [0, 0],
      [1, 0],
      [16, 0],
      [17, 0],
      [0, 17],
      [15, 18],
    ] as const) {
      for (const anchor of [first, first + 20, first + 21, first + 39]) {
        const found = await page(ann, { anchor, num_before, num_after, narrow })
        assert.deepEqual(found.ids, around(ids, anchor, num_before, num_after))
      }
    }
  }
})

test('anchor "date" is the first message at or after a time, otherwise above every id', async () => {
  const { ben, ids, ctx, realmId } = await fiveMessages()
  for (const [index, id] of ids.entries())
    await sql`
      update messages set date_sent = ${`2026-03-0${index + 1}T12:00:00Z`} where realm_id = ${realmId} and id = ${id}
    `.execute(ctx.db)
  const since = (anchor_date: string) => page(ben, { anchor: 'date', anchor_date, num_before: 1, num_after: 1 })
  for (const text of ['2026-03-02T12:00:00Z', '2026-03-02', '2026-03-02T03:00', '2026-03-02T14:00:00+02:00']) {
    const found = await since(text)
    assert.deepEqual([found.anchor, found.ids], [ids[1], ids.slice(0, 3)], text)
  }
  assert.equal((await since('1970-01-01')).anchor, ids[0])
  assert.equal((await since('2026-03-05T12:00:01Z')).anchor, api.largestAnchor)
  assert.equal((await page(ben, { anchor: 'date', anchor_date: '2026-03-04', narrow: [] })).ids[0], ids[3])
})

test('anchor "date" needs a date in ISO 8601', async () => {
  const { ben } = await fiveMessages()
  assert.match((await ben.isRefused(api.getMessages, { anchor: 'date' })).msg, /Missing 'anchor_date'/)
  for (const anchor_date of ['yesterday', '2026-02-30T25:00', '2026', '2026-03-01 12:00'])
    assert.match((await ben.isRefused(api.getMessages, { anchor: 'date', anchor_date })).msg, /ISO 8601/)
})

test('the first unread message is an anchor, also by the legacy parameter', async () => {
  const { ben, ids } = await fiveMessages()
  await ben.does(flags.updateMessageFlags, { messages: ids.slice(0, 2), op: 'add', flag: 'read' })
  const found = await page(ben, { anchor: 'first_unread', num_before: 1, num_after: 1 })
  assert.equal(found.anchor, ids[2])
  assert.deepEqual(found.ids, ids.slice(1, 4))
  const older = await page(ben, { anchor: 0, use_first_unread_anchor: true })
  assert.equal(older.anchor, ids[2])
})

test('if nothing is unread, anchor "first_unread" is above the newest message', async () => {
  const { ben, ids } = await fiveMessages()
  await ben.does(flags.updateMessageFlags, { messages: ids, op: 'add', flag: 'read' })
  const found = await page(ben, { anchor: 'first_unread', num_before: 1, num_after: 1 })
  assert.equal(found.anchor, api.largestAnchor)
  assert.deepEqual(found.ids, ids.slice(4))
  assert.equal(found.found_newest, true)
})

test('messages can be requested by id; inaccessible ones are left out', async () => {
  const { ann, ben, mona, ids } = await fiveMessages()
  const foreign = await ann.sends({ to: [mona] })
  const found = await page(ben, { message_ids: [ids[3]!, ids[1]!, foreign, 999_999] })
  assert.deepEqual(found.ids, [ids[1], ids[3]])
  assert.deepEqual([found.found_anchor, found.found_oldest, found.found_newest], [false, false, false])
  assert.ok(!('anchor' in found))
})

test('message ids and a range cannot be combined', async () => {
  const { ben, ids } = await fiveMessages()
  for (const more of [{ anchor: 5 }, { num_before: 1 }, { num_after: 1 }, { use_first_unread_anchor: true }]) {
    const refusal = await ben.isRefused(api.getMessages, { message_ids: ids, ...more })
    assert.equal(refusal.code, 'BAD_REQUEST')
    assert.match(String(refusal.parameters), /message_ids/)
  }
})

test('an anchor, or a parameter that replaces it, is required', async () => {
  const { ben } = await newWorld()
  await ben.isRefused(api.getMessages, { num_before: 1 })
})

test('at most 5000 messages can be requested at once', async () => {
  const { ben } = await newWorld()
  await ben.does(api.getMessages, { anchor: 'newest', num_before: 2500, num_after: 2500 })
  await ben.isRefused(api.getMessages, { anchor: 'newest', num_before: 2500, num_after: 2501 })
})

test('malformed ranges are refused', async () => {
  const { ben } = await newWorld()
  for (const params of [
    { anchor: 'somewhere' },
    { anchor: 1.5 },
    { anchor: 'newest', num_before: -1 },
    { message_ids: [1e300] },
    { message_ids: [-1] },
    { message_ids: 'all' },
  ])
    await ben.isRefused(api.getMessages, params)
})

test('nobody sees messages of another realm', async () => {
  const { ids } = await fiveMessages()
  const { ann } = await newWorld()
  assert.deepEqual((await page(ann, { message_ids: ids })).ids, [])
  assert.deepEqual((await page(ann, { anchor: 'newest', num_before: 100 })).ids, [])
})

test('a user who receives few messages in a busy realm finds all of them', async () => {
  const { ann, ben, mona, ids, ctx, realmId } = await fiveMessages()
  const loud = await ann.sends({ to: [mona] })
  await sql`
    insert into messages (realm_id, id, recipient_id, sender_id, date_sent, client, content, rendered_content)
    select m.realm_id, m.id + n, m.recipient_id, m.sender_id, m.date_sent, m.client, '', ''
      from messages m, generate_series(1, 5000) n where m.realm_id = ${realmId} and m.id = ${loud}`.execute(ctx.db)
  await sql`update realm_counters set last_message = last_message + 5000 where realm_id = ${realmId}`.execute(ctx.db)
  const last = await ann.sends({ to: [ben] })
  assert.deepEqual((await page(ben, { anchor: 'newest', num_before: 3 })).ids, [ids[3], ids[4], last])
  assert.deepEqual((await page(ben, { anchor: ids[4]!, num_after: 3 })).ids, [ids[4], last])
  assert.deepEqual((await page(ben, { anchor: 9_000_000_000_000_000, num_after: 3 })).ids, [])
})

test('a page is complete if few of the messages near the anchor are in one of many channels of the caller', async () => {
  const { ann, ben, mona, ctx, realmId } = await fiveMessages()
  const subscriptions = Array.from({ length: 60 }, (_, n) => ({ name: `channel ${n}` }))
  await ben.does(subscribe, { subscriptions })
  const [own, loud] = [await ann.sends({ to: [ben] }), await ann.sends({ to: [mona] })]
  await sql`
    insert into messages (realm_id, id, recipient_id, sender_id, date_sent, client, content, rendered_content)
    select m.realm_id, ${loud} + n, m.recipient_id, m.sender_id, m.date_sent, m.client, '', ''
      from generate_series(1, 3000) n
      join messages m on m.realm_id = ${realmId} and m.id = case n % 40 when 0 then ${own}::bigint else ${loud}::bigint end
  `.execute(ctx.db)
  await sql`update realm_counters set last_message = last_message + 3000 where realm_id = ${realmId}`.execute(ctx.db)
  const expected = Array.from({ length: 50 }, (_, n) => loud + 40 * (n + 26))
  assert.deepEqual((await page(ben, { anchor: 'newest', num_before: 50 })).ids, expected)
  assert.deepEqual(
    (await page(ben, { anchor: loud, num_after: 50 })).ids,
    expected.map((id) => id - 1000),
  )
})
