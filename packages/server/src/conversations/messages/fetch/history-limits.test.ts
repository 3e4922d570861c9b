import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { getMessageHistory } from '@parley/api/conversations/editing'
import { getMessages } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import { inChannel } from '../../../testing/channels.ts'
import { edits, sees } from '../../../testing/editing.ts'
import { newWorld } from '../../../testing/world.ts'

/** A message with many history entries, written directly to the database. */
async function editedMessage(count: number, content = 'version') {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  await inChannel('verona', [ann, ben])
  const id = await ann.sends({ channel: 'verona', content: 'now' })
  await sql`
    update messages set edit_history = (
      select jsonb_agg(jsonb_build_object('number', n - 10000, 'user_id', ${ann.id}::bigint, 'timestamp', n,
                         'prev_content', ${content}::text || n, 'prev_rendered_content', '<p>' || ${content}::text || n || '</p>'))
        from generate_series(1, ${count}::integer) n)
     where realm_id = ${realmId} and id = ${id}`.execute(ctx.db)
  return { ...world, id }
}

test('listings show every edit with its whole text', async () => {
  const { ben, id } = await editedMessage(30, 'x'.repeat(9000))
  const { edit_history, last_edit_timestamp } = await sees(ben, id)
  assert.deepEqual(
    edit_history!.map(({ prev_content }) => prev_content),
    Array.from({ length: 30 }, (_, n) => `${'x'.repeat(9000)}${30 - n}`),
  )
  assert.equal(last_edit_timestamp, 30)
})

test('listings show every move', async () => {
  const { adam, ben, id } = await editedMessage(1)
  for (let n = 0; n < 12; n++) await edits(adam, id, { topic: `topic ${n}`, propagate_mode: 'change_all' })
  const { edit_history, last_edit_timestamp } = await sees(ben, id)
  assert.equal(edit_history!.length, 13)
  assert.equal(edit_history!.at(-1)!.prev_content, 'version1')
  assert.equal(last_edit_timestamp, 1)
})

test('an answer contains 1 MB of histories, the newest; beyond that, previous texts are left out', async () => {
  const { ann, ben, id, ctx, realmId } = await editedMessage(30, randomText(9000))
  const ids = [id]
  for (let n = 0; n < 3; n++) ids.push(await ann.sends({ channel: 'verona' }))
  await sql`
    update messages m set edit_history = first.edit_history from messages first
     where m.realm_id = ${realmId} and m.id = any(${ids}::bigint[]) and first.realm_id = m.realm_id and first.id = ${id}`.execute(
    ctx.db,
  )
  const answer = await ben.does(getMessages, { anchor: 'newest', num_before: 4, narrow: [['channel', 'verona']] })
  const histories = answer.messages.map(({ edit_history }) => edit_history!)
  const texts = histories.map((history) => history.filter(({ prev_content }) => prev_content !== undefined).length)
  assert.deepEqual(
    histories.map(({ length }) => length),
    [10, 10, 30, 30],
  )
  assert.deepEqual([texts[0], texts[1], texts[3]], [0, 0, 30])
  assert.ok(texts[2]! > 10 && texts[2]! < 30)
  for (const { last_edit_timestamp } of answer.messages) assert.equal(last_edit_timestamp, 30)
  const whole = histories[2]!.filter(({ prev_content }) => prev_content !== undefined)
  for (const { prev_content } of whole) assert.ok(prev_content!.length > 9000)
})

/** Cannot be compressed, like most texts of people cannot be by much. */
function randomText(length: number): string {
  return randomBytes(length / 2).toString('hex')
}

test('the history of a message has every edit', async () => {
  const { ann, ben, id } = await editedMessage(150)
  await edits(ann, id, { content: 'newest' })
  const { message_history } = await ben.does(getMessageHistory, { path: { message_id: id } })
  assert.equal(message_history.length, 152)
  assert.equal(message_history[0]!.content, 'version1')
  assert.equal(message_history.at(-1)!.content, 'newest')
  assert.equal(message_history.at(-1)!.prev_content, 'now')
})

test('a message keeps its original and its newest edits', async () => {
  const { ann, ben, id } = await editedMessage(1200)
  await edits(ann, id, { content: 'newest' })
  const { message_history } = await ben.does(getMessageHistory, { path: { message_id: id } })
  assert.equal(message_history.length, 1001)
  assert.equal(message_history[0]!.content, 'version1')
  assert.equal(message_history.at(-1)!.content, 'newest')
})

test('the history of a message is bounded in size', async () => {
  const { ann, ben, id } = await editedMessage(60, 'word '.repeat(4000))
  await edits(ann, id, { content: 'newest' })
  const { message_history } = await ben.does(getMessageHistory, { path: { message_id: id } })
  assert.ok(message_history.length > 10 && message_history.length < 60)
  assert.ok(JSON.stringify(message_history).length < 5_000_000)
})

test('of many moves, the oldest are shown without the text, which they do not change', async () => {
  const { ben, id, ctx, realmId } = await editedMessage(1)
  await sql`
    update messages set content = repeat('x', 10000), rendered_content = repeat('x', 10000),
           edit_history = edit_history || (
             select jsonb_agg(jsonb_build_object('number', n, 'user_id', null, 'timestamp', n, 'prev_topic', 'a', 'topic', 'b'))
               from generate_series(1, 400) n)
     where realm_id = ${realmId} and id = ${id}`.execute(ctx.db)
  const { message_history } = await ben.does(getMessageHistory, { path: { message_id: id } })
  assert.equal(message_history.length, 402)
  assert.equal(message_history[0]!.content, 'version1')
  const [, edit, first] = message_history
  assert.deepEqual(
    [edit!.content!.length, first!.content, message_history.at(-1)!.content!.length],
    [10_000, undefined, 10_000],
  )
})
