import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMessageHistory } from '@parley/api/editing'
import { sql } from 'kysely'
import { inChannel } from '../../testing/channels.ts'
import { edits, sees } from '../../testing/editing.ts'
import { newWorld } from '../../testing/world.ts'

/** A message with many history entries, written directly to the database. */
async function editedMessage(count: number, content = 'version') {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  await inChannel('verona', [ann, ben])
  const id = await ann.sends({ channel: 'verona', content: 'now' })
  await sql`
    update messages set edit_history = (
      select jsonb_agg(jsonb_build_object('number', n - 1000, 'user_id', ${ann.id}::bigint, 'timestamp', n,
                         'prev_content', ${content}::text || n, 'prev_rendered_content', '<p>' || ${content}::text || n || '</p>'))
        from generate_series(1, ${count}::integer) n)
     where realm_id = ${realmId} and id = ${id}`.execute(ctx.db)
  return { ...world, id }
}

test('listings show the ten newest edits', async () => {
  const { ben, id } = await editedMessage(30)
  const { edit_history, last_edit_timestamp } = await sees(ben, id)
  assert.deepEqual(
    edit_history!.map(({ prev_content }) => prev_content),
    Array.from({ length: 10 }, (_, n) => `version${30 - n}`),
  )
  assert.equal(last_edit_timestamp, 30)
})

test('listings still have the last edit of a message that was moved many times since', async () => {
  const { adam, ben, id } = await editedMessage(1)
  for (let n = 0; n < 11; n++) await edits(adam, id, { topic: `topic ${n}`, propagate_mode: 'change_all' })
  const { edit_history, last_edit_timestamp } = await sees(ben, id)
  assert.equal(edit_history!.length, 11)
  assert.equal(edit_history!.at(-1)!.prev_content, 'version1')
  assert.equal(last_edit_timestamp, 1)
})

test('listings truncate the text of large edits', async () => {
  const { ben, id } = await editedMessage(3, 'x'.repeat(9000))
  const { edit_history } = await sees(ben, id)
  for (const { prev_content, prev_rendered_content } of edit_history!)
    assert.deepEqual([prev_content, prev_rendered_content], ['x'.repeat(200), undefined])
})

test('a message keeps its original and its newest edits', async () => {
  const { ann, ben, id } = await editedMessage(150)
  await edits(ann, id, { content: 'newest' })
  const { message_history } = await ben.does(getMessageHistory, { path: { message_id: id } })
  assert.equal(message_history.length, 100)
  assert.equal(message_history[0]!.content, 'version1')
  assert.equal(message_history.at(-1)!.content, 'newest')
  assert.equal(message_history.at(-1)!.prev_content, 'now')
})

test('the history of a message is bounded in size', async () => {
  const { ann, ben, id } = await editedMessage(60, 'word '.repeat(4000))
  await edits(ann, id, { content: 'newest' })
  const { message_history } = await ben.does(getMessageHistory, { path: { message_id: id } })
  assert.ok(message_history.length > 10 && message_history.length < 60)
  assert.ok(JSON.stringify(message_history).length < 5_000_000)
})
