import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editMessage } from '@parley/api/conversations/editing'
import { sendMessage } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import { one } from '../../../platform/db/query.ts'
import { inChannel } from '../../../testing/channels.ts'
import { sees } from '../../../testing/editing.ts'
import { newWorld } from '../../../testing/world.ts'
import { endStream } from './streaming.ts'

async function streaming(content = 'Let me see:') {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  const channel = await inChannel('verona', [ann, ben])
  const { id, length } = await ann.does(sendMessage, {
    type: 'channel',
    to: channel,
    topic: 'castle',
    content,
    streaming: true,
  })
  const path = { message_id: id }
  const rest = () =>
    sql`update message_streams set updated_at = now() - interval '1 second' where realm_id = ${realmId}`.execute(ctx.db)
  await rest()
  const adds = async (delta: string, offset: number, more: object = {}) => {
    const answer = await ann.does(editMessage, { path, delta, offset, ...more })
    await rest()
    return answer.length
  }
  return { ...world, world, id, path, length: length!, adds }
}

test('readers see each part of a streamed message, which has no history and is not marked as edited', async () => {
  const { ann, ben, path, length, adds } = await streaming()
  await ben.registers()
  const longer = await adds(' **one**, ', length)
  assert.equal(await adds('two', longer!), length + 13)
  await ann.does(editMessage, { path, done: true })
  const events = await ben.receives('update_message')
  assert.deepEqual(
    events.map(({ content, rendering_only, streaming: isOpen }) => [content, rendering_only, isOpen]),
    [
      ['Let me see: **one**, ', true, true],
      ['Let me see: **one**, two', true, true],
      ['Let me see: **one**, two', true, false],
    ],
  )
  const message = await sees(ben, path.message_id)
  assert.equal(message.content, '<p>Let me see: <strong>one</strong>, two</p>')
  assert.deepEqual([message.edit_history, message.last_edit_timestamp], [undefined, undefined])
})

test('a part that is repeated changes nothing, and one at another offset is refused with the length', async () => {
  const { ann, ben, path, length, adds } = await streaming()
  await adds(' one', length)
  await ben.registers()
  assert.equal(await adds(' one', length), length + 4)
  assert.deepEqual(await ben.receives('update_message'), [])
  for (const [delta, offset] of [
    [' other', length],
    ['x', length + 9],
  ] as const) {
    const refused = await ann.isRefused(editMessage, { path, delta, offset })
    assert.deepEqual([refused.code, refused.length], ['EXPECTATION_MISMATCH', length + 4])
  }
})

test('more than four parts a second are refused', async () => {
  const { ann, path, length } = await streaming()
  await ann.does(editMessage, { path, delta: ' one', offset: length })
  const refused = await ann.isRefused(editMessage, { path, delta: ' two', offset: length + 4 })
  assert.equal(refused.code, 'RATE_LIMIT_HIT')
})

test('the last part notifies users that the text mentions', async () => {
  const { ann, ben, path, length, adds } = await streaming()
  await adds(' ask @**Ben**', length)
  assert.ok(!(await sees(ben, path.message_id)).flags.includes('mentioned'))
  await ann.does(editMessage, { path, delta: '', done: true })
  assert.ok((await sees(ben, path.message_id)).flags.includes('mentioned'))
})

test('only its author continues a message, only while it is streamed, and only alone', async () => {
  const { ann, ben, gus, path, length } = await streaming()
  const part = { path, delta: ' more', offset: length }
  assert.match((await ben.isRefused(editMessage, part)).msg, /permission/)
  assert.match((await gus.isRefused(editMessage, part)).msg, /Invalid message/)
  assert.match((await ann.isRefused(editMessage, { ...part, topic: 'other' })).msg, /sent alone/)
  assert.match((await ann.isRefused(editMessage, { ...part, delta: 'x'.repeat(9995) })).msg, /at most 10000/)
  await ann.does(editMessage, { path, done: true })
  assert.match((await ann.isRefused(editMessage, part)).msg, /has ended/)
  const plain = await ann.sends({ channel: 'verona' })
  assert.match(
    (await ann.isRefused(editMessage, { path: { message_id: plain }, delta: 'x' })).msg,
    /not being streamed/,
  )
})

test('a stream whose author is silent for a minute ends by itself', async () => {
  const { ann, ben, ctx, realmId, id, path, length, adds } = await streaming()
  await adds(' for @**Ben**', length)
  await endStream(ctx, { realm_id: realmId, message_id: id })
  assert.equal(await adds('!', length + 13), length + 14)
  await sql`update message_streams set updated_at = now() - interval '61 seconds' where realm_id = ${realmId}`.execute(
    ctx.db,
  )
  await endStream(ctx, { realm_id: realmId, message_id: id })
  assert.ok((await sees(ben, id)).flags.includes('mentioned'))
  assert.match((await ann.isRefused(editMessage, { path, delta: 'x' })).msg, /has ended/)
})

test('an empty part does not keep a stream open, and after ten minutes none is added', async () => {
  const { ann, ctx, realmId, path, adds } = await streaming()
  const ages = async () =>
    one<{ seconds: number }>(ctx.db)`
      select extract(epoch from now() - updated_at)::float8 as seconds from message_streams where realm_id = ${realmId}`
  await sql`update message_streams set updated_at = now() - interval '59 seconds' where realm_id = ${realmId}`.execute(
    ctx.db,
  )
  await ann.does(editMessage, { path, delta: '' })
  assert.ok((await ages()).seconds > 50)
  await sql`update messages set date_sent = now() - interval '11 minutes' where realm_id = ${realmId}`.execute(ctx.db)
  await assert.rejects(adds(' more', 14), /its stream has ended/)
})
