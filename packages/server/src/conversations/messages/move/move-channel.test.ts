import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as flags from '@parley/api/conversations/flags'
import { getMessage, getMessages } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel, joins, leaves } from '../../../testing/channels.ts'
import { configureRealm } from '../../../testing/configure-realm.ts'
import { age, edits, mayNotEdit, sees, topicOf } from '../../../testing/editing.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'

const hidden = { invite_only: true, history_public_to_subscribers: true }
const protectedHistory = { invite_only: true, history_public_to_subscribers: false }
const quietly = { send_notification_to_new_thread: false }
const followed = 3
const whole = { propagate_mode: 'change_all', ...quietly } as const

const marks = (actor: Actor, op: 'add' | 'remove', flag: string, messages: number[]) =>
  actor.does(flags.updateMessageFlags, { op, flag, messages })

async function isHidden(actor: Actor, id: number) {
  await actor.isRefused(getMessage, { path: { message_id: id } })
}

async function setsPolicy(actor: Actor, { ctx, realmId }: World, channel: number, topic: string, policy: number) {
  await sql`
    insert into user_topics (realm_id, user_id, topic_id, visibility_policy)
    select ${realmId}, ${actor.id}, id, ${policy} from topics
     where realm_id = ${realmId} and channel_id = ${channel} and name_key = ${topic}
    on conflict (realm_id, user_id, topic_id) do update set visibility_policy = excluded.visibility_policy`.execute(
    ctx.db,
  )
}

async function policiesOf(actor: Actor) {
  const { user_topics } = await actor.registers()
  return (user_topics as { stream_id: number; topic_name: string; visibility_policy: number }[]).map(
    ({ stream_id, topic_name, visibility_policy }) => [stream_id, topic_name, visibility_policy],
  )
}

test('a topic moves to another channel under its name, and subscribers of both channels get the event', async () => {
  const { ann, ben, mona } = await newWorld()
  const verona = await inChannel('verona', [ann, ben])
  const rome = await inChannel('rome', [ann, mona])
  const ids = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })]
  for (const one of [ann, ben, mona]) await one.registers()
  await edits(ann, ids[0]!, { stream_id: rome, ...whole })
  for (const one of [ann, ben, mona]) {
    const [event] = await one.receives('update_message')
    assert.deepEqual(
      [event!.message_ids, event!.stream_id, event!.stream_name, event!.new_stream_id, event!.orig_subject],
      [ids, verona, 'verona', rome, 'greetings'],
    )
    assert.deepEqual([event!.subject, event!.topic_links], [undefined, undefined])
    assert.deepEqual(event!.flags, one === ann ? [] : ['read'])
  }
  const message = await sees(ben, ids[1]!)
  assert.deepEqual([message.stream_id, message.subject, message.display_recipient], [rome, 'greetings', 'rome'])
  assert.deepEqual(message.edit_history, [
    { user_id: ann.id, timestamp: message.last_moved_timestamp, prev_stream: verona, stream: rome },
  ])
})

test('one request can change channel and topic, for one message or with later ones', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  const rome = await inChannel('rome', [ann])
  const ids = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })]
  await edits(ann, ids[1]!, { stream_id: rome, topic: 'forum', propagate_mode: 'change_later', ...quietly })
  assert.deepEqual(await topicOf(ann, 'rome', 'forum'), [ids[1]])
  const [entry] = (await sees(ann, ids[1]!)).edit_history!
  assert.deepEqual([entry!.prev_topic, entry!.topic, entry!.stream], ['greetings', 'forum', rome])
})

test('moving between channels needs the permission to move and the permission to post in the target channel', async () => {
  const world = await newWorld()
  const { ann, mona, gus, ctx } = world
  await inChannel('verona', [ann, gus])
  const rome = await inChannel('rome', [ann, gus])
  const id = await ann.sends({ channel: 'verona' })
  await mayNotEdit(gus, id, { stream_id: rome })
  await configureRealm(world, {}, { can_move_messages_between_channels_group: 'role:moderators' })
  assert.equal((await mayNotEdit(ann, id, { stream_id: rome })).code, 'BAD_REQUEST')
  await sql`update channels set can_send_message_group = (select id from user_groups where realm_id = ${world.realmId} and name = 'role:administrators') where id = ${rome}`.execute(
    ctx.db,
  )
  await configureRealm(world, {})
  await mayNotEdit(mona, id, { stream_id: rome })
  await configureRealm(world, {}, { can_move_messages_between_channels_group: 'role:members' })
  await mayNotEdit(ann, id, { stream_id: rome })
})

test('messages cannot be moved into a channel that is hidden, archived or does not exist', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  await inChannel('verona', [ann])
  const den = await inChannel('den', [ben], hidden)
  const id = await ann.sends({ channel: 'verona' })
  const missing = await mayNotEdit(ann, id, { stream_id: 999_999 })
  assert.deepEqual(await mayNotEdit(ann, id, { stream_id: den }), missing)
  const old = await inChannel('old', [ann])
  await sql`update channels set is_archived = true where id = ${old}`.execute(ctx.db)
  await configureRealm(world, {})
  assert.deepEqual(await mayNotEdit(ann, id, { stream_id: old }), missing)
})

test('each kind of move has its own time limit; if two apply, the shorter one counts', async () => {
  const world = await newWorld()
  const { ann, mona } = world
  await inChannel('verona', [ann, mona])
  const rome = await inChannel('rome', [ann])
  const ids = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })]
  await configureRealm(world, { move_messages_between_streams_limit_seconds: 60 })
  await age(world, [ids[0]!], 81)
  assert.equal((await mayNotEdit(ann, ids[0]!, { stream_id: rome })).code, 'BAD_REQUEST')
  const refused = await mayNotEdit(ann, ids[1]!, { stream_id: rome, topic: 'forum', ...whole })
  assert.deepEqual(
    [refused.code, refused.first_message_id_allowed_to_move],
    ['MOVE_MESSAGES_TIME_LIMIT_EXCEEDED', ids[1]],
  )
  await edits(ann, ids[0]!, { topic: 'forum', ...whole })
  await edits(mona, ids[0]!, { stream_id: rome, ...whole })
})

test('users who cannot read the new channel receive delete_message', async () => {
  const { ann, ben, gus } = await newWorld()
  const verona = await inChannel('verona', [ann, ben, gus])
  const den = await inChannel('den', [ann], hidden)
  const ids = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })]
  await marks(ben, 'add', 'starred', [ids[0]!])
  await ben.registers({ client_capabilities: { notification_settings_null: true, bulk_message_deletion: true } })
  await gus.registers()
  await edits(ann, ids[0]!, { stream_id: den, ...whole })
  const [deleted] = await ben.receives('delete_message')
  assert.deepEqual(deleted, {
    id: deleted!.id,
    type: 'delete_message',
    message_type: 'stream',
    message_ids: ids,
    stream_id: verona,
    topic: 'greetings',
  })
  assert.deepEqual(
    (await gus.receives('delete_message')).map(({ message_id, message_ids }) => [message_id, message_ids]),
    ids.map((id) => [id, undefined]),
  )
  assert.deepEqual(await ben.receives('update_message'), [])
  await isHidden(ben, ids[0]!)
  assert.deepEqual((await ben.registers()).starred_messages, [])
})

test('former subscribers of a public channel and users with flags or policies there receive delete_message when they lose access', async () => {
  const world = await newWorld()
  const { ann, ben, mona, gus } = world
  const verona = await inChannel('verona', [ann, ben, gus])
  const den = await inChannel('den', [ann], hidden)
  const id = await ann.sends({ channel: 'verona' })
  await leaves(ben, 'verona')
  await leaves(gus, 'verona')
  await marks(mona, 'add', 'starred', [id])
  await setsPolicy(world.olga, world, verona, 'greetings', followed)
  for (const one of [ben, mona, world.olga, gus]) await one.registers()
  await edits(ann, id, { stream_id: den, topic: 'plot', ...whole })
  for (const one of [ben, mona, world.olga])
    assert.deepEqual(
      (await one.receives('delete_message')).map(({ message_id, topic }) => [message_id, topic]),
      [[id, 'greetings']],
    )
  assert.deepEqual(await gus.receives('delete_message'), [])
  assert.deepEqual((await mona.registers()).starred_messages, [])
})

test('users who cannot read the new channel do not learn the new topic name', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const verona = await inChannel('verona', [ann])
  const den = await inChannel('den', [ann], hidden)
  const id = await ann.sends({ channel: 'verona' })
  await setsPolicy(ben, world, verona, 'greetings', followed)
  await ben.registers()
  await edits(ann, id, { stream_id: den, topic: 'plot', ...whole })
  assert.deepEqual(
    (await ben.receives('user_topic')).map(({ stream_id, topic_name, visibility_policy }) => [
      stream_id,
      topic_name,
      visibility_policy,
    ]),
    [[verona, 'greetings', 0]],
  )
})

test('a move to a public channel is hidden from guests who are not in it', async () => {
  const { ann, ben, gus } = await newWorld()
  await inChannel('verona', [ann, ben, gus])
  const rome = await inChannel('rome', [ann])
  const id = await ann.sends({ channel: 'verona' })
  await ben.registers()
  await gus.registers()
  await edits(ann, id, { stream_id: rome, ...whole })
  assert.equal((await gus.receives('delete_message')).length, 1)
  assert.deepEqual(await gus.receives('update_message'), [])
  assert.equal((await ben.receives('update_message')).length, 1)
  assert.deepEqual((await sees(ben, id)).flags, ['read', 'historical'])
})

test('a guest subscribed only to the new channel does not learn where the messages came from', async () => {
  const { ann, gus } = await newWorld()
  await inChannel('verona', [ann])
  const rome = await inChannel('rome', [ann, gus])
  const id = await ann.sends({ channel: 'verona' })
  await gus.registers()
  await edits(ann, id, { stream_id: rome, ...whole })
  assert.deepEqual(await gus.reads(), [])
  assert.deepEqual((await sees(gus, id)).flags, ['read', 'historical'])
})

test('a message moved into a channel with protected history is readable by all its subscribers, as read', async () => {
  const { ann, ben, mona, gus } = await newWorld()
  await inChannel('verona', [ann, ben])
  const vault = await inChannel('vault', [ann, gus], protectedHistory)
  const id = await ann.sends({ channel: 'verona' })
  await inChannel('vault', [ann, mona])
  await edits(ann, id, { stream_id: vault, ...whole })
  assert.deepEqual((await sees(mona, id)).flags, ['read'])
  assert.deepEqual((await sees(gus, id)).flags, ['read'])
  await isHidden(ben, id)
  await marks(mona, 'remove', 'read', [id])
  await marks(mona, 'add', 'read', [id])
  assert.deepEqual((await sees(mona, id)).flags, ['read'])
})

test('a move keeps the read state of each message, whatever else was read in the two channels', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  const rome = await inChannel('rome', [ann, ben])
  const [read, unread] = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })]
  const last = await ann.sends({ channel: 'rome', topic: 'forum' })
  await marks(ben, 'add', 'read', [read, last])
  await marks(ben, 'add', 'starred', [unread])
  await edits(ann, read, { stream_id: rome, ...whole })
  assert.deepEqual((await sees(ben, read)).flags, ['read'])
  assert.deepEqual((await sees(ben, unread)).flags, ['starred'])
  const { unread_msgs } = await ben.registers()
  assert.deepEqual(
    unread_msgs!.streams.filter(({ topic }) => topic === 'greetings'),
    [{ stream_id: rome, topic: 'greetings', unread_message_ids: [unread] }],
  )
  const verona = await inChannel('verona', [ann])
  await marks(ben, 'add', 'read', [unread])
  await edits(ann, read, { stream_id: verona, ...whole })
  assert.deepEqual((await sees(ben, read)).flags, ['read'])
  assert.deepEqual((await sees(ben, unread)).flags, ['read', 'starred'])
})

test('moved messages are not unread for users who had not received them', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann])
  const rome = await inChannel('rome', [ann, ben])
  const id = await ann.sends({ channel: 'verona' })
  await edits(ann, id, { stream_id: rome, ...whole })
  const { unread_msgs } = await ben.registers()
  assert.ok(!unread_msgs!.streams.some(({ topic }) => topic === 'greetings'))
})

test('a topic policy moves along with the whole topic', async () => {
  const world = await newWorld()
  const { ann, ben, gus } = world
  const verona = await inChannel('verona', [ann, ben, gus])
  const rome = await inChannel('rome', [ann, ben])
  const id = await ann.sends({ channel: 'verona' })
  const second = await ann.sends({ channel: 'verona' })
  for (const one of [ben, gus]) await setsPolicy(one, world, verona, 'greetings', 1)
  await edits(ann, id, { topic: 'alone', ...quietly })
  assert.deepEqual(await policiesOf(ben), [[verona, 'greetings', 1]])
  await ben.registers()
  await gus.registers()
  await edits(ann, second, { stream_id: rome, topic: 'forum', ...whole })
  const policiesIn = (events: { stream_id: number; topic_name: string; visibility_policy: number }[]) =>
    events.map(({ stream_id, topic_name, visibility_policy }) => [stream_id, topic_name, visibility_policy])
  assert.deepEqual(policiesIn(await ben.receives('user_topic')), [
    [verona, 'greetings', 0],
    [rome, 'forum', 1],
  ])
  const [muted] = await ben.receives('muted_topics')
  assert.deepEqual(
    muted!.muted_topics.map(([channel, topic]) => [channel, topic]),
    [['rome', 'forum']],
  )
  assert.deepEqual(policiesIn(await gus.receives('user_topic')), [[verona, 'greetings', 0]])
  assert.deepEqual(await policiesOf(ben), [[rome, 'forum', 1]])
  assert.deepEqual(await policiesOf(gus), [])
})

test('clients that subscribe to user_topic events receive no muted_topics events', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const verona = await inChannel('verona', [ann, ben])
  const id = await ann.sends({ channel: 'verona' })
  await setsPolicy(ben, world, verona, 'greetings', 1)
  await ben.registers({ event_types: ['user_topic', 'muted_topics'] })
  await edits(ann, id, { topic: 'x', ...whole })
  assert.equal((await ben.receives('user_topic')).length, 2)
  assert.deepEqual(await ben.receives('muted_topics'), [])
})

test('when topics merge, the policy that shows more stays', async () => {
  const world = await newWorld()
  const { ann, ben, mona, gus } = world
  const verona = await inChannel('verona', [ann, ben, mona, gus])
  const id = await ann.sends({ channel: 'verona', topic: 'a' })
  await ann.sends({ channel: 'verona', topic: 'b' })
  for (const [one, a, b] of [
    [ann, 1, 2],
    [ben, 1, 1],
    [mona, 1, 3],
  ] as const) {
    await setsPolicy(one, world, verona, 'a', a)
    await setsPolicy(one, world, verona, 'b', b)
  }
  await setsPolicy(gus, world, verona, 'a', 1)
  await edits(ann, id, { topic: 'b', ...whole })
  assert.deepEqual(await policiesOf(ann), [[verona, 'b', 2]])
  assert.deepEqual(await policiesOf(ben), [[verona, 'b', 1]])
  assert.deepEqual(await policiesOf(mona), [[verona, 'b', 3]])
  assert.deepEqual(await policiesOf(gus), [])
})

test('a policy of the target topic that does not change in a merge keeps its last_updated', async () => {
  const world = await newWorld()
  const { ann, ctx, realmId } = world
  const verona = await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona', topic: 'a' })
  await ann.sends({ channel: 'verona', topic: 'b' })
  for (const topic of ['a', 'b']) await setsPolicy(ann, world, verona, topic, followed)
  await sql`update user_topics set last_updated = now() - interval '1 day' where realm_id = ${realmId}`.execute(ctx.db)
  await verifyEvents([ann], () => edits(ann, id, { topic: 'b', ...whole }))
})

test('a move that changes the first message of a channel emits first_message_id', async () => {
  const world = await newWorld()
  const { ann, ben, ctx, realmId } = world
  const verona = await inChannel('verona', [ann])
  const rome = await inChannel('rome', [ann])
  await sql`delete from messages where realm_id = ${realmId}`.execute(ctx.db)
  const id = await ann.sends({ channel: 'verona' })
  await ben.registers()
  await edits(ann, id, { stream_id: rome, ...whole })
  const updates = (await ben.receives('stream')).map((event) =>
    event.op === 'update' ? [event.stream_id, event.property, event.value] : event.op,
  )
  assert.deepEqual(updates, [
    [verona, 'first_message_id', null],
    [rome, 'first_message_id', id],
  ])
})

test('when messages leave a protected history, users receive delete_message only for those they could read', async () => {
  const { ann, ben, mona } = await newWorld()
  const vault = await inChannel('vault', [ann, mona], protectedHistory)
  const den = await inChannel('den', [ann], hidden)
  const early = await ann.sends({ channel: 'vault' })
  await inChannel('vault', [ann, ben])
  const late = await ann.sends({ channel: 'vault' })
  await ben.registers()
  await mona.registers()
  await edits(ann, early, { stream_id: den, ...whole })
  const deleted = async (actor: Actor) =>
    (await actor.receives('delete_message')).map(({ message_id, stream_id }) => [message_id, stream_id])
  assert.deepEqual(await deleted(ben), [[late, vault]])
  assert.deepEqual(await deleted(mona), [
    [early, vault],
    [late, vault],
  ])
})

test('a move between channels sends notices to both channels', async () => {
  const { ann, ben } = await newWorld()
  const verona = await inChannel('verona', [ann, ben])
  const rome = await inChannel('rome', [ann, ben])
  const id = await ann.sends({ channel: 'verona' })
  await joins(ben, 'rome')
  await ben.registers()
  await edits(ann, id, { stream_id: rome, send_notification_to_old_thread: true, propagate_mode: 'change_all' })
  const notices = (await ben.receives('message')).map(({ message }) => [message.stream_id, message.subject])
  assert.deepEqual(notices, [
    [rome, 'greetings'],
    [verona, 'greetings'],
  ])
})

test('a moved channel wildcard mention stays one for users who were subscribed when it was sent, and for nobody else', async () => {
  const world = await newWorld()
  const { ann, ben, mona } = world
  await inChannel('verona', [ann, ben])
  const id = await ann.sends({ channel: 'verona', content: 'hear, @**all**' })
  const late = await ann.sends({ channel: 'verona', content: 'hear, @**topic**' })
  await inChannel('rome', [mona])
  const rome = await inChannel('rome', [mona, ann, ben])
  const wildcardFlags = ['stream_wildcard_mentioned', 'wildcard_mentioned']
  await ben.registers()
  await edits(ann, id, { stream_id: rome, ...whole })
  assert.deepEqual((await ben.receives('update_message'))[0]!.flags, wildcardFlags)
  assert.deepEqual((await sees(ben, id)).flags, wildcardFlags)
  assert.deepEqual((await sees(mona, id)).flags, ['read', 'historical'])
  assert.deepEqual((await sees(ann, late)).flags, ['topic_wildcard_mentioned', 'wildcard_mentioned'])
  const { unread_msgs } = await ben.registers()
  assert.deepEqual(unread_msgs!.mentions, [id])
  const mentioning = { narrow: [['is', 'mentioned']], anchor: 'newest', num_before: 10 } as const
  assert.deepEqual(
    (await ben.does(getMessages, mentioning as never)).messages.map((one) => one.id),
    [id],
  )
  await edits(ann, id, { content: 'hear' })
  assert.deepEqual((await sees(ben, id)).flags, [])
  await edits(ann, id, { content: 'hear again, @**all**' })
  assert.deepEqual((await sees(ben, id)).flags, wildcardFlags)
})
