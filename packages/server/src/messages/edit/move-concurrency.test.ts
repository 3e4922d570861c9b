import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMessage } from '@parley/api/deletion'
import { updateMessageFlags } from '@parley/api/flags'
import { addReaction } from '@parley/api/reactions'
import { inChannel } from '../../testing/channels.ts'
import { edits, placeMessages, sees, topicOf } from '../../testing/editing.ts'
import { newWorld } from '../../testing/world.ts'

test('many who edit, move, send and read in one topic at once all succeed, and nothing is lost', async () => {
  const world = await newWorld()
  const { ann, ben, mona } = world
  await placeMessages(world, { message_content_edit_limit_seconds: null })
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
      assert.equal(prev_topic, places[at + 1]?.topic ?? 'castle', 'each move begins where the one before it ended')
  }
})

test('of two who rename a topic at once the later one renames what the earlier one made', async () => {
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

test('messages that change places between two topics at once cross without harm', async () => {
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

test('whoever reacts to, edits or deletes a message while it goes from channel to channel reaches it where it is', async () => {
  const world = await newWorld()
  const { ann, ben, mona, adam } = world
  const people = [ann, ben, mona, adam]
  const [verona, rome] = [await inChannel('verona', people), await inChannel('rome', people)]
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push(await ann.sends({ channel: 'verona', topic: 'castle', content: `first ${n}` }))
  const gone = await ann.sends({ channel: 'verona', topic: 'castle' })
  const whole = { propagate_mode: 'change_all', send_notification_to_new_thread: false } as const
  const moves = async () => {
    for (const stream_id of [rome, verona, rome, verona, rome]) await edits(mona, ids[0]!, { stream_id, ...whole })
  }
  await Promise.all([
    moves(),
    ...ids.map((message_id) => ben.does(addReaction, { path: { message_id }, emoji_name: 'tada' })),
    ...ids.map((id, n) => edits(ann, id, { content: `second ${n}` })),
    adam.does(deleteMessage, { path: { message_id: gone } }),
  ])
  assert.deepEqual(await topicOf(ben, 'rome', 'castle'), ids)
  for (const [n, id] of ids.entries()) {
    const { content, reactions, edit_history } = await sees(ben, id)
    assert.deepEqual([content, reactions.length, edit_history!.length], [`<p>second ${n}</p>`, 1, 6])
  }
})
