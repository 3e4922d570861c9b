import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyTopicDisplayName, roles } from '@parley/api/common'
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
const quietly = { send_notification_to_new_thread: false }

test('renaming a whole topic adds an edit history entry to each of its messages', async () => {
  const { ann, ben, channel, ids } = await inCastle()
  await ben.registers()
  await edits(ben, ids[1], { topic: 'tower', propagate_mode: 'change_all', ...quietly })
  assert.deepEqual(await topicOf(ann, 'verona', 'tower'), ids)
  assert.deepEqual(await topicOf(ann, 'verona', 'castle'), [])
  const [event] = await ben.receives('update_message')
  assert.deepEqual(event, {
    id: event!.id,
    type: 'update_message',
    user_id: ben.id,
    rendering_only: false,
    message_id: ids[1],
    message_ids: ids,
    flags: [],
    edit_timestamp: event!.edit_timestamp,
    stream_id: channel,
    stream_name: 'verona',
    propagate_mode: 'change_all',
    orig_subject: 'castle',
    subject: 'tower',
    topic_links: [],
  })
  for (const id of ids) {
    const { edit_history, last_moved_timestamp, last_edit_timestamp } = await sees(ann, id)
    assert.deepEqual(edit_history, [
      { user_id: ben.id, timestamp: last_moved_timestamp, prev_topic: 'castle', topic: 'tower' },
    ])
    assert.equal(last_edit_timestamp, undefined)
  }
})

test('a message sent after a rename has no history entry for it', async () => {
  const { ann, ids } = await inCastle()
  await edits(ann, ids[0], { topic: 'tower', propagate_mode: 'change_all', ...quietly })
  const later = await ann.sends({ channel: 'verona', topic: 'tower' })
  assert.equal((await sees(ann, later)).edit_history, undefined)
  await edits(ann, ids[0], { topic: 'gate', propagate_mode: 'change_all', ...quietly })
  assert.deepEqual(
    (await sees(ann, later)).edit_history!.map(({ prev_topic }) => prev_topic),
    ['tower'],
  )
  assert.deepEqual(
    (await sees(ann, ids[2])).edit_history!.map(({ prev_topic }) => prev_topic),
    ['tower', 'castle'],
  )
})

test('one message moves alone, or with all later ones', async () => {
  const { ann, ids } = await inCastle()
  await edits(ann, ids[0], { topic: 'tower', ...quietly })
  assert.deepEqual(await topicOf(ann, 'verona', 'tower'), [ids[0]])
  assert.deepEqual(await topicOf(ann, 'verona', 'castle'), [ids[1], ids[2]])
  const [, second, third] = ids
  await edits(ann, second, { topic: 'TOWER', propagate_mode: 'change_later', ...quietly })
  assert.deepEqual(await topicOf(ann, 'verona', 'tower'), ids)
  assert.equal((await sees(ann, third)).edit_history!.length, 1)
})

test('a moved message keeps the history of its old topic and does not get that of the new one', async () => {
  const { ann, ids } = await inCastle()
  const other = await ann.sends({ channel: 'verona', topic: 'garden' })
  await edits(ann, other, { topic: 'park', propagate_mode: 'change_all', ...quietly })
  await edits(ann, ids[0], { topic: 'tower', propagate_mode: 'change_all', ...quietly })
  await edits(ann, ids[1], { topic: 'park', ...quietly })
  const history = (await sees(ann, ids[1])).edit_history!
  assert.deepEqual(
    history.map(({ prev_topic, topic }) => [prev_topic, topic]),
    [
      ['tower', 'park'],
      ['castle', 'tower'],
    ],
  )
  await edits(ann, other, { topic: 'tower', propagate_mode: 'change_all', ...quietly })
  assert.deepEqual(
    await topicOf(ann, 'verona', 'tower'),
    [ids[0], ids[1], ids[2], other].sort((a, b) => a - b),
  )
  assert.deepEqual(
    (await sees(ann, ids[1])).edit_history!.map(({ topic }) => topic),
    ['tower', 'park', 'tower'],
  )
  assert.deepEqual(
    (await sees(ann, ids[0])).edit_history!.map(({ topic }) => topic),
    ['tower'],
  )
})

test('a change of content and topic is one history entry, and the other messages get only the move', async () => {
  const { ann, ids } = await inCastle()
  await edits(ann, ids[0], { content: 'uno', topic: 'tower', propagate_mode: 'change_all', ...quietly })
  const [entry, ...rest] = (await sees(ann, ids[0])).edit_history!
  assert.deepEqual([entry!.prev_content, entry!.prev_topic, entry!.topic, rest.length], ['one', 'castle', 'tower', 0])
  assert.equal((await sees(ann, ids[1])).edit_history![0]!.prev_content, undefined)
})

test('the name of an emptied topic can be used again', async () => {
  const { ann, ids } = await inCastle()
  for (const id of ids) await edits(ann, id, { topic: 'tower', ...quietly })
  await edits(ann, ids[0], { topic: 'castle', propagate_mode: 'change_all', ...quietly })
  assert.deepEqual(await topicOf(ann, 'verona', 'castle'), ids)
  assert.deepEqual(
    (await sees(ann, ids[2])).edit_history!.map(({ topic }) => topic),
    ['castle', 'tower'],
  )
})

test('a topic is cut to its greatest length, and the legacy name of the parameter works', async () => {
  const { ann, ids } = await inCastle()
  await edits(ann, ids[0], { subject: 'x'.repeat(70), ...quietly })
  assert.equal((await sees(ann, ids[0])).subject, `${'x'.repeat(57)}...`)
  await mayNotEdit(ann, ids[0], { topic: 'a\u0007b' })
})

test('(no topic) is the empty topic', async () => {
  const { ann, ids } = await inCastle()
  await edits(ann, ids[0], { topic: '(no topic)', ...quietly })
  assert.equal((await sees(ann, ids[0])).subject, '')
  await mayNotEdit(ann, ids[0], { topic: '(no topic)' })
})

test('messages can move to the empty topic, unless topics are mandatory', async () => {
  const { ann, ben, world, ids } = await inCastle()
  await ben.registers({ client_capabilities: { notification_settings_null: true } })
  await edits(ann, ids[0], { topic: emptyTopicDisplayName, ...quietly })
  assert.equal((await sees(ann, ids[0])).subject, '')
  const shown = await sees(ann, ids[0], false)
  assert.deepEqual([shown.subject, shown.edit_history![0]!.topic], [emptyTopicDisplayName, emptyTopicDisplayName])
  assert.equal((await ben.receives('update_message'))[0]!.subject, emptyTopicDisplayName)
  await configureRealm(world, { mandatory_topics: true })
  for (const topic of ['', '(no topic)', emptyTopicDisplayName]) await mayNotEdit(ann, ids[1], { topic })
})

test('moving and resolving have separate permissions', async () => {
  const { ann, mona, world, ids } = await inCastle()
  await configureRealm(world, {}, { can_move_messages_between_topics_group: 'role:moderators' })
  assert.equal((await mayNotEdit(ann, ids[0], { topic: 'tower' })).code, 'BAD_REQUEST')
  await edits(ann, ids[0], { topic: '✔ castle', propagate_mode: 'change_all' })
  await edits(mona, ids[0], { topic: 'tower', propagate_mode: 'change_all' })
  await configureRealm(world, {}, { can_resolve_topics_group: 'role:nobody' })
  await mayNotEdit(mona, ids[0], { topic: '✔ tower', propagate_mode: 'change_all' })
})

test('members can move messages within the time limit, moderators always', async () => {
  const { ann, mona, world, ids } = await inCastle()
  await configureRealm(world, { move_messages_within_stream_limit_seconds: 60 })
  await age(world, [ids[0]], 81)
  assert.equal((await mayNotEdit(ann, ids[0], { topic: 'tower' })).code, 'BAD_REQUEST')
  await mayNotEdit(ann, ids[0], { topic: 'tower', propagate_mode: 'change_later' })
  await edits(ann, ids[0], { topic: '✔ castle', propagate_mode: 'change_all' })
  await edits(mona, ids[0], { topic: 'tower' })
  await age(world, ids.slice(1), 77)
  await edits(ann, ids[1], { topic: 'gate', propagate_mode: 'change_all' })
})

test('the error for a topic with messages past the time limit says which of them may move', async () => {
  const { ann, adam, world, ids } = await inCastle()
  await configureRealm(world, { move_messages_within_stream_limit_seconds: 60 })
  await age(world, [ids[0], ids[1]], 81)
  const refused = await mayNotEdit(ann, ids[2], { topic: 'tower', propagate_mode: 'change_all' })
  assert.equal(refused.code, 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED')
  assert.deepEqual(
    [refused.first_message_id_allowed_to_move, refused.total_messages_in_topic, refused.total_messages_allowed_to_move],
    [ids[2], 3, 1],
  )
  assert.equal(refused.status, 400)
  assert.match(refused.msg, / the 1\/3 most recent messages /)
  await edits(ann, ids[2], { topic: 'tower', propagate_mode: 'change_later', ...quietly })
  const none = await mayNotEdit(ann, ids[0], { topic: 'tower', propagate_mode: 'change_all' })
  assert.deepEqual(
    [
      none.code,
      none.first_message_id_allowed_to_move,
      none.total_messages_in_topic,
      none.total_messages_allowed_to_move,
    ],
    ['MOVE_MESSAGES_TIME_LIMIT_EXCEEDED', null, 2, 0],
  )
  await edits(adam, ids[0], { topic: 'tower', propagate_mode: 'change_all', ...quietly })
  await configureRealm(world, { move_messages_within_stream_limit_seconds: null })
  await edits(ann, ids[0], { topic: 'gate', propagate_mode: 'change_all', ...quietly })
})

test('in a protected history, only messages that the caller can read are counted and moved', async () => {
  const { ann, ben, mona, world } = await inCastle()
  await inChannel('vault', [ann], { invite_only: true, history_public_to_subscribers: false })
  const early = await ann.sends({ channel: 'vault', topic: 'gold' })
  await inChannel('vault', [ann, ben, mona])
  const late = await ann.sends({ channel: 'vault', topic: 'gold' })
  await configureRealm(world, { move_messages_within_stream_limit_seconds: 60 })
  await age(world, [early], 81)
  await edits(ben, late, { topic: 'silver', propagate_mode: 'change_all', ...quietly })
  assert.deepEqual(await topicOf(ann, 'vault', 'gold'), [early])
  assert.deepEqual(await topicOf(ann, 'vault', 'silver'), [late])
  const back = await mayNotEdit(ben, early, { topic: 'silver' })
  assert.deepEqual(back, await mayNotEdit(ben, 999_999, { topic: 'silver' }))
  await edits(mona, late, { topic: 'gold', propagate_mode: 'change_all', ...quietly })
  const refused = await mayNotEdit(ann, late, { topic: 'iron', propagate_mode: 'change_all' })
  assert.deepEqual([refused.total_messages_in_topic, refused.total_messages_allowed_to_move], [2, 1])
  await ben.registers()
  await edits(mona, late, { topic: 'iron', propagate_mode: 'change_all', ...quietly })
  assert.deepEqual((await ben.receives('update_message'))[0]!.message_ids, [late])
})

test('a move sends notices to the new and the old topic', async () => {
  const { ann, ben, ids } = await inCastle()
  await ben.registers()
  await edits(ann, ids[0], { topic: 'tower', send_notification_to_old_thread: true })
  const [toNew, toOld] = await ben.receives('message')
  assert.deepEqual([toNew!.message.subject, toOld!.message.subject], ['tower', 'castle'])
  assert.match(toNew!.message.content, /moved a message here/)
  assert.match(toOld!.message.content, /moved a message from here/)
  assert.equal(toNew!.message.sender_full_name, 'Notification Bot')
  assert.ok(toNew!.id > (await ben.receives('update_message'))[0]!.id)
  await ben.registers()
  await edits(ann, ids[1], { topic: 'gate', propagate_mode: 'change_all' })
  assert.match((await ben.receives('message'))[0]!.message.content, /moved this topic here/)
  await ben.registers()
  await edits(ann, ids[1], { topic: 'wall', ...quietly })
  assert.deepEqual(await ben.receives('message'), [])
})

test('guests and bots need the same permissions to move; incoming webhook bots cannot move', async () => {
  const { ann, gus, world, ids } = await inCastle()
  await mayNotEdit(gus, ids[0], { topic: 'tower' })
  const bot = await world.add('bot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  await edits(bot, ids[0], { topic: 'tower' })
  const hook = await world.add('hook', roles.member, { bot_type: 2, bot_owner_id: ann.id })
  await mayNotEdit(hook, ids[1], { topic: 'tower' })
})

test('the event of a move contains the links in the new topic name', async () => {
  const { ann, ids } = await inCastle()
  await ann.registers()
  await edits(ann, ids[0], { topic: 'see https://example.com/a', ...quietly })
  const [event] = await ann.receives('update_message')
  assert.deepEqual(event!.topic_links, [{ text: 'https://example.com/a', url: 'https://example.com/a' }])
})
