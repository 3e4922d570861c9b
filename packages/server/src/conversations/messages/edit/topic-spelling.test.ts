import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getTopics } from '@parley/api/conversations/channels'
import { sendMessage } from '@parley/api/conversations/messages'
import { inChannel } from '../../../testing/channels.ts'
import { edits, sees, topicOf } from '../../../testing/editing.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld } from '../../../testing/world.ts'

const quietly = { send_notification_to_new_thread: false }
const whole = { propagate_mode: 'change_all' } as const

/** Three messages in verona > castle, the second as Castle. */
async function inCastle() {
  const world = await newWorld()
  const { ann, ben } = world
  const channel = await inChannel('verona', [ann, ben])
  const ids: number[] = []
  for (const topic of ['castle', 'Castle', 'castle']) ids.push(await ann.sends({ channel: 'verona', topic }))
  const spellings = async () => {
    const messages = await Promise.all(ids.map((id) => sees(ann, id)))
    return messages.map(({ subject }) => subject).join(' ')
  }
  return { ...world, world, channel, ids: ids as [number, number, number], spellings }
}

/** Ben subscribed to vault, where history is protected, after Ann had sent a message to its topic gold. */
async function inVault() {
  const world = await newWorld()
  const { ann, ben } = world
  const channel = await inChannel('vault', [ann], { invite_only: true, history_public_to_subscribers: false })
  const hidden = await ann.sends({ channel: 'vault', topic: 'gold' })
  await inChannel('vault', [ann, ben])
  return { ...world, channel, hidden }
}

test('each message keeps the spelling of its sender, in events and lists', async () => {
  const { ann, ben, channel, ids, spellings } = await inCastle()
  assert.equal(await spellings(), 'castle Castle castle')
  assert.deepEqual(await topicOf(ann, 'verona', 'CASTLE'), ids)
  const { unread_msgs } = await ben.registers()
  const { topic, unread_message_ids } = unread_msgs!.streams[0]!
  assert.deepEqual([topic, unread_message_ids], ['castle', ids])
  await ann.sends({ channel: 'verona', topic: 'CASTLE' })
  assert.equal((await ben.receives('message'))[0]!.message.subject, 'CASTLE')
  const { topics } = await ann.does(getTopics, { path: { stream_id: channel } })
  assert.equal(topics[0]!.name, 'CASTLE')
})

test('a change of case applies to the messages that the mode selects, and the event names these', async () => {
  for (const [propagate_mode, after, moved] of [
    ['change_one', 'castle CASTLE castle', 1],
    ['change_later', 'castle CASTLE CASTLE', 2],
    ['change_all', 'CASTLE CASTLE CASTLE', 3],
  ] as const) {
    const { ann, ben, ids, spellings } = await inCastle()
    await ben.registers()
    await edits(ann, ids[1], { topic: 'CASTLE', propagate_mode })
    assert.equal(await spellings(), after)
    const [event] = await ben.receives('update_message')
    assert.deepEqual([event!.propagate_mode, event!.message_ids.length], [propagate_mode, moved])
    assert.deepEqual([event!.orig_subject, event!.subject], ['Castle', 'CASTLE'])
    assert.equal((await sees(ann, ids[1])).edit_history!.length, 1)
  }
})

test('a change of case posts no notice and counts as no move', async () => {
  const { ann, ben, ids } = await inCastle()
  await ben.registers()
  await edits(ann, ids[1], { topic: 'CASTLE', send_notification_to_old_thread: true })
  assert.deepEqual(await ben.receives('message'), [])
  assert.equal((await sees(ann, ids[1])).last_moved_timestamp, undefined)
})

test('a rename of the whole topic replaces every spelling, and messages sent later have their own', async () => {
  const { ann, ids, spellings } = await inCastle()
  await edits(ann, ids[0], { topic: 'tower', ...whole, ...quietly })
  assert.equal(await spellings(), 'tower tower tower')
  await edits(ann, ids[0], { topic: 'castle', ...whole, ...quietly })
  assert.equal(await spellings(), 'castle castle castle')
  assert.equal((await sees(ann, await ann.sends({ channel: 'verona', topic: 'Castle' }))).subject, 'Castle')
})

test('messages keep their spelling on a move to another channel, alone or with the whole topic', async () => {
  const { ann, ids, spellings } = await inCastle()
  const rome = await inChannel('rome', [ann])
  await ann.sends({ channel: 'rome', topic: 'CASTLE' })
  await edits(ann, ids[1], { stream_id: rome, ...quietly })
  assert.equal(await spellings(), 'castle Castle castle')
  await edits(ann, ids[0], { stream_id: rome, ...whole, ...quietly })
  assert.equal(await spellings(), 'castle Castle castle')
  const york = await inChannel('york', [ann])
  await edits(ann, ids[0], { stream_id: york, ...whole, ...quietly })
  assert.equal(await spellings(), 'castle Castle castle')
})

test('messages that join a topic are spelled as the request says', async () => {
  const { ann, ben, ids } = await inCastle()
  const joining = await ann.sends({ channel: 'verona', topic: 'tower' })
  await ben.registers()
  await edits(ann, joining, { topic: 'CASTLE', ...quietly })
  const [event] = await ben.receives('update_message')
  const { subject, edit_history } = await sees(ann, joining)
  assert.deepEqual([subject, event!.subject, edit_history![0]!.topic], ['CASTLE', 'CASTLE', 'CASTLE'])
  assert.deepEqual(await topicOf(ann, 'verona', 'castle'), [...ids, joining])
})

test('events keep state correct when topics are spelled differently', async () => {
  const { ann, ben, ids, channel } = await inCastle()
  const rome = await inChannel('rome', [ann, ben])
  await verifyEvents([ann, ben], () => ann.sends({ channel: 'verona', topic: 'CASTLE' }))
  await verifyEvents([ann, ben], () => edits(ann, ids[0], { topic: 'cAstle', ...quietly }))
  await verifyEvents([ann, ben], () => edits(ann, ids[0], { topic: 'castLE', ...whole, ...quietly }))
  await verifyEvents([ann, ben], () => edits(ann, ids[0], { stream_id: rome, ...whole, ...quietly }))
  await verifyEvents([ann, ben], () => edits(ann, ids[0], { stream_id: channel, topic: '✔ castle', ...whole }))
})

test('with protected history, a change of case applies only to messages that the caller can read', async () => {
  const { ann, ben, hidden } = await inVault()
  const late = await ann.sends({ channel: 'vault', topic: 'gold' })
  await ben.registers()
  await edits(ben, late, { topic: 'GOLD', ...whole })
  assert.deepEqual((await ben.receives('update_message'))[0]!.message_ids, [late])
  assert.deepEqual([(await sees(ann, hidden)).subject, (await sees(ann, late)).subject], ['gold', 'GOLD'])
  assert.equal((await sees(ann, hidden)).edit_history, undefined)
})

test('with protected history, users who start a topic do not learn that it has messages they cannot read', async () => {
  const start = async (topic: string) => {
    const { ben, channel } = await inVault()
    await ben.registers()
    const message = { type: 'stream', to: 'vault', topic, content: 'new', read_by_sender: false } as const
    const { id, ...response } = await ben.does(sendMessage, message)
    const [event] = await ben.receives('message')
    const { unread_msgs, user_topics } = await ben.registers()
    const { topics } = await ben.does(getTopics, { path: { stream_id: channel } })
    const shown = [
      [response, event!.message.subject, (await sees(ben, id)).subject, unread_msgs!.streams.map((one) => one.topic)],
      [user_topics!.map((one) => one.topic_name), topics.map(({ name }) => name)],
    ]
    await edits(ben, id, { topic: 'elsewhere', ...whole, ...quietly })
    await ben.registers()
    await edits(ben, id, { topic, ...whole })
    const notice = (await ben.receives('message'))[0]!.message.content
    return JSON.stringify([shown, notice.replaceAll(/\d+/g, '')]).replaceAll(topic, 'TOPIC')
  }
  assert.equal(await start('GOLD'), await start('NEWS'))
})
