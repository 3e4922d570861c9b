import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as channels from '@parley/api/conversations/channels'
import * as api from '@parley/api/conversations/deletion'
import * as messages from '@parley/api/conversations/messages'
import { operations } from '@parley/api/operations'
import { loadCaller } from '../../../callers/caller.ts'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { configureRealm } from '../../../testing/configure-realm.ts'
import { age } from '../../../testing/editing.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld } from '../../../testing/world.ts'
import { deleteTopic } from '../../topics/delete-topic.ts'

const deletes = (actor: Actor, message_id: number) => actor.does(api.deleteMessage, { path: { message_id } })
const mayNot = (actor: Actor, message_id: number) => actor.isRefused(api.deleteMessage, { path: { message_id } })

async function newScene() {
  const world = await newWorld()
  const { ann, ben, gus, adam } = world
  const channel = await inChannel('verona', [ann, ben, gus, adam])
  return { ...world, channel, path: { stream_id: channel } }
}

test('a deleted message is deleted, and its readers receive delete_message', async () => {
  const { ann, ben, mona, channel } = await newScene()
  const id = await ann.sends({ channel: 'verona', topic: 'Castle' })
  for (const one of [ben, mona]) await one.registers({ client_capabilities: bulk })
  await deletes(ann, id)
  const [event] = await ben.receives('delete_message')
  const { id: _, ...rest } = event!
  assert.deepEqual(rest, {
    type: 'delete_message',
    message_type: 'stream',
    message_ids: [id],
    stream_id: channel,
    topic: 'Castle',
  })
  assert.deepEqual(await mona.receives('delete_message'), [])
  await ann.isRefused(messages.getMessage, { path: { message_id: id } })
  await mayNot(ann, id)
})

const bulk = { notification_settings_null: true, bulk_message_deletion: true }

test('a direct message is deleted for all participants', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben] })
  await ben.registers()
  await deletes(ann, id)
  const [event] = await ben.receives('delete_message')
  assert.deepEqual([event?.message_type, event?.message_id], ['private', id])
})

test('users can delete only their own messages, unless they may delete any message', async () => {
  const world = await newScene()
  const { ann, ben, gus, adam } = world
  const [first, second, third] = [
    await ann.sends({ channel: 'verona' }),
    await ann.sends({ channel: 'verona' }),
    await gus.sends({ channel: 'verona' }),
  ] as const
  assert.equal((await mayNot(ben, first)).code, 'BAD_REQUEST')
  await deletes(adam, first)
  await deletes(gus, third)
  await configureRealm(world, {}, { can_delete_any_message_group: 'role:moderators' })
  await inChannel('den', [ann, world.mona])
  await deletes(world.mona, second)
})

test('the owner of a bot can delete messages of the bot', async () => {
  const { ann, ben, add } = await newScene()
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  const id = await bot.sends({ channel: 'verona' })
  await mayNot(ben, id)
  await deletes(ann, id)
})

test('without can_delete_own_message_group, users cannot delete their own messages', async () => {
  const world = await newScene()
  await configureRealm(world, {}, { can_delete_own_message_group: 'role:nobody' })
  const id = await world.ann.sends({ channel: 'verona' })
  await mayNot(world.ann, id)
  await deletes(world.adam, id)
})

test('own messages can be deleted until the time limit, without a grace period', async () => {
  const world = await newScene()
  const { ann, adam } = world
  const [young, old, older] = [
    await ann.sends({ channel: 'verona' }),
    await ann.sends({ channel: 'verona' }),
    await ann.sends({ channel: 'verona' }),
  ] as const
  await age(world, [young], 590)
  await age(world, [old], 601)
  await age(world, [older], 99_999)
  await deletes(ann, young)
  assert.equal((await mayNot(ann, old)).code, 'BAD_REQUEST')
  await deletes(adam, old)
  await configureRealm(world, { message_content_delete_limit_seconds: null })
  await deletes(ann, older)
})

test('deleting an unreadable message fails like deleting one that does not exist', async () => {
  const { ann, ben, adam } = await newWorld()
  const stranger = (await newWorld()).olga
  const missing = await mayNot(adam, 999_999)
  await inChannel('den', [ann], { invite_only: true })
  for (const id of [await ann.sends({ channel: 'den' }), await ann.sends({ to: [ben] })]) {
    assert.deepEqual(await mayNot(adam, id), missing)
    assert.deepEqual(await mayNot(stranger, id), missing)
  }
})

test('deleting a topic deletes all its messages and ignores the case of its name', async () => {
  const { ann, adam, ben, path } = await newScene()
  const kept = await ann.sends({ channel: 'verona', topic: 'other' })
  const deleted = [
    await ann.sends({ channel: 'verona', topic: 'Castle' }),
    await ben.sends({ channel: 'verona', topic: 'castle' }),
  ]
  await ben.registers({ client_capabilities: bulk })
  const { complete } = await adam.does(api.deleteTopic, { path, topic_name: 'CASTLE' })
  assert.equal(complete, true)
  const events = await ben.receives('delete_message')
  assert.deepEqual(
    events.map(({ message_ids }) => message_ids),
    [deleted.reverse()],
  )
  const { topics } = await ann.does(channels.getTopics, { path })
  assert.deepEqual(
    topics.map(({ name }) => name),
    ['other', 'channel events'],
  )
  await ann.does(messages.getMessage, { path: { message_id: kept } })
})

test('deleting a topic without messages succeeds', async () => {
  const { adam, path } = await newScene()
  const { complete } = await adam.does(api.deleteTopic, { path, topic_name: 'nowhere' })
  assert.equal(complete, true)
})

test('the display name of the empty topic deletes the empty topic', async () => {
  const { ann, adam, path } = await newScene()
  const id = await ann.sends({ channel: 'verona', topic: '' })
  await adam.does(api.deleteTopic, { path, topic_name: 'general chat' })
  await ann.isRefused(messages.getMessage, { path: { message_id: id } })
})

test('only administrators can delete topics, and this is checked first', async () => {
  const { ann, mona, gus, path } = await newScene()
  for (const actor of [ann, mona, gus]) {
    assert.equal((await actor.isRefused(api.deleteTopic, { path, topic_name: 'x' })).code, 'UNAUTHORIZED_PRINCIPAL')
    assert.equal((await actor.isRefused(api.deleteTopic, { path })).code, 'UNAUTHORIZED_PRINCIPAL')
  }
})

test('an administrator cannot delete topics in a channel that they cannot read', async () => {
  const { ann, adam, path } = await newScene()
  assert.equal((await adam.isRefused(api.deleteTopic, { path })).code, 'REQUEST_VARIABLE_MISSING')
  const hidden = await inChannel('den', [ann], { invite_only: true })
  const missing = await adam.isRefused(api.deleteTopic, { path: { stream_id: 999_999 }, topic_name: 'x' })
  assert.equal(missing.code, 'BAD_REQUEST')
  assert.deepEqual(await adam.isRefused(api.deleteTopic, { path: { stream_id: hidden }, topic_name: 'x' }), missing)
  const stranger = (await newWorld()).olga
  assert.deepEqual(await stranger.isRefused(api.deleteTopic, { path, topic_name: 'x' }), missing)
})

test('in a protected history, only messages that the administrator received are deleted', async () => {
  const { ann, ben, adam } = await newWorld()
  const stream_id = await inChannel('vault', [ann, ben], { invite_only: true })
  const early = await ann.sends({ channel: 'vault', topic: 'castle' })
  await inChannel('vault', [ann, adam], {})
  const late = await ann.sends({ channel: 'vault', topic: 'castle' })
  await ben.registers({ client_capabilities: bulk })
  await adam.does(api.deleteTopic, { path: { stream_id }, topic_name: 'castle' })
  await ann.does(messages.getMessage, { path: { message_id: early } })
  await ann.isRefused(messages.getMessage, { path: { message_id: late } })
  assert.deepEqual((await ben.receives('delete_message'))[0]?.message_ids, [late])
})

test('messages of a topic are deleted in batches of 100, newest first', async () => {
  const { ann, adam, path } = await newScene()
  const ids: number[] = []
  for (let n = 0; n < 205; n++) ids.push(await ann.sends({ channel: 'verona', topic: 'long' }))
  await ann.registers({ client_capabilities: bulk })
  await adam.does(api.deleteTopic, { path, topic_name: 'long' })
  const batches = (await ann.receives('delete_message')).map(({ message_ids }) => message_ids!)
  assert.deepEqual(
    batches.map(({ length }) => length),
    [100, 100, 5],
  )
  assert.deepEqual(batches.flat(), ids.reverse())
})

test('when time runs out the rest stays, and a second request deletes it', async () => {
  const world = await newScene()
  const { ann, adam, ctx, realmId, channel, path } = world
  const id = await ann.sends({ channel: 'verona', topic: 'long' })
  const caller = await loadCaller(ctx.db, await ctx.realms.get(realmId), adam.id)
  const place = { channelId: channel, topic: 'long' }
  assert.equal(await deleteTopic(ctx, caller!, place, { milliseconds: 0 }), false)
  await ann.does(messages.getMessage, { path: { message_id: id } })
  assert.equal((await adam.does(api.deleteTopic, { path, topic_name: 'long' })).complete, true)
  await ann.isRefused(messages.getMessage, { path: { message_id: id } })
})

test('clients without bulk_message_deletion receive one event per message', async () => {
  const { ann, adam, path } = await newScene()
  const ids = [await ann.sends({ channel: 'verona', topic: 'x' }), await ann.sends({ channel: 'verona', topic: 'x' })]
  await ann.registers()
  await adam.does(api.deleteTopic, { path, topic_name: 'x' })
  assert.deepEqual(
    (await ann.receives('delete_message')).map(({ message_id }) => message_id),
    ids.reverse(),
  )
})

test('deleting the first message of a channel emits its new first_message_id before delete_message', async () => {
  const { ann, ben, adam, channel, path } = await newScene()
  const next = await ann.sends({ channel: 'verona', topic: 'x' })
  await ben.registers({ client_capabilities: bulk })
  await adam.does(api.deleteTopic, { path, topic_name: 'channel events' })
  const events = await ben.reads()
  assert.deepEqual(
    events.map(({ type }) => type),
    ['stream', 'delete_message'],
  )
  const { id: _, ...first } = events[0]!
  assert.deepEqual(first, {
    type: 'stream',
    op: 'update',
    stream_id: channel,
    name: 'verona',
    property: 'first_message_id',
    value: next,
  })
  await adam.does(api.deleteTopic, { path, topic_name: 'x' })
  const [, last] = await ben.receives('stream')
  assert.equal((last as { value: unknown }).value, null)
})

const firstMessages = async (actor: Actor) =>
  (await actor.receives('stream')).flatMap((event) =>
    'property' in event && event.property === 'first_message_id' ? [event.value] : [],
  )

test('concurrent deletions of the oldest messages of a channel leave the correct first_message_id', async () => {
  const { ann, ben, adam } = await newWorld()
  const verona = await inChannel('verona', [ann, ben])
  await adam.does(api.deleteTopic, { path: { stream_id: verona }, topic_name: 'channel events' })
  const ids: number[] = []
  for (let n = 0; n < 6; n++) ids.push(await ann.sends({ channel: 'verona' }))
  await verifyEvents([ben], () =>
    Promise.all(ids.slice(0, -1).map((message_id) => adam.does(api.deleteMessage, { path: { message_id } }))),
  )
})

test('all users who can see an emptied channel receive its new first_message_id', async () => {
  const { ann, ben, mona, gus, adam } = await newWorld()
  const path = { stream_id: await inChannel('verona', [ann, ben]) }
  await ann.sends({ channel: 'verona', topic: 'channel events' })
  await adam.does(api.deleteTopic, { path, topic_name: 'channel events' })
  for (const one of [ben, mona, gus]) await one.registers()
  const first = await ann.sends({ channel: 'verona' })
  await ann.sends({ channel: 'verona' })
  for (const one of [ben, mona]) assert.deepEqual(await firstMessages(one), [first], one.name)
  assert.deepEqual(await firstMessages(gus), [])
})

test('a notice in an emptied channel also emits first_message_id', async () => {
  const { ann, mona, adam, path } = await newScene()
  await adam.does(api.deleteTopic, { path, topic_name: 'channel events' })
  await verifyEvents([ann, mona], () => adam.does(channels.updateChannel, { path, new_name: 'padua' }))
})

test('concurrent sends to an emptied channel emit first_message_id once', async () => {
  const { ann, ben, mona, adam, path } = await newScene()
  await adam.does(api.deleteTopic, { path, topic_name: 'channel events' })
  await mona.registers()
  const ids = await Promise.all([ann, ben, ann, ben].map((one) => one.sends({ channel: 'verona' })))
  assert.deepEqual(await firstMessages(mona), [Math.min(...ids)])
})

test('deleting a topic deletes the policies of users for it', async () => {
  const { ann, ben, adam, ctx, realmId, path, channel } = await newScene()
  await ann.sends({ channel: 'verona', topic: 'Castle' })
  const topic = await ctx.db
    .selectFrom('topics')
    .select('id')
    .where('realm_id', '=', realmId)
    .where('name', '=', 'Castle')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('user_topics')
    .values({ realm_id: realmId, user_id: ben.id, topic_id: topic.id, visibility_policy: 1 })
    .execute()
  await ben.registers()
  await adam.does(api.deleteTopic, { path, topic_name: 'castle' })
  const [event] = await ben.receives('user_topic')
  assert.deepEqual([event?.stream_id, event?.topic_name, event?.visibility_policy], [channel, 'Castle', 0])
  assert.deepEqual((await ben.receives('muted_topics'))[0]?.muted_topics, [])
})

test('events keep the client state correct when messages are deleted', async () => {
  const { ann, ben, gus, mona, adam, path } = await newScene()
  const first = await ann.sends({ channel: 'verona', topic: 'castle', content: '@**Ben**' })
  await ann.sends({ channel: 'verona', topic: 'castle' })
  await ann.sends({ channel: 'verona', topic: 'kept' })
  const direct = await ann.sends({ to: [ben] })
  await ann.sends({ to: [ben] })
  for (const params of [undefined, { client_capabilities: { notification_settings_null: true } }]) {
    await verifyEvents(
      [ann, ben, gus, mona, adam],
      async () => {
        if (!params) return deletes(ann, direct)
        await deletes(ann, first)
        return adam.does(api.deleteTopic, { path, topic_name: 'castle' })
      },
      params,
    )
  }
  await verifyEvents([ann, ben, gus, mona, adam], () =>
    adam.does(api.deleteTopic, { path, topic_name: 'channel events' }),
  )
})

test('concurrent reactions, flags, votes and policies on deleted messages fail as if the messages did not exist', async () => {
  const { ann, ben, gus, adam, path } = await newScene()
  const ids: number[] = []
  for (let n = 0; n < 12; n++) ids.push(await ann.sends({ channel: 'verona', topic: 'long', content: '/poll Lunch?' }))
  const vote = '{"type":"vote","key":"canned,0","vote":1}'
  const others = ids.flatMap((id) => [
    ben.request(operations.addReaction, { path: { message_id: id }, emoji_name: 'tada' }),
    gus.request(operations.updateMessageFlags, { op: 'add', flag: 'starred', messages: [id] }),
    ben.request(operations.updateMessageFlags, { op: 'add', flag: 'read', messages: [id] }),
    gus.request(operations.addSubmessage, { message_id: id, msg_type: 'widget', content: vote }),
    ann.request(operations.deleteMessage, { path: { message_id: id } }),
    ben.request(operations.setTopicPolicy, { stream_id: path.stream_id, topic: 'long', visibility_policy: 1 }),
  ])
  const deletion = adam.request(operations.deleteTopic, { path, topic_name: 'long' })
  const statuses = (await Promise.all([deletion, ...others])).map(({ status }) => status)
  assert.deepEqual(
    [...new Set(statuses)].filter((status) => status !== 200 && status !== 400),
    [],
  )
  assert.equal((await adam.does(api.deleteTopic, { path, topic_name: 'long' })).complete, true)
  for (const message_id of ids) await ann.isRefused(messages.getMessage, { path: { message_id } })
})
