import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { addReaction } from '@parley/api/conversations/reactions'
import { inChannel } from '../../../testing/channels.ts'
import { configureRealm } from '../../../testing/configure-realm.ts'
import { edits, sees, topicOf } from '../../../testing/editing.ts'
import { newWorld } from '../../../testing/world.ts'

test('concurrent edits, moves, sends and flag updates in one topic all succeed, and nothing is lost', async () => {
  const world = await newWorld()
  const { ann, ben, mona } = world
  await configureRealm(world, { message_content_edit_limit_seconds: null })
  await inChannel('verona', [ann, ben, mona])
  const rome = await inChannel('rome', [ann, ben, mona])
  const ids: number[] = []
  for (let n = 0; n < 8; n++) ids.push(await ann.sends({ channel: 'verona', topic: 'castle', content: `first ${n}` }))
  await Promise.all([
    ...ids.map((id, n) => edits(ann, id, { content: `second ${n}` })),
    edits(ben, ids[0]!, { topic: 'tower', propagate_mode: 'change_all' }),
    edits(mona, ids[4]!, { stream_id: rome, topic: 'forum', propagate_mode: 'change_later' }),
    edits(ann, ids[2]!, { topic: 'gate' }),
    ...ids.map((id) => ben.does(updateMessageFlags, { op: 'add', flag: 'read', messages: [id] })),
    ...ids.map(() => ann.sends({ channel: 'verona', topic: 'castle' })),
  ])
  for (const [n, id] of ids.entries()) {
    const { content, edit_history, flags } = await sees(ben, id)
    assert.equal(content, `<p>second ${n}</p>`)
    assert.equal(edit_history!.filter(({ prev_content }) => prev_content !== undefined).length, 1)
    assert.deepEqual(flags, ['read'])
    const places = edit_history!.filter(({ topic }) => topic !== undefined)
    for (const [at, { prev_topic }] of places.entries())
      assert.equal(prev_topic, places[at + 1]?.topic ?? 'castle', 'each move starts where the previous one ended')
  }
})

test('of two concurrent renames, the second renames the result of the first', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  const id = await ann.sends({ channel: 'verona', topic: 'castle' })
  await Promise.all([
    edits(ann, id, { topic: 'a', propagate_mode: 'change_all', send_notification_to_new_thread: false }),
    edits(ben, id, { topic: 'b', propagate_mode: 'change_all', send_notification_to_new_thread: false }),
  ])
  const { subject, edit_history } = await sees(ann, id)
  assert.equal(edit_history!.length, 2)
  assert.deepEqual([edit_history![0]!.topic, edit_history![0]!.prev_topic], [subject, edit_history![1]!.topic])
})

test('concurrent opposite moves between two topics both succeed', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  const x = await ann.sends({ channel: 'verona', topic: 'a' })
  const y = await ann.sends({ channel: 'verona', topic: 'b' })
  for (const [toX, toY] of [
    ['b', 'a'],
    ['a', 'b'],
    ['b', 'a'],
  ])
    await Promise.all([
      edits(ann, x, { topic: toX!, send_notification_to_old_thread: true }),
      edits(ben, y, { topic: toY!, send_notification_to_old_thread: true }),
    ])
  assert.ok((await topicOf(ann, 'verona', 'b')).includes(x))
  assert.ok((await topicOf(ann, 'verona', 'a')).includes(y))
  assert.equal((await sees(ann, x)).edit_history!.length, 3)
})

test('reactions, edits and deletions succeed while their message moves between channels', async () => {
  const world = await newWorld()
  const { ann, ben, mona, adam } = world
  const users = [ann, ben, mona, adam]
  const [verona, rome] = [await inChannel('verona', users), await inChannel('rome', users)]
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push(await ann.sends({ channel: 'verona', topic: 'castle', content: `first ${n}` }))
  const deleted = await ann.sends({ channel: 'verona', topic: 'castle' })
  const whole = { propagate_mode: 'change_all', send_notification_to_new_thread: false } as const
  const moves = async () => {
    for (const stream_id of [rome, verona, rome, verona, rome]) await edits(mona, ids[0]!, { stream_id, ...whole })
  }
  await Promise.all([
    moves(),
    ...ids.map((message_id) => ben.does(addReaction, { path: { message_id }, emoji_name: 'tada' })),
    ...ids.map((id, n) => edits(ann, id, { content: `second ${n}` })),
    adam.does(deleteMessage, { path: { message_id: deleted } }),
  ])
  assert.deepEqual(await topicOf(ben, 'rome', 'castle'), ids)
  for (const [n, id] of ids.entries()) {
    const { content, reactions, edit_history } = await sees(ben, id)
    assert.deepEqual([content, reactions.length, edit_history!.length], [`<p>second ${n}</p>`, 1, 6])
  }
})
