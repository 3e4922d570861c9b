import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyTopicDisplayName, roles } from '@parley/api/common'
import * as messages from '@parley/api/conversations/messages'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import * as typing from '@parley/api/conversations/typing'
import * as queues from '@parley/api/delivery/queues'
import type { Operation } from '@parley/api/operation'
import { operationList, operations } from '@parley/api/operations'
import * as presence from '@parley/api/people/presence'
import type { Actor } from '../../testing/actor.ts'
import {
  callable,
  encodings,
  isRequired,
  populate,
  queueOf,
  requestFor,
  type Sample,
  sampleOf,
  withoutRecipe,
} from '../../testing/samples.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { buildApp } from '../app.ts'

type Schema = Record<string, unknown>

async function call({ app }: World, sample: Sample, encoding: (typeof encodings)[number]) {
  const { headers, ...request } = requestFor(sample, encoding)
  const response = await app.inject({ ...request, headers: { ...headers, ...sample.by.headers } })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

test('every operation has a successful sample call', () => {
  assert.deepEqual(withoutRecipe(), [], 'give these a recipe in testing/samples.ts')
})

for (const encoding of encodings) {
  test(`every operation takes its parameters as ${encoding} and lists unknown parameters, sorted`, async () => {
    const world = await populate(await newWorld())
    for (const operation of callable()) {
      const sample = await sampleOf(operation, world)
      const params = { ...sample.params, zeal: 1, client: 'me', alto: 'x' }
      const { status, body } = await call(world, { ...sample, params }, encoding)
      assert.equal(status, 200, `${operation.name}: ${JSON.stringify(body)}`)
      assert.deepEqual(body.ignored_parameters_unsupported, ['alto', 'zeal'], operation.name)
    }
  })
}

test('the response to a request without unknown parameters does not list any', async () => {
  const world = await populate(await newWorld())
  for (const operation of callable()) {
    const { status, body } = await call(world, await sampleOf(operation, world), 'json')
    assert.equal(status, 200, `${operation.name}: ${JSON.stringify(body)}`)
    assert.equal('ignored_parameters_unsupported' in body, false, operation.name)
  }
})

test('an error response does not list ignored parameters', async () => {
  const { ann } = await newWorld()
  const error = await ann.isRefused(messages.sendMessage, { colour: 'blue' })
  assert.equal('ignored_parameters_unsupported' in error, false)
})

test('parameters of body and query are merged; the body wins, and so does the last value of a repeated parameter', async () => {
  const { app, ann, ben } = await newWorld()
  const response = await app.inject({
    method: 'POST',
    url: `/api/v1/messages?content=query&to=[${ben.id}]&unknown=1&unknown=2`,
    headers: { ...ann.headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'type=nonsense&type=direct&content=body&unknown=3',
  })
  const { id, ignored_parameters_unsupported } = response.json()
  assert.deepEqual(ignored_parameters_unsupported, ['unknown'])
  assert.equal((await ann.does(messages.getMessage, { path: { message_id: id } })).raw_content, 'body')
})

test('null in a JSON body is not the text "null"', async () => {
  const { app, ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'body' })
  const headers = { ...ann.headers, 'content-type': 'application/json' }
  const send = (method: 'PATCH' | 'POST', url: string, params: object) =>
    app.inject({ method, url: `/api/v1/${url}`, headers, payload: JSON.stringify(params) })
  for (const [params, name] of [
    [{ content: null }, 'content'],
    [{ topic: null }, 'topic'],
    [{ subject: null }, 'topic'],
  ] as const)
    assert.equal((await send('PATCH', `messages/${id}`, params)).json().msg, `${name} must not be null`)
  const sent = await send('POST', 'messages', { type: 'direct', to: null, content: 'x' })
  assert.equal(sent.json().msg, 'to must not be null')
  assert.equal((await ann.does(messages.getMessage, { path: { message_id: id } })).raw_content, 'body')
  assert.equal((await send('POST', 'register', { event_types: null })).statusCode, 200)
})

test('a body of another content type has no parameters', async () => {
  const { app, ann } = await newWorld()
  const headers = { ...ann.headers, 'content-type': 'text/plain' }
  const response = await app.inject({ method: 'POST', url: '/api/v1/typing', headers, payload: 'op=start' })
  assert.equal(response.json().code, 'REQUEST_VARIABLE_MISSING')
})

test('the error for a missing required parameter names it', async () => {
  const world = await newWorld()
  for (const operation of operationList) {
    const required = Object.entries(operation.params).filter(([, schema]) => isRequired(schema as Schema))
    const path = Object.fromEntries(Object.keys(operation.pathParams).map((name) => [name, 1]))
    const [first] = required
    if (!first) continue
    const error = await world.olga.isRefused(operation, { path })
    assert.equal(error.code, 'REQUEST_VARIABLE_MISSING', operation.name)
    assert.equal(error.var_name, first[0], operation.name)
  }
})

test('a parameter sent under both of its names is refused', async () => {
  const { olga } = await newWorld()
  for (const operation of operationList) {
    for (const [name, schema] of Object.entries(operation.params)) {
      const alias = (schema as Schema)['x-alias'] as string | undefined
      if (alias === undefined) continue
      const path = Object.fromEntries(Object.keys(operation.pathParams).map((part) => [part, 1]))
      const condition = (schema as Schema)['x-only-for'] as { name: string; values: string[] } | undefined
      const applying = condition && { [condition.name]: condition.values[0] }
      const params = { path, ...necessary(operation), ...applying, [name]: 'true', [alias]: 'true' }
      const error = await olga.isRefused(operation, params)
      assert.equal(error.code, 'REQUEST_CONFUSING_VAR', operation.name)
      assert.deepEqual([error.var_name1, error.var_name2], [name, alias])
    }
  }
})

/** Values of the right type for the required parameters of an operation. */
function necessary({ params }: Operation): Record<string, unknown> {
  const required = Object.entries(params).filter(([, schema]) => isRequired(schema as Schema))
  return Object.fromEntries(required.map(([name, schema]) => [name, exampleOf(schema as Schema)]))
}

function exampleOf({ type, enum: choices }: Schema): unknown {
  if (Array.isArray(choices)) return choices[0]
  return type === 'array' ? [] : 'x'
}

const notIntegers = ['"5"', '1.0', '1e2', 'true', 'null', 'five', '1.5', '']
for (const value of notIntegers) {
  test(`${value || 'nothing'} is not an integer`, async () => {
    const { ann } = await newWorld()
    const error = await ann.isRefused(messages.getMessages, { anchor: 'newest', num_before: value, num_after: 0 })
    assert.equal(error.code, 'BAD_REQUEST')
    assert.match(error.msg, /^num_before/)
  })
}

for (const value of ['1', '0', '"true"', 'True', 'null', 'yes']) {
  test(`${value} is not a boolean`, async () => {
    const { ann } = await newWorld()
    const error = await ann.isRefused(presence.updatePresence, { status: 'active', ping_only: value })
    assert.equal(error.code, 'BAD_REQUEST')
    assert.deepEqual(Object.keys(error).sort(), ['code', 'msg', 'result', 'status'])
  })
}

test('the error names the position of an invalid element of a list', async () => {
  const { ann } = await newWorld()
  const error = await ann.isRefused(typing.setTypingStatus, { op: 'start', to: [1, 'two'] })
  assert.match(error.msg, /^to\[1\]/)
})

test('a number with a fraction is not an id but a channel name', async () => {
  const { ann } = await newWorld()
  const error = await ann.isRefused(messages.sendMessage, { type: 'stream', to: '1.0', topic: 't', content: 'x' })
  assert.equal(error.code, 'STREAM_DOES_NOT_EXIST')
})

test('credentials are checked before the access gate, and the gate before the parameters', async () => {
  const { app, host, ann, add } = await newWorld()
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  const anonymous = await app.inject({ method: 'POST', url: '/api/v1/users/me/presence', headers: { host } })
  assert.equal(anonymous.json().code, 'UNAUTHORIZED')
  const gated = await bot.isRefused(presence.updatePresence)
  assert.match(gated.msg, /bot/)
  assert.equal((await ann.isRefused(presence.updatePresence)).code, 'REQUEST_VARIABLE_MISSING')
})

test('a wrong method is refused before credentials are checked', async () => {
  const { app, host } = await newWorld()
  const response = await app.inject({ method: 'PUT', url: '/api/v1/messages', headers: { host } })
  assert.equal(response.statusCode, 405)
  assert.equal(response.json().code, 'METHOD_NOT_ALLOWED')
  assert.equal(response.headers['www-authenticate'], undefined)
})

test('a second slash after the version is ignored, as the documented calls of the Python client send it', async () => {
  const { app, ann, host } = await newWorld()
  const own = await app.inject({ url: '/api/v1//users/me?client_gravatar=true', headers: ann.headers })
  assert.equal(own.json().user_id, ann.id)
  assert.equal((await app.inject({ method: 'PUT', url: '/api/v1//messages', headers: { host } })).statusCode, 405)
  assert.equal((await app.inject({ url: '/api/v1//nowhere', headers: ann.headers })).statusCode, 404)
})

test('every operation except the public ones requires credentials', async () => {
  const { app, host } = await newWorld()
  for (const { method, path, access, name } of operationList) {
    const url = `/api/v1${path.replace(/\{\w+\}/g, '1')}`
    const response = await app.inject({ method, url, headers: { host } })
    assert.equal(response.json().code === 'UNAUTHORIZED', access !== 'anyone', name)
    assert.equal(response.headers['www-authenticate'] !== undefined, access !== 'anyone', name)
  }
})

test('an incoming-webhook bot may only send messages', async () => {
  const { ann, add } = await newWorld()
  const hook = await add('hook', roles.member, { bot_type: 2, bot_owner_id: ann.id })
  for (const operation of operationList.filter(({ access }) => access !== 'anyone')) {
    const path = Object.fromEntries(Object.keys(operation.pathParams).map((name) => [name, 1]))
    const { status, body } = await hook.request(operation, { path })
    const { code } = body as { code: string }
    if (operation.access === 'sender') assert.equal(code, 'REQUEST_VARIABLE_MISSING')
    else assert.deepEqual([status, code], [401, 'UNAUTHORIZED'], operation.name)
  }
})

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

const wrongHeaders: [string, (ann: Actor['credentials']) => string][] = [
  ['one part only', () => 'Basic'],
  ['three parts', ({ email, key }) => `Basic ${base64(`${email}:${key}`)} x`],
  ['no base64', () => 'Basic !!!'],
  ['no UTF-8', () => `Basic ${base64(Buffer.from([0xff, 0x3a, 0xff]))}`],
  ['no colon', ({ key }) => `Basic ${base64(key)}`],
  ['two colons', ({ email, key }) => `Basic ${base64(`${email}:${key}:`)}`],
  ['a key of another form', ({ email }) => `Basic ${base64(`${email}:short`)}`],
  ['an unknown key', ({ email }) => `Basic ${base64(`${email}:${'a'.repeat(32)}`)}`],
  ['the key of another user', ({ key, host }) => `Basic ${base64(`ben@${host}:${key}`)}`],
]
for (const [kind, header] of wrongHeaders) {
  test(`credentials with ${kind} are refused with a challenge`, async () => {
    const { app, host, ann } = await newWorld()
    const authorization = header(ann.credentials)
    const response = await app.inject({ url: '/api/v1/users/me', headers: { host, authorization } })
    assert.equal(response.statusCode, 401)
    assert.equal(response.json().code, 'UNAUTHORIZED')
    assert.match(String(response.headers['www-authenticate']), /^Basic realm="/)
  })
}

test('the authentication scheme and the email are case-insensitive', async () => {
  const { app, host, ann } = await newWorld()
  const { email, key } = ann.credentials
  const authorization = `bAsIc ${base64(` ${email.toUpperCase()} : ${key} `)}`
  const response = await app.inject({ url: '/api/v1/users/me', headers: { host, authorization } })
  assert.equal(response.statusCode, 200)
})

test('a deactivated account and a deactivated organization are refused alike', async () => {
  const { ctx, ann, ben, realmId } = await newWorld()
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', ann.id).execute()
  ctx.realms.drop(realmId)
  assert.equal((await ann.isRefused(operations.getOwnUser)).status, 401)
  await ctx.db.updateTable('realms').set({ deactivated: true }).where('id', '=', realmId).execute()
  ctx.realms.drop(realmId)
  assert.equal((await ben.isRefused(operations.getOwnUser)).code, 'UNAUTHORIZED')
})

test('without a rate limit there are no rate limit headers', async () => {
  const { app, ann } = await newWorld()
  const { headers } = await app.inject({ url: '/api/v1/users/me', headers: ann.headers })
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.includes('ratelimit')),
    [],
  )
})

test('a response is uncacheable JSON, with the remaining allowance in its headers', async (t) => {
  const { ctx, ann } = await newWorld()
  const app = buildApp({ ...ctx, config: { ...ctx.config, rateLimit: 200 } })
  t.after(() => app.close())
  const { headers } = await app.inject({ url: '/api/v1/users/me', headers: ann.headers })
  assert.match(String(headers['content-type']), /^application\/json/)
  assert.equal(headers['cache-control'], 'no-store')
  for (const name of ['limit', 'remaining', 'reset']) assert.match(String(headers[`x-ratelimit-${name}`]), /^\d+$/)
})

test('over the limit every request is refused until the announced time, and other users are not affected', async (t) => {
  const { ctx, ann, ben } = await newWorld()
  const app = buildApp({ ...ctx, config: { ...ctx.config, rateLimit: 3 } })
  t.after(() => app.close())
  const ask = (actor: Actor) => app.inject({ url: '/api/v1/get_stream_id', headers: actor.headers })
  const remaining = []
  for (let n = 0; n < 3; n++) remaining.push((await ask(ann)).headers['x-ratelimit-remaining'])
  assert.deepEqual(remaining, ['2', '1', '0'])
  const refused = await ask(ann)
  assert.equal(refused.statusCode, 429)
  assert.equal(refused.json().code, 'RATE_LIMIT_HIT')
  assert.ok(refused.json()['retry-after'] > 0)
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  assert.equal(refused.headers['x-ratelimit-remaining'], '0')
  assert.equal((await ask(ben)).statusCode, 400)
})

test('guessing keys is limited per IP address', async (t) => {
  const { ctx, host } = await newWorld()
  const app = buildApp({ ...ctx, config: { ...ctx.config, rateLimit: 3 } })
  t.after(() => app.close())
  const authorization = `Basic ${base64(`x@y.example:${'b'.repeat(32)}`)}`
  const guess = (remoteAddress: string) =>
    app.inject({ url: '/api/v1/users/me', headers: { host, authorization }, remoteAddress })
  // On a slow machine the limit refills by a few requests while this runs.
  const guesses = await Promise.all(Array.from({ length: 200 }, (_, n) => guess(`2001:db8::${n + 1}`)))
  const refused = guesses.filter(({ statusCode }) => statusCode === 429).length
  assert.ok(refused > 0 && refused <= 100)
  assert.equal((await guess('2001:db8:0:1::1')).statusCode, 401)
})

test('the display name of the empty topic is read as the empty topic', async () => {
  const { ann } = await newWorld()
  await ann.does(subscriptions.subscribe, { subscriptions: [{ name: 'verona' }] })
  await ann.registers()
  const topic = emptyTopicDisplayName
  await ann.sends({ channel: 'verona', topic })
  const [sent] = await ann.receives('message')
  assert.equal(sent!.message.subject, '')
  const stream_id = sent!.message.stream_id!
  await ann.does(typing.setTypingStatus, { type: 'stream', op: 'start', stream_id, topic })
  const [typed] = await ann.receives('typing')
  assert.equal(typed?.message_type === 'stream' && typed.topic, '')
})

test('a key is not valid in another organization', async () => {
  const { ann } = await newWorld()
  const other = await newWorld()
  const stranger = { ...ann.headers, host: other.host }
  for (const { method, path, access, name } of operationList) {
    if (access === 'anyone') continue
    const url = `/api/v1${path.replace(/\{\w+\}/g, '1')}`
    assert.equal((await other.app.inject({ method, url, headers: stranger })).statusCode, 401, name)
  }
})

test('one organization can neither see nor reach anything of another', async () => {
  const here = await newWorld()
  const there = await newWorld()
  await here.ann.does(subscriptions.subscribe, { subscriptions: [{ name: 'verona' }] })
  const message_id = await here.ann.sends({ channel: 'verona', content: 'only for us' })
  const queue_id = await queueOf(here.ann)
  const { stream_id } = await here.ann.does(operations.getChannelId, { stream: 'verona' })
  const { olga } = there
  const attempts: [Operation, Record<string, unknown>][] = [
    [operations.getUser as Operation, { path: { user_id: here.ann.id } }],
    [operations.getUserByEmail as Operation, { path: { email: here.ann.credentials.email } }],
    [operations.getChannel as Operation, { path: { stream_id } }],
    [operations.getChannelId as Operation, { stream: 'verona' }],
    [operations.getChannelMembers as Operation, { path: { stream_id } }],
    [operations.getTopics as Operation, { path: { stream_id } }],
    [operations.getMessage as Operation, { path: { message_id } }],
    [operations.getSubscriptionStatus as Operation, { path: { stream_id, user_id: olga.id } }],
    [operations.sendMessage as Operation, { type: 'stream', to: stream_id, topic: 't', content: 'x' }],
    [operations.sendMessage as Operation, { type: 'direct', to: [here.ann.id], content: 'x' }],
    [operations.setTypingStatus as Operation, { op: 'start', to: [here.ann.id] }],
    [operations.setTypingStatus as Operation, { type: 'stream', op: 'start', stream_id, topic: 't' }],
    [operations.unsubscribe as Operation, { subscriptions: [], principals: [here.ann.id] }],
    [queues.getEvents as Operation, { queue_id, dont_block: true }],
    [queues.deleteQueue as Operation, { queue_id }],
  ]
  for (const [operation, params] of attempts) {
    const hidden = await olga.isRefused(operation, params)
    assert.ok(['BAD_REQUEST', 'BAD_EVENT_QUEUE_ID', 'STREAM_DOES_NOT_EXIST'].includes(hidden.code), operation.name)
  }
  const { members } = await olga.does(operations.getUsers)
  assert.equal(
    members.some(({ user_id }) => user_id === here.ann.id),
    false,
  )
  assert.deepEqual((await olga.does(operations.getMessages, { message_ids: [message_id] })).messages, [])
})
