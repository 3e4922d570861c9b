import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import * as messages from '@parley/api/conversations/messages'
import type { QueueEvent } from '@parley/api/events'
import * as users from '@parley/api/people/users'
import { hashPassword } from '../identity/passwords/passwords.ts'
import type { Actor } from './actor.ts'
import { newLoopback } from './peers/loopback.ts'

// biome-ignore lint/suspicious/noExplicitAny: zulip-js has no types.
type ZulipJs = any

const zulip: (config: object) => Promise<ZulipJs> = createRequire(import.meta.url)('zulip-js')

const world = await newLoopback()
const { realm, ann, ben } = world

function connect({ credentials: { email, key } }: Actor): Promise<ZulipJs> {
  return zulip({ username: email, apiKey: key, realm })
}

/** `callOnEachEvent` never returns, so it runs in a process that can be killed. */
function listen(t: TestContext, { credentials: { email, key } }: Actor, types?: string[]): () => Promise<QueueEvent> {
  const code = `
    const { parentPort, workerData: { config, types } } = require('node:worker_threads')
    const zulip = require(${JSON.stringify(createRequire(import.meta.url).resolve('zulip-js'))})
    zulip(config).then((client) => client.callOnEachEvent((event) => parentPort.postMessage(event), types))`
  const workerData = { config: { username: email, apiKey: key, realm }, types }
  const worker = new Worker(code, { eval: true, workerData, stdout: true })
  t.after(() => worker.terminate())
  const received: QueueEvent[] = []
  const waiting: ((event: QueueEvent) => void)[] = []
  worker.on('message', (event: QueueEvent) => {
    const next = waiting.shift()
    if (next) next(event)
    else received.push(event)
  })
  return () => {
    const [event] = received.splice(0, 1)
    return event ? Promise.resolve(event) : new Promise((resolve) => waiting.push(resolve))
  }
}

/** The listener takes a moment to register. */
async function queuesOf(actor: Actor, atLeast: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const { rows } = await world.ctx.pool.query('select 1 from queues where user_id = $1', [actor.id])
    if (rows.length >= atLeast) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('the listener did not register')
}

test('zulip-js signs in with a password', async () => {
  const password_hash = await hashPassword('correct horse')
  await world.ctx.db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  const client = await zulip({ username: ann.credentials.email, password: 'correct horse', realm })
  assert.equal(client.config.apiKey, ann.credentials.key)
  const profile = await client.users.me.getProfile()
  assert.equal(profile.user_id, ann.id)
})

test('zulip-js reads the server settings and the users', async () => {
  const client = await connect(ann)
  assert.equal((await client.server.settings()).zulip_feature_level, 372)
  const { members } = await client.users.retrieve({ client_gravatar: true })
  assert.ok(members.some(({ user_id }: { user_id: number }) => user_id === ben.id))
})

test('zulip-js subscribes by multipart, sends, reads, and unsubscribes by query string', async () => {
  const client = await connect(ann)
  const subscribed = await client.users.me.subscriptions.add({ subscriptions: JSON.stringify([{ name: 'verona' }]) })
  assert.deepEqual(subscribed.subscribed, { [ann.id]: ['verona'] })
  const sent = await client.messages.send({ to: 'verona', type: 'stream', subject: 'castle', content: 'hello' })
  assert.equal(sent.result, 'success')
  const { stream_id } = await client.streams.getStreamId('verona')
  assert.equal((await client.streams.topics.retrieve({ stream_id })).topics[0].name, 'castle')
  const narrow = [{ operator: 'stream', operand: 'verona' }]
  const read = await client.messages.retrieve({ narrow, anchor: 'newest', num_before: 1, num_after: 0 })
  assert.equal(read.messages[0].id, sent.id)
  const removed = await client.users.me.subscriptions.remove({ subscriptions: JSON.stringify(['verona']) })
  assert.deepEqual(removed.removed, ['verona'])
})

test('zulip-js flags a message', async () => {
  const id = await ben.sends({ to: [ann] })
  const client = await connect(ann)
  const answer = await client.messages.flags.add({ messages: [id], flag: 'starred' })
  assert.deepEqual(answer.messages, [id])
  const { message } = await ann.does(messages.getMessage, { path: { message_id: id } })
  assert.ok(message.flags.includes('starred'))
})

test('zulip-js edits a message, moves it, and reacts to it, by query string', async () => {
  const client = await connect(ann)
  await client.users.me.subscriptions.add({ subscriptions: JSON.stringify([{ name: 'padua' }]) })
  const sent = await client.messages.send({
    to: 'padua',
    type: 'stream',
    subject: 'roses',
    content: 'a moonlit garden',
  })
  const message_id = sent.id
  assert.equal((await client.messages.update({ message_id, content: 'a moonless garden' })).result, 'success')
  const moved = await client.messages.update({ message_id, topic: 'tulips', propagate_mode: 'change_all' })
  assert.equal(moved.result, 'success')
  assert.equal((await client.reactions.add({ message_id, emoji_name: 'tada' })).result, 'success')
  const { message } = await ann.does(messages.getMessage, { path: { message_id } })
  assert.deepEqual([message.subject, message.reactions.length], ['tulips', 1])
  const { message_history } = await client.messages.getHistoryById({ message_id })
  assert.equal(message_history.length, 3)
  const narrow = [{ operator: 'search', operand: 'moonless' }]
  const found = await client.messages.retrieve({ narrow, anchor: 'newest', num_before: 5, num_after: 0 })
  assert.match(found.messages[0].match_content, /<span class="highlight">moonless<\/span>/)
  assert.equal((await client.reactions.remove({ message_id, emoji_name: 'tada' })).result, 'success')
  assert.equal((await client.messages.deleteById({ message_id })).result, 'success')
})

test('zulip-js renders, uploads a file, and schedules a message', async () => {
  const client = await connect(ann)
  assert.equal((await client.messages.render('*now*')).rendered, '<p><em>now</em></p>')
  const file = Object.assign(Readable.from([Buffer.from('tulips')]), { path: 'notes.txt' })
  const uploaded = await client.callEndpoint('/user_uploads', 'POST', { file })
  assert.match(uploaded.url, /\/user_uploads\/.*notes\.txt$/)
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 3600
  const scheduled = await client.callEndpoint('/scheduled_messages', 'POST', {
    type: 'direct',
    to: [ben.id],
    content: 'later',
    scheduled_delivery_timestamp,
  })
  assert.equal(scheduled.result, 'success')
  const listed = await client.callEndpoint('/scheduled_messages')
  assert.equal(listed.scheduled_messages[0].content, 'later')
})

test('zulip-js receives message and typing events', async (t) => {
  const next = listen(t, ann, ['message', 'typing'])
  await queuesOf(ann, 1)
  const client = await connect(ben)
  const sent = await client.messages.send({ to: JSON.stringify([ann.id]), type: 'private', content: 'psst' })
  const received = await next()
  assert.equal(received.type === 'message' && received.message.id, sent.id)
  const typed = await client.typing.send({ to: [ann.id], op: 'start' })
  assert.equal(typed.result, 'success')
  const event = await next()
  assert.equal(event.type === 'typing' && event.sender.user_id, ben.id)
})

test('zulip-js registers a queue, reads it and deletes it by query string', async () => {
  const client = await connect(ann)
  const { queue_id, last_event_id } = await client.queues.register({ event_types: ['message'] })
  const id = await ben.sends({ to: [ann] })
  const { events } = await client.events.retrieve({ queue_id, last_event_id, dont_block: 'true' })
  assert.equal(events[0].message.id, id)
  assert.equal((await client.queues.deregister({ queue_id })).result, 'success')
  assert.equal((await client.queues.deregister({ queue_id })).code, 'BAD_EVENT_QUEUE_ID')
})

test('zulip-js registers without any parameter', async () => {
  const client = await connect(ann)
  const registered = await client.queues.register({})
  assert.equal(registered.result, 'success')
  assert.equal(registered.user_id, ann.id)
})

test('zulip-js gets the JSON error of a refused request', async () => {
  const client = await connect(ann)
  const answer = await client.callEndpoint('/no/such/thing', 'PATCH', { x: 1 })
  assert.equal(answer.code, 'NOT_FOUND')
  const stranger = await zulip({ username: ann.credentials.email, apiKey: 'x'.repeat(32), realm })
  assert.equal((await stranger.users.me.getProfile()).code, 'UNAUTHORIZED')
})

test('the email of a user reaches the server in the path', async () => {
  const client = await connect(ann)
  const { user } = await client.callEndpoint(`/users/${encodeURIComponent(ben.credentials.email)}`)
  assert.equal(user.user_id, ben.id)
  assert.deepEqual(user, (await ann.does(users.getUser, { path: { user_id: ben.id } })).user)
})
