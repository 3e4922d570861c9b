import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyTopicDisplayName } from '@parley/api/common'
import { sql } from 'kysely'
import { inChannel } from '../../../testing/channels.ts'
import { configureRealm } from '../../../testing/configure-realm.ts'
import { age, edits, mayNotEdit, sees, topicOf } from '../../../testing/editing.ts'
import { newWorld } from '../../../testing/world.ts'

/** Three messages in verona > castle. */
async function inCastle() {
  const world = await newWorld()
  const { ann, ben } = world
  const channel = await inChannel('verona', [ann, ben])
  const ids: number[] = []
  for (const content of ['one', 'two', 'three'])
    ids.push(await ann.sends({ channel: 'verona', topic: 'castle', content }))
  return { ...world, world, channel, ids: ids as [number, number, number] }
}
const whole = { propagate_mode: 'change_all' } as const

test('resolving a topic does not count as a move and sends only the "resolved" notice', async () => {
  const { ann, ben, mona, channel, ids } = await inCastle()
  await ben.registers()
  await edits(ben, ids[0], { topic: '✔ castle', ...whole })
  const resolved = await sees(ann, ids[0])
  assert.deepEqual([resolved.subject, resolved.last_moved_timestamp], ['✔ castle', undefined])
  assert.equal(resolved.edit_history![0]!.prev_topic, 'castle')
  const notices = await ben.receives('message')
  assert.equal(notices.length, 1)
  assert.deepEqual([notices[0]!.message.subject, notices[0]!.message.stream_id], ['✔ castle', channel])
  assert.match(notices[0]!.message.content, /resolved/)
  // Ann took part in the topic, Ben did not.
  assert.deepEqual(notices[0]!.flags, ['read'])
  assert.deepEqual((await sees(ben, notices[0]!.message.id)).flags, ['read'])
  assert.deepEqual((await sees(ann, notices[0]!.message.id)).flags, [])
  assert.deepEqual((await sees(mona, notices[0]!.message.id)).flags, ['read', 'historical'])
})

test('reopening within a minute deletes the notice', async () => {
  const { ann, ben, world, channel, ids } = await inCastle()
  await edits(ann, ids[0], { topic: '✔ castle', ...whole })
  const notice = (await topicOf(ann, 'verona', '✔ castle')).at(-1)!
  await ben.registers()
  await edits(ann, ids[0], { topic: 'castle', ...whole })
  assert.deepEqual(await topicOf(ann, 'verona', 'castle'), ids)
  const [deleted] = await ben.receives('delete_message')
  assert.deepEqual(deleted, {
    id: deleted!.id,
    type: 'delete_message',
    message_type: 'stream',
    message_id: notice,
    stream_id: channel,
    topic: 'castle',
  })
  assert.deepEqual(await ben.receives('message'), [])
  await edits(ann, ids[0], { topic: '✔ castle', ...whole })
  await age(world, await topicOf(ann, 'verona', '✔ castle'), 81)
  await edits(ann, ids[0], { topic: 'castle', ...whole })
  assert.equal((await topicOf(ann, 'verona', 'castle')).length, 5)
})

test('deleting the notice emits first_message_id if it was the only message of the channel', async () => {
  const { ann, ben, ctx, realmId, channel, ids } = await inCastle()
  await edits(ann, ids[0], { topic: '✔ castle', ...whole })
  const notice = (await topicOf(ann, 'verona', '✔ castle')).at(-1)!
  await sql`delete from messages where realm_id = ${realmId} and id <> ${notice}`.execute(ctx.db)
  await ben.registers()
  await edits(ann, notice, { topic: 'castle', ...whole })
  const [update] = await ben.receives('stream')
  const { id: _, ...event } = update!
  const changed = { stream_id: channel, name: 'verona', property: 'first_message_id', value: null }
  assert.deepEqual(event, { type: 'stream', op: 'update', ...changed })
})

test('resolving some messages resolves only these, whatever the mode, and counts as no move', async () => {
  for (const [propagate_mode, moved] of [
    ['change_one', 1],
    ['change_later', 2],
  ] as const) {
    const { ann, ben, world, ids } = await inCastle()
    await configureRealm(world, {}, { can_move_messages_between_topics_group: 'role:nobody' })
    await configureRealm(world, { move_messages_within_stream_limit_seconds: 60 })
    await age(world, ids, 81)
    await ben.registers()
    await edits(ann, ids[1], { topic: '✔ castle', propagate_mode })
    assert.deepEqual((await topicOf(ann, 'verona', '✔ castle')).slice(0, -1), ids.slice(1, 1 + moved))
    assert.equal((await sees(ann, ids[1])).last_moved_timestamp, undefined)
    const [event] = await ben.receives('update_message')
    assert.deepEqual([event!.propagate_mode, event!.message_ids.length], [propagate_mode, moved])
    const notices = await ben.receives('message')
    assert.deepEqual([notices.length, notices[0]!.message.subject], [1, '✔ castle'])
    assert.match(notices[0]!.message.content, /resolved this topic/)
  }
})

test('a change of content and resolving at once sends no notice and counts as no move', async () => {
  const { ann, ben, ids } = await inCastle()
  await ben.registers()
  await edits(ann, ids[0], { topic: '✔ castle', content: 'uno', ...whole })
  assert.deepEqual(await ben.receives('message'), [])
  for (const id of ids) assert.equal((await sees(ann, id)).last_moved_timestamp, undefined)
  assert.ok((await sees(ann, ids[0])).last_edit_timestamp)
})

test('resolving more messages within a minute deletes the notice that is still the newest message', async () => {
  const { ann, ben, ids } = await inCastle()
  await edits(ann, ids[0], { topic: '✔ castle' })
  await ben.registers()
  await edits(ann, ids[1], { topic: '✔ castle' })
  assert.deepEqual(await topicOf(ann, 'verona', '✔ castle'), ids.slice(0, 2))
  assert.equal((await ben.receives('delete_message')).length, 1)
  assert.deepEqual(await ben.receives('message'), [])
})

test('reopening one message leaves the notice of the others', async () => {
  const { ann, ben, ids } = await inCastle()
  await edits(ann, ids[0], { topic: '✔ castle', ...whole })
  await ben.registers()
  await edits(ann, ids[0], { topic: 'castle' })
  assert.deepEqual(await ben.receives('delete_message'), [])
  const [notice] = await ben.receives('message')
  assert.deepEqual([notice!.message.subject, (await topicOf(ann, 'verona', '✔ castle')).length], ['castle', 3])
  assert.match(notice!.message.content, /reopened this topic/)
})

test('resolving sends a notice to the old topic if that is requested', async () => {
  const { ann, ben, ids } = await inCastle()
  await ben.registers()
  await edits(ann, ids[0], { topic: '✔ castle', send_notification_to_old_thread: true, ...whole })
  const notices = (await ben.receives('message')).map(({ message }) => message)
  assert.deepEqual(
    notices.map(({ subject }) => subject),
    ['✔ castle', 'castle'],
  )
  assert.match(notices[1]!.content, /moved this topic to/)
})

test('a name that was cut when its topic was resolved comes back when it is reopened', async () => {
  const { ann, world } = await inCastle()
  await configureRealm(world, {}, { can_move_messages_between_topics_group: 'role:nobody' })
  for (const length of [59, 60]) {
    const topic = 'x'.repeat(length)
    const id = await ann.sends({ channel: 'verona', topic })
    await edits(ann, id, { topic: `✔ ${topic}`, ...whole })
    assert.equal((await sees(ann, id)).subject, `✔ ${'x'.repeat(55)}...`)
    await mayNotEdit(ann, id, { topic: `${topic.slice(1)}y`, ...whole })
    await edits(ann, id, { topic, ...whole })
    const { subject, last_moved_timestamp } = await sees(ann, id)
    assert.deepEqual([subject, last_moved_timestamp], [topic, undefined])
  }
})

test('resolving a topic again keeps the notice if there is a newer message', async () => {
  const { ann, ben, ids } = await inCastle()
  await edits(ann, ids[0], { topic: '✔ castle', ...whole })
  const other = await ann.sends({ channel: 'verona', topic: 'castle' })
  await ben.registers()
  await edits(ann, other, { topic: '✔ castle', ...whole })
  assert.deepEqual(await ben.receives('delete_message'), [])
  assert.match((await ben.receives('message'))[0]!.message.content, /resolved this topic/)
})

test('the empty topic cannot be resolved', async () => {
  const { ann } = await inCastle()
  const id = await ann.sends({ channel: 'verona', topic: '' })
  for (const topic of ['✔', '✔ ', `✔ ${emptyTopicDisplayName}`]) await mayNotEdit(ann, id, { topic })
})

test('the notice of resolving is unread for the others who took part, and read for the caller', async () => {
  const { ann, ben, ids } = await inCastle()
  await ben.sends({ channel: 'verona', topic: 'castle' })
  for (const user of [ann, ben]) await user.registers()
  await edits(ann, ids[0], { topic: '✔ castle', ...whole })
  const flagsOf = async (user: typeof ann) => (await user.receives('message'))[0]!.flags
  assert.ok((await flagsOf(ann)).includes('read'))
  assert.ok(!(await flagsOf(ben)).includes('read'))
})
