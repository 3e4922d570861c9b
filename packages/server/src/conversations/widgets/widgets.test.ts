import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as messages from '@parley/api/conversations/messages'
import * as api from '@parley/api/conversations/widgets'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld } from '../../testing/world.ts'

async function setUp() {
  const world = await newWorld()
  const { ann, ben, gus } = world
  await inChannel('verona', [ann, ben, gus])
  return world
}

const submessagesOf = async (actor: Actor, message_id: number) =>
  (await actor.does(messages.getMessage, { path: { message_id } })).message.submessages
const acts = (actor: Actor, message_id: number, data: object) =>
  actor.does(api.addSubmessage, { message_id, msg_type: 'widget', content: JSON.stringify(data) })
const mayNot = (actor: Actor, message_id: number, data: object | string) => {
  const content = typeof data === 'string' ? data : JSON.stringify(data)
  return actor.isRefused(api.addSubmessage, { message_id, msg_type: 'widget', content })
}

const vote = { type: 'vote', key: 'canned,0', vote: 1 }

test('a poll contains its question and options, in the event and in message lists', async () => {
  const { ann, ben } = await setUp()
  await ben.registers()
  const id = await ann.sends({ channel: 'verona', content: '/poll Lunch?\nsoup\n- salad' })
  const [event] = await ben.receives('message')
  const [widget] = event!.message.submessages
  assert.deepEqual([widget?.message_id, widget?.sender_id, widget?.msg_type], [id, ann.id, 'widget'])
  const data = { widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['soup', 'salad'] } }
  assert.deepEqual(JSON.parse(widget!.content), data)
  assert.deepEqual(await submessagesOf(ben, id), [widget])
})

test('a to-do list contains its tasks', async () => {
  const { ann } = await setUp()
  const id = await ann.sends({ to: [ann], content: '/todo Trip\ntickets: by Friday' })
  const [widget] = await submessagesOf(ann, id)
  const tasks = [{ task: 'tickets', desc: 'by Friday' }]
  assert.deepEqual(JSON.parse(widget!.content), { widget_type: 'todo', extra_data: { task_list_title: 'Trip', tasks } })
})

test('a poll sent twice with the same local_id is stored once', async () => {
  const { ann, ben } = await setUp()
  await ann.registers()
  await ben.registers()
  const send = () => ann.sends({ channel: 'verona', content: '/poll Lunch?', queue_id: ann.queueId, local_id: '7.01' })
  const id = await send()
  assert.equal(await send(), id)
  assert.equal((await submessagesOf(ben, id)).length, 1)
  assert.equal((await ben.receives('message')).length, 1)
})

test('readers can take part in a poll, and all readers receive the events', async () => {
  const { ann, ben, gus, mona } = await setUp()
  const id = await ann.sends({ channel: 'verona', content: '/poll Lunch?\nsoup' })
  for (const one of [ann, mona]) await one.registers()
  await acts(ben, id, vote)
  await acts(gus, id, { type: 'new_option', option: 'bread', idx: 1 })
  const events = await ann.receives('submessage')
  assert.deepEqual(
    events.map(({ sender_id }) => sender_id),
    [ben.id, gus.id],
  )
  assert.deepEqual([events[0]?.message_id, JSON.parse(events[0]!.content)], [id, vote])
  assert.deepEqual(await mona.receives('submessage'), [])
  const submessages = await submessagesOf(ann, id)
  assert.deepEqual(
    submessages.slice(1).map((one) => one.id),
    events.map(({ submessage_id }) => submessage_id),
  )
})

test('only the author can change the question or title', async () => {
  const { ann, ben } = await setUp()
  const poll = await ann.sends({ channel: 'verona', content: '/poll Lunch?' })
  const list = await ann.sends({ channel: 'verona', content: '/todo Trip' })
  await mayNot(ben, poll, { type: 'question', question: 'Dinner?' })
  await mayNot(ben, list, { type: 'new_task_list_title', title: 'Way' })
  await acts(ann, poll, { type: 'question', question: 'Dinner?' })
  await acts(ann, list, { type: 'new_task_list_title', title: 'Way' })
  await acts(ben, list, { type: 'new_task', key: 0, task: 'bags', desc: '', completed: false })
  await acts(ben, list, { type: 'strike', key: '0,canned' })
})

test('unknown and malformed widget actions are refused', async () => {
  const { ann, ben } = await setUp()
  const id = await ann.sends({ channel: 'verona', content: '/poll Lunch?\nsoup' })
  for (const data of [
    'not json',
    '[]',
    'null',
    {},
    { type: 'strike', key: 'x' },
    { type: 'constructor' },
    { ...vote, vote: 2 },
    { ...vote, more: 'than is known' },
    { type: 'new_option', option: 'x', idx: 1001 },
    { type: 'new_option', option: 5, idx: 1 },
  ])
    assert.equal((await mayNot(ben, id, data)).code, 'BAD_REQUEST', JSON.stringify(data))
  await ben.isRefused(api.addSubmessage, { message_id: id, msg_type: 'other', content: JSON.stringify(vote) })
})

test('submessages are refused for messages without a widget and for unreadable messages', async () => {
  const { ann, ben, adam } = await setUp()
  await mayNot(ben, await ann.sends({ channel: 'verona' }), vote)
  const missing = await mayNot(adam, 999_999, vote)
  const direct = await ann.sends({ to: [ben], content: '/poll Lunch?' })
  assert.deepEqual(await mayNot(adam, direct, vote), missing)
  await acts(ben, direct, vote)
})
