import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as messages from '@parley/api/conversations/messages'
import { addReaction } from '@parley/api/conversations/reactions'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import * as botsApi from '@parley/api/delivery/bots'
import { replayDelivery, webhookEvent } from '@parley/api/delivery/webhooks'
import { operations } from '@parley/api/operations'
import { sql } from 'kysely'
import { Compile } from 'typebox/compile'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { answersJson, newReceiver, type Receiver } from '../../testing/peers/receiver.ts'
import { deliveriesOf, ended, listeningWorld, newBot, requestTo } from '../../testing/peers/webhook-world.ts'
import { until } from '../../testing/until.ts'
import { trimEvents } from '../queues/jobs.ts'

const isEvent = Compile(webhookEvent)
type Changes = Partial<Parameters<Actor['does']>[1]>

/** A bot in #verona that is called for these triggers. */
async function newListener(world: Awaited<ReturnType<typeof listeningWorld>>, url: string, changes: Changes) {
  const { ann } = world
  const bot = await newBot(world, ann, url)
  await ann.does(subscriptions.subscribe, { subscriptions: [{ name: 'verona' }], principals: [bot.id] })
  await ann.does(botsApi.updateBot, { path: { bot_id: bot.id }, ...changes } as never)
  return bot
}

const payloads = ({ requests }: Receiver) => requests.map(({ body }) => JSON.parse(body))

test('a webhook is called for messages in the channels of its bot, and its answer is sent there', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  await inChannel('milan', [ann, ben])
  const receiver = await newReceiver(answersJson({ content: 'noted' }))
  const bot = await newListener(world, receiver.url, { triggers: ['channel_message'] })
  await ben.sends({ channel: 'milan', content: 'not here' })
  const id = await ben.sends({ channel: 'verona', content: 'no mention' })
  await ended(ann, bot, 'delivered')
  const [{ trigger, message, data }, ...more] = payloads(receiver)
  assert.deepEqual([trigger, message.id, data, more.length], ['channel_message', id, 'no mention', 0])
  const answer = await until(async () => {
    const narrow = [{ operator: 'channel', operand: 'verona' }] as never
    const found = await ben.does(messages.getMessages, { anchor: 'newest', num_before: 1, num_after: 0, narrow })
    return found.messages.at(-1)?.sender_id === bot.id && found.messages.at(-1)
  })
  assert.match(answer.content, /noted/)
  assert.equal((await deliveriesOf(ann, bot)).length, 1)
})

test('two webhooks that answer everything do not answer each other', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const receivers = [await newReceiver(answersJson({ content: 'a' })), await newReceiver(answersJson({ content: 'b' }))]
  const bots = []
  for (const { url } of receivers) bots.push(await newListener(world, url, { triggers: ['channel_message'] }))
  await ben.sends({ channel: 'verona', content: 'hello' })
  for (const receiver of receivers) await requestTo(receiver, 2)
  for (const bot of bots)
    await until(async () => (await deliveriesOf(ann, bot)).every(({ status }) => status === 'delivered'))
  assert.deepEqual(
    receivers.map(({ requests }) => requests.length),
    [2, 2],
  )
})

test('each trigger calls the webhook with what an event queue of the bot would get', async (t) => {
  const world = await listeningWorld(t)
  const { adam, ann, ben, ctx } = world
  await inChannel('verona', [ann, ben])
  const first = await ben.sends({ channel: 'verona', topic: 'lunch', content: 'old' })
  const receiver = await newReceiver()
  const triggers = [
    ...['topic_started', 'reaction', 'topic_resolved', 'message_updated'],
    ...['message_deleted', 'channel_created', 'user_joined'],
  ]
  const bot = await newListener(world, receiver.url, { triggers, in_order: true })
  const last = await ben.sends({ channel: 'verona', topic: 'lunch', content: 'not a new topic' })
  const started = await ben.sends({ channel: 'verona', topic: 'dinner' })
  await ben.does(addReaction, { path: { message_id: first }, emoji_name: 'tada' })
  await ben.does(operations.editMessage, { path: { message_id: first }, content: 'new' })
  await ben.does(operations.editMessage, {
    path: { message_id: first },
    topic: '✔ lunch',
    propagate_mode: 'change_all',
  })
  await adam.does(operations.deleteMessage, { path: { message_id: last } })
  await ann.does(subscriptions.subscribe, { subscriptions: [{ name: 'naples' }] })
  await ctx.db.updateTable('users').set({ can_create_users: true }).where('id', '=', adam.id).execute()
  await adam.does(operations.createUser, {
    email: 'new@example.com',
    full_name: 'Newcomer',
    password: 'sufficient-4711',
  })
  await requestTo(receiver, 7)
  const [message, ...events] = payloads(receiver)
  assert.deepEqual([message.trigger, message.message.id], ['topic_started', started])
  for (const event of events) assert.ok(isEvent.Check(event), JSON.stringify(event))
  assert.deepEqual(
    events.map(({ type, event }) => [type, event.type]),
    [
      ['reaction', 'reaction'],
      ['message_updated', 'update_message'],
      ['topic_resolved', 'update_message'],
      ['message_deleted', 'delete_message'],
      ['channel_created', 'stream'],
      ['user_joined', 'realm_user'],
    ],
  )
  assert.equal(events[1].event.content, 'new')
  assert.deepEqual([events[0].bot_email, events[0].token.length], [bot.credentials.email, 32])
})

test('channel_ids choose the channels, also public ones to which the bot is not subscribed', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const milan = await inChannel('milan', [ann, ben])
  const receiver = await newReceiver()
  await newListener(world, receiver.url, { triggers: ['channel_message', 'reaction'], channel_ids: [milan] })
  const elsewhere = await ben.sends({ channel: 'verona', content: 'elsewhere' })
  await ben.does(addReaction, { path: { message_id: elsewhere }, emoji_name: 'tada' })
  const here = await ben.sends({ channel: 'milan', content: 'here' })
  await ben.does(addReaction, { path: { message_id: here }, emoji_name: 'tada' })
  await requestTo(receiver, 2)
  assert.deepEqual(
    payloads(receiver).map(({ type, message, event }) => [type ?? 'message', message?.id ?? event.message_id]),
    [
      ['message', here],
      ['reaction', here],
    ],
  )
})

test('a filter chooses the messages', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const receiver = await newReceiver()
  await newListener(world, receiver.url, { triggers: ['channel_message'], filter: [['topic', 'alerts']] })
  await ben.sends({ channel: 'verona', topic: 'chatter' })
  const id = await ben.sends({ channel: 'verona', topic: 'alerts' })
  await requestTo(receiver)
  assert.deepEqual(
    payloads(receiver).map(({ message }) => message.id),
    [id],
  )
})

test('a mention is delivered once, as a mention, and only if the webhook is called for mentions', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const receiver = await newReceiver()
  const both = await newListener(world, receiver.url, { triggers: ['mention', 'channel_message'] })
  const deaf = await newListener(world, receiver.url, { triggers: ['reaction'] })
  await ben.sends({ channel: 'verona', content: `@**${both.name}** and @**${deaf.name}**` })
  await ben.sends({ channel: 'verona', content: 'to all' })
  await requestTo(receiver, 2)
  assert.deepEqual(
    payloads(receiver).map(({ trigger, bot_full_name }) => [trigger, bot_full_name]),
    [
      ['mention', both.name],
      ['channel_message', both.name],
    ],
  )
  assert.deepEqual(await deliveriesOf(ann, deaf), [])
})

/** Lets time pass for a bot: what waits for a retry is due. */
async function later(world: Awaited<ReturnType<typeof listeningWorld>>, bot: Actor): Promise<void> {
  await sql`update webhook_deliveries set due_at = now() where bot_id = ${bot.id} and status = 'waiting'`.execute(
    world.ctx.db,
  )
  world.ctx.webhooks.wake(world.realmId, bot.id)
}

test('what the bot may no longer read is not delivered, even if it was waiting', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, olga } = world
  await inChannel('verona', [ann, ben, olga], { invite_only: true })
  const receiver = await newReceiver(answersJson({}, 503))
  const bot = await newListener(world, receiver.url, { triggers: ['channel_message', 'reaction', 'message_deleted'] })
  const secret = await ben.sends({ channel: 'verona', content: 'secret' })
  await ben.does(addReaction, { path: { message_id: secret }, emoji_name: 'tada' })
  const gone = await ben.sends({ channel: 'verona', content: 'gone' })
  await olga.does(operations.deleteMessage, { path: { message_id: gone } })
  await requestTo(receiver, 3)
  await ann.does(operations.unsubscribe, { subscriptions: ['verona'], principals: [bot.id] })
  const before = receiver.requests.length
  await until(async () => (await deliveriesOf(ann, bot)).every(({ status }) => status !== 'sending'))
  await later(world, bot)
  await until(async () => (await deliveriesOf(ann, bot)).every(({ status }) => status === 'cancelled'))
  assert.equal(receiver.requests.length, before)
})

test('after an hour without the endpoint, everything is delivered, with the ids of the first attempts', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  let isDown = true
  const receiver = await newReceiver((response) => response.writeHead(isDown ? 502 : 200).end())
  const bot = await newListener(world, receiver.url, { triggers: ['channel_message'] })
  const sent = []
  for (const content of ['one', 'two', 'three']) sent.push(await ben.sends({ channel: 'verona', content }))
  await requestTo(receiver, 3)
  const idsOf = (from: number) => receiver.requests.slice(from).map(({ headers }) => String(headers['webhook-id']))
  const whileDown = idsOf(0)
  await until(async () => (await deliveriesOf(ann, bot)).every(({ status }) => status === 'waiting'))
  const attempts = receiver.requests.length
  isDown = false
  // Only one is due: its success tells that the endpoint works, and the others follow at once.
  await sql`update webhook_deliveries set due_at = case when message_id = ${sent[0]!} then now() else now() + interval '1 hour' end
             where bot_id = ${bot.id}`.execute(world.ctx.db)
  world.ctx.webhooks.wake(world.realmId, bot.id)
  await until(async () => (await deliveriesOf(ann, bot)).every(({ status }) => status === 'delivered'))
  assert.deepEqual(
    payloads(receiver)
      .slice(attempts)
      .map(({ message }) => message.id)
      .sort(),
    sent,
  )
  assert.deepEqual(idsOf(attempts).sort(), [...new Set(whileDown)].sort())
})

test('in_order: an event waits until the one before it was delivered', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const receiver = await newReceiver((response, _, count) => response.writeHead(count === 1 ? 500 : 200).end())
  const bot = await newListener(world, receiver.url, { triggers: ['channel_message'], in_order: true })
  const sent = []
  for (const content of ['one', 'two', 'three']) sent.push(await ben.sends({ channel: 'verona', content }))
  await until(async () => (await deliveriesOf(ann, bot)).at(-1)?.response_status === 500)
  assert.equal(receiver.requests.length, 1)
  await later(world, bot)
  await requestTo(receiver, 4)
  assert.deepEqual(
    payloads(receiver).map(({ message }) => message.id),
    [sent[0], ...sent],
  )
})

test('an endpoint that fails for three days is paused, its owner learns about it once, and can resume it', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, ctx } = world
  await inChannel('verona', [ann, ben])
  let isDown = true
  const receiver = await newReceiver((response) => response.writeHead(isDown ? 404 : 200).end())
  const bot = await newListener(world, receiver.url, { triggers: ['channel_message'] })
  await ben.sends({ channel: 'verona' })
  await ended(ann, bot, 'failed')
  await sql`update webhook_cursors set failing_since = now() - interval '73 hours' where bot_id = ${bot.id}`.execute(
    ctx.db,
  )
  await ann.registers()
  await ben.sends({ channel: 'verona' })
  await until(async () => (await ann.receives('message')).some(({ message }) => message.sender_id === bot.id))
  const last = await ben.sends({ channel: 'verona', content: 'while paused' })
  await until(async () => (await ann.receives('message')).some(({ message }) => message.id === last))
  const notices = (await ann.receives('message')).filter(({ message }) => message.sender_id === bot.id)
  assert.match(notices[0]!.message.content, /failed for 3 days/)
  assert.equal(notices.length, 1)
  const [changed] = await ann.receives('realm_bot')
  assert.equal(changed?.op === 'update' && changed.bot.services?.[0]?.paused, true)
  isDown = false
  const requests = receiver.requests.length
  await ann.does(botsApi.updateBot, { path: { bot_id: bot.id }, paused: false })
  await requestTo(receiver, requests + 1)
  assert.equal(payloads(receiver).at(-1).message.id, last)
})

test('429 and 5xx are retried, other refusals are not, and a failed delivery can be replayed', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  let status = 429
  const receiver = await newReceiver((response) => response.writeHead(status, { 'retry-after': '1800' }).end())
  const bot = await newListener(world, receiver.url, { triggers: ['channel_message'] })
  await ben.sends({ channel: 'verona' })
  const { attempts, response_status } = await ended(ann, bot, 'waiting').then(() =>
    until(async () => {
      const [one] = await deliveriesOf(ann, bot)
      return one!.response_status === 429 && one!
    }),
  )
  assert.deepEqual([attempts, response_status], [1, 429])
  const { seconds } = await world.ctx.db
    .selectFrom('webhook_deliveries')
    .select(sql<number>`extract(epoch from due_at - now())::integer`.as('seconds'))
    .where('bot_id', '=', bot.id)
    .executeTakeFirstOrThrow()
  assert.ok(seconds > 1700 && seconds <= 1800, String(seconds))
  status = 410
  await later(world, bot)
  const { id } = await ended(ann, bot, 'failed')
  status = 200
  await ann.does(replayDelivery, { path: { bot_id: bot.id, delivery_id: id } })
  await ended(ann, bot, 'delivered')
})

test('the log keeps what a webhook has not read', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, ctx, realmId } = world
  await inChannel('verona', [ann, ben])
  const bot = await newListener(world, (await newReceiver()).url, { triggers: ['channel_message'] })
  await ann.does(botsApi.updateBot, { path: { bot_id: bot.id }, paused: true })
  await ben.sends({ channel: 'verona' })
  await sql`update events set created_at = now() - interval '1 day' where realm_id = ${realmId}`.execute(ctx.db)
  await trimEvents(ctx)
  const { trimmed_event, last_event } = await ctx.db
    .selectFrom('realm_counters')
    .innerJoin('webhook_cursors', 'webhook_cursors.realm_id', 'realm_counters.realm_id')
    .select(['trimmed_event', 'webhook_cursors.last_event'])
    .where('realm_counters.realm_id', '=', realmId)
    .executeTakeFirstOrThrow()
  assert.equal(trimmed_event, last_event)
})

test('triggers need an endpoint, known channels, a filter of queues, and a format that can carry them', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  const hidden = await inChannel('den', [ben], { invite_only: true })
  const { user_id } = await ann.does(botsApi.createBot, { full_name: 'Plain', short_name: 'plain' })
  const bot = await newBot(world, ann, 'http://127.0.0.1:1/')
  const slack = await newBot(world, ann, 'http://127.0.0.1:1/', { interface_type: 2 })
  const refusals: [number, object, RegExp][] = [
    [user_id, { triggers: ['reaction'] }, /not an outgoing webhook/],
    [bot.id, { triggers: ['reboot'] }, /triggers/],
    [bot.id, { channel_ids: [hidden] }, /Invalid channel ID/],
    [bot.id, { filter: [['near', '1']] }, /not supported/],
    [slack.id, { triggers: ['reaction'] }, /interface_type 1/],
  ]
  for (const [bot_id, changes, reason] of refusals)
    assert.match((await ann.isRefused(botsApi.updateBot, { path: { bot_id }, ...changes } as never)).msg, reason)
  assert.match((await ben.isRefused(botsApi.updateBot, { path: { bot_id: bot.id }, in_order: true })).msg, /permission/)
})
