import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { operations } from '@parley/api/operations'
import { sql } from 'kysely'
import { column } from '../../platform/db/query.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { limitHook } from './rates.ts'
import { deleteOldHookRequests } from './request-log.ts'

async function newChannel({ ann, ben }: World): Promise<number> {
  await inChannel('verona', [ann, ben])
  return (await ann.does(operations.getChannelId, { stream: 'verona' })).stream_id
}

type Options = Record<string, unknown>

async function newHook(world: World, integration: string, options: Options = {}) {
  const channel_id = await newChannel(world)
  const { ann } = world
  const { id, url } = await ann.does(operations.createHook, { integration, name: 'Robot', channel_id, ...options })
  return { path: { hook_id: id }, url: new URL(url).pathname }
}

interface Posted {
  body: string | object
  headers?: Record<string, string>
}

async function post({ app, host }: World, url: string, { body, headers = {} }: Posted) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await app.inject({
    method: 'POST',
    url,
    payload,
    headers: { host, 'content-type': 'application/json', ...headers },
  })
  return {
    status: response.statusCode,
    text: response.body,
    body: response.body.startsWith('{') ? response.json() : {},
  }
}

async function newest({ ben }: World) {
  const found = await ben.does(operations.getMessages, {
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    apply_markdown: false,
  })
  return found.messages[0]!
}

const sender = { login: 'rosa', html_url: 'https://github.com/rosa' }
const star = {
  action: 'created',
  sender,
  repository: { name: 'shop', full_name: 'a/shop', html_url: 'https://github.com/a/shop' },
}
const starred = { body: star, headers: { 'x-github-event': 'star' } }

test('a request to the URL of a hook becomes a message of its bot', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'github')
  assert.deepEqual(await post(world, url, starred), {
    status: 200,
    text: '{"result":"success","msg":""}',
    body: { result: 'success', msg: '' },
  })
  const { content, subject, sender_full_name } = await newest(world)
  assert.equal(content, '[rosa](https://github.com/rosa) starred [a/shop](https://github.com/a/shop).')
  assert.deepEqual([subject, sender_full_name], ['shop', 'Robot'])
})

test('the topic of the hook replaces that of the integration', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'plain', { topic: 'cron' })
  await post(world, url, { body: 'done @**all**', headers: { 'content-type': 'text/plain' } })
  const { content, subject } = await newest(world)
  assert.deepEqual([content, subject], ['done @\u200b**all**', 'cron'])
})

test('senders for Slack are answered as Slack does', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'slack_incoming')
  assert.equal((await post(world, url, { body: { text: '*up*' } })).text, 'ok')
  assert.equal((await newest(world)).content, '**up**')
})

test('what cannot be read is refused with a reason, which the log has too', async () => {
  const world = await newWorld()
  const { url, path } = await newHook(world, 'github')
  const refused = [
    await post(world, url, { body: star }),
    await post(world, url, { ...starred, body: '{' }),
    await post(world, url, { ...starred, body: '['.repeat(65) }),
    await post(world, url, { body: star, headers: { 'x-github-event': 'gollum' } }),
  ]
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    [
      [400, 'MISSING_HTTP_EVENT_HEADER'],
      [400, 'ANOMALOUS_WEBHOOK_PAYLOAD'],
      [400, 'ANOMALOUS_WEBHOOK_PAYLOAD'],
      [200, 'UNSUPPORTED_WEBHOOK_EVENT_TYPE'],
    ],
  )
  const { webhook_name, event_type } = refused[3]!.body
  assert.deepEqual([webhook_name, event_type], ['github', 'gollum'])
  const { requests } = await world.ann.does(operations.getHookRequests, { path })
  assert.deepEqual(
    requests.map(({ outcome }) => outcome),
    ['unsupported', 'malformed', 'malformed', 'malformed'],
  )
})

test('unknown URLs, and those of deactivated bots, are refused', async () => {
  const world = await newWorld()
  const { url, path } = await newHook(world, 'json')
  assert.equal((await post(world, `/in/${'x'.repeat(43)}`, { body: {} })).status, 401)
  const { hooks } = await world.ann.does(operations.getHooks)
  await world.ann.does(operations.deactivateBot, {
    path: { bot_id: hooks.find(({ id }) => id === path.hook_id)!.bot_id },
  })
  assert.equal((await post(world, url, { body: {} })).status, 401)
  assert.deepEqual((await world.ann.does(operations.getHooks)).hooks, [])
})

test('with a secret, only signed requests are taken', async () => {
  const world = await newWorld()
  const { url } = await newHook(world, 'github', { secret: 'hush' })
  const signature = `sha256=${createHmac('sha256', 'hush').update(JSON.stringify(star)).digest('hex')}`
  assert.equal((await post(world, url, starred)).status, 401)
  const signed = { ...starred, headers: { ...starred.headers, 'x-hub-signature-256': signature } }
  assert.equal((await post(world, url, signed)).status, 200)
})

test('a request that the sender repeats makes no second message', async () => {
  const world = await newWorld()
  const { url, path } = await newHook(world, 'github')
  const once = { ...starred, headers: { ...starred.headers, 'x-github-delivery': 'a1' } }
  assert.equal((await post(world, url, once)).status, 200)
  assert.equal((await post(world, url, once)).status, 200)
  const { requests } = await world.ann.does(operations.getHookRequests, { path })
  assert.deepEqual(
    requests.map(({ outcome }) => outcome),
    ['repeated', 'sent'],
  )
})

test('what cannot be posted is answered with success, and the owner is notified once', async () => {
  const world = await newWorld()
  const { ann, olga } = world
  const { url, path } = await newHook(world, 'json')
  const { stream_id } = await ann.does(operations.getChannelId, { stream: 'verona' })
  await olga.does(operations.archiveChannel, { path: { stream_id } })
  for (const round of [1, 2]) assert.equal((await post(world, url, { body: { round } })).status, 200)
  const { messages } = await ann.does(operations.getMessages, {
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
    narrow: [{ operator: 'is', operand: 'dm' }],
  })
  assert.equal(messages.length, 1)
  assert.match(messages[0]!.content, /Not authorized to send to channel/)
  const { requests } = await ann.does(operations.getHookRequests, { path })
  assert.deepEqual(
    requests.map(({ outcome }) => outcome),
    ['undeliverable', 'undeliverable'],
  )
})

test('the log shows bodies only to the owner of the bot, and no secrets', async () => {
  const world = await newWorld()
  const { url, path } = await newHook(world, 'gitlab')
  await post(world, url, { body: { a: 1 }, headers: { 'x-gitlab-token': 'hush', 'x-gitlab-event': 'Push Hook' } })
  const own = (await world.ann.does(operations.getHookRequests, { path })).requests[0]!
  assert.deepEqual([own.body, own.headers!['x-gitlab-token']], ['{"a":1}', '•••'])
  const seen = (await world.adam.does(operations.getHookRequests, { path })).requests[0]!
  assert.deepEqual([seen.body, seen.headers, seen.outcome], [null, null, 'malformed'])
  await world.ben.isRefused(operations.getHookRequests, { path })
})

test('a request of the log is handled again, with the templates of now', async () => {
  const world = await newWorld()
  const { url, path } = await newHook(world, 'json')
  await post(world, url, { body: { name: 'tank', level: 3 } })
  const options = { topic_template: '{{ name }}', text_template: 'level {{ level }}' }
  await world.ann.does(operations.updateHook, { path, ...options })
  const { requests } = await world.ann.does(operations.getHookRequests, { path })
  const request_id = requests[0]!.id
  const result = await world.ann.does(operations.replayHookRequest, { path: { ...path, request_id } })
  const { id, subject, content } = await newest(world)
  assert.deepEqual([result.message_id, subject, content], [id, 'tank', 'level 3'])
})

test('a preview renders what would be sent, and a wrong template is refused', async () => {
  const { ann } = await newWorld()
  const given = { integration: 'json', payload: '{"name": "tank"}' }
  const shown = await ann.does(operations.previewHook, { ...given, text_template: '**{{ name }}**' })
  assert.deepEqual(shown.rendered, '<p><strong>tank</strong></p>')
  const empty = { text_template: '', topic_template: '', filter: '' }
  assert.equal((await ann.does(operations.previewHook, { ...given, ...empty })).topic, 'JSON')
  const { msg } = await ann.isRefused(operations.previewHook, { ...given, text_template: '{% if %}' })
  assert.match(msg, /^Invalid template: /)
})

test('a test message is an example of the sender, marked as one', async () => {
  const world = await newWorld()
  const { path } = await newHook(world, 'alertmanager')
  const { outcome } = await world.ann.does(operations.testHook, { path })
  const { content, subject } = await newest(world)
  assert.deepEqual([outcome, subject], ['sent', 'DiskFull'])
  assert.match(content, /^\*Test: an example of what Prometheus Alertmanager sends\.\*\n\n:warning: /)
})

test("Zulip's URLs work with the API key of a bot", async () => {
  const world = await newWorld()
  const { ann } = world
  await newChannel(world)
  const { api_key } = await ann.does(operations.createBot, { full_name: 'CI', short_name: 'ci', bot_type: 2 })
  const url = (name: string, more = '') => `/api/v1/external/${name}?api_key=${api_key}&stream=verona${more}`
  assert.equal((await post(world, url('github', '&topic=all%2520stars'), starred)).status, 200)
  assert.equal((await newest(world)).subject, 'all stars')
  assert.equal((await post(world, url('github', '&only_events=["push"]'), starred)).status, 200)
  assert.equal((await newest(world)).subject, 'all stars')
  assert.equal((await post(world, url('wekan'), { body: { card: 'x' } })).status, 200)
  assert.equal((await newest(world)).subject, 'JSON')
  assert.equal((await post(world, url('nobody_knows'), { body: {} })).status, 404)
  assert.equal((await post(world, url('github').replace(api_key, 'x'.repeat(32)), starred)).status, 401)
  assert.equal((await ann.does(operations.getHooks)).hooks.length, 2)
})

test('a hook takes 30 requests at once, then 30 a second', () => {
  for (let count = 0; count < 30; count++) limitHook('limited', 0)
  assert.throws(() => limitHook('limited', 0), { code: 'RATE_LIMIT_HIT' })
  limitHook('limited', 100)
  limitHook('another', 0)
})

test('only those who may post in a channel point a hook to it, and a new owner of the bot gets another URL', async () => {
  const world = await newWorld()
  const { ann, ben, gus } = world
  const { url, path } = await newHook(world, 'json')
  await ben.isRefused(operations.updateHook, { path, name: 'Mine' })
  await gus.isRefused(operations.createHook, { integration: 'json', name: 'x' })
  const { hooks } = await ann.does(operations.getHooks)
  await ann.does(operations.updateBot, { path: { bot_id: hooks[0]!.bot_id }, bot_owner_id: ben.id })
  assert.equal((await post(world, url, { body: {} })).status, 401)
  const owned = (await ben.does(operations.getHooks)).hooks[0]!
  assert.equal((await post(world, new URL(owned.url!).pathname, { body: {} })).status, 200)
})

test('administrators see no hooks of bots that may do more than they', async () => {
  const world = await newWorld()
  const { adam, olga, ctx } = world
  const { path } = await newHook(world, 'json')
  const count = async (user: typeof adam) => (await user.does(operations.getHooks)).hooks.length
  assert.equal(await count(adam), 1)
  await ctx.db.updateTable('users').set({ can_create_users: true }).where('bot_type', '=', 2).execute()
  assert.deepEqual([await count(adam), await count(olga)], [0, 1])
  await adam.isRefused(operations.deleteHook, { path })
})

test('hooks go on after signing out everywhere, so they are listed there', async () => {
  const world = await newWorld()
  await newHook(world, 'json')
  const { items } = await world.ann.does(operations.getLastingAccess)
  assert.deepEqual(items.map(({ kind }) => kind).toSorted(), ['bot', 'hook'])
})

test('requests leave the log after a week', async () => {
  const world = await newWorld()
  const { url, path } = await newHook(world, 'json')
  await post(world, url, { body: {} })
  await sql`update hook_requests set received_at = now() - interval '8 days' where realm_id = ${world.realmId}`.execute(
    world.ctx.db,
  )
  await deleteOldHookRequests(world.ctx.db)
  assert.deepEqual((await world.ann.does(operations.getHookRequests, { path })).requests, [])
})

test('the log of a hook keeps its newest requests, 20 MB of bodies together', async () => {
  const world = await newWorld()
  const { path, url } = await newHook(world, 'github')
  await sql`
    insert into hook_requests (realm_id, hook_id, headers, body, body_size, outcome)
    select h.realm_id, h.id, '{}', decode(repeat('2a', 262144), 'hex'), 262144, 'ignored'
      from hooks h, generate_series(1, 90) where h.id = ${path.hook_id}`.execute(world.ctx.db)
  await sql`update hooks set received = 99 where id = ${path.hook_id}`.execute(world.ctx.db)
  await post(world, url, starred)
  const left = await column<string>(world.ctx.db)`
    select outcome from hook_requests where hook_id = ${path.hook_id} order by id`
  assert.equal(left.length, 80)
  assert.equal(left.at(-1), 'sent')
})
