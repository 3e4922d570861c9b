import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMessageHistory } from '@parley/api/conversations/editing'
import * as messages from '@parley/api/conversations/messages'
import { renderMessage } from '@parley/api/conversations/rendering'
import * as bots from '@parley/api/delivery/bots'
import { register } from '@parley/api/delivery/queues'
import type { Operation } from '@parley/api/operation'
import { exportRealm } from '@parley/api/operation/export'
import * as avatars from '@parley/api/people/avatars'
import { sql } from 'kysely'
import sharp from 'sharp'
import { startBackgroundWork } from '../../boot/background-jobs.ts'
import { checkNewPassword } from '../../identity/passwords/password-strength.ts'
import { hashPassword } from '../../identity/passwords/passwords.ts'
import { one } from '../../platform/db/query.ts'
import { Actor, encode } from '../actor.ts'
import { inChannel } from '../channels.ts'
import { multipartFiles } from '../files.ts'
import { answersJson, newReceiver } from '../peers/receiver.ts'
import { ScimClient, scimUser } from '../peers/scim-client.ts'
import { until } from '../until.ts'
import { newWorld, type World } from '../world.ts'
import { assertFair, assertShortTurns, getInOtherThread } from './flood.ts'

/** Ben floods the server while Ann tries to work. */
async function inVerona() {
  const world = await newWorld()
  await inChannel('verona', [world.ann, world.ben])
  const annSends = (content = 'hello') => world.ann.sends({ channel: 'verona', content })
  const benAsks = (operation: Operation, params: Record<string, unknown>) => () => world.ben.request(operation, params)
  return { ...world, world, annSends, benAsks }
}

const expensive = `\`\`\`typescript\n${'const a = { b: [`c`, /d/g, "e"] } // f\n'.repeat(230)}\`\`\``

test('expensive code blocks of one user do not delay the messages of another', async () => {
  const { annSends, benAsks } = await inVerona()
  await assertFair(() => annSends('```js\nlet x = 1\n```'), benAsks(renderMessage as Operation, { content: expensive }))
})

test('large images of one user do not delay the images of another', async () => {
  const { app, ann, ben } = await inVerona()
  const square = (side: number) =>
    sharp({ create: { width: side, height: side, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
  const setsAvatar = async (by: Actor, content: Buffer) => {
    const { headers, payload } = multipartFiles([{ content }])
    const url = `/api/v1${avatars.uploadAvatar.path}`
    return app.inject({ method: 'POST', url, headers: { ...by.headers, ...headers }, payload })
  }
  const [small, large] = [await square(50), await square(3000)]
  await assertFair(
    () => setsAvatar(ann, small),
    () => setsAvatar(ben, large),
  )
})

/** Pages and operations that need no credentials: what a stranger can ask for as often as the rate limits allow. */
const withoutCredentials: [string, 'GET' | 'POST', string, object?][] = [
  ['passwords to rank', 'POST', '/password-strength', { password: 'correct horse battery staple of forty letters' }],
  ['the sign-in page', 'GET', '/login'],
  ['the page to reset a password', 'GET', '/reset'],
  ['the settings of the server', 'GET', '/api/v1/server_settings'],
  ['sign-ins', 'POST', '/api/v1/fetch_api_key', { username: 'nobody@x.test', password: 'guess' }],
  ['requests of many fields', 'POST', '/api/v1/fetch_api_key', manyFields()],
  ['unknown paths', 'GET', '/nowhere'],
]

function manyFields(): object {
  return Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, 1]))
}

for (const [things, method, url, payload] of withoutCredentials)
  test(`a flood of ${things} without credentials delays neither messages nor new passwords`, async () => {
    const { app, host, annSends } = await inVerona()
    const text = payload && JSON.stringify(payload) // once: the client shares the thread with the server
    const headers = { host, 'content-type': 'application/json' }
    const flood = () => app.inject(text ? { method, url, headers, payload: text } : { method, url, headers: { host } })
    await assertFair(async () => {
      await annSends()
      await checkNewPassword('production', 'correct horse battery staple')
    }, flood)
  })

/** A request of Ben over a real socket. */
async function benGets({ app, ben }: World, path: string): Promise<() => Promise<void>> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  return () => getInOtherThread(`${app.listeningOrigin}/api/v1${path}`, ben.headers)
}

/** A message with 60 long versions that have nothing in common. */
async function editedMessage({ ctx, realmId, ben }: World): Promise<number> {
  const id = await ben.sends({ channel: 'verona' })
  await sql`
    update messages set edit_history = (
      select jsonb_agg(jsonb_build_object('number', n - 1000, 'user_id', ${ben.id}::bigint, 'timestamp', n,
                                          'prev_content', text, 'prev_rendered_content', text))
        from generate_series(1, 60) n, lateral (select string_agg(n || '-' || w, ' ') as text from generate_series(1, 1200) w) t)
     where realm_id = ${realmId} and id = ${id}`.execute(ctx.db)
  return id
}

test('reading a long edit history does not delay others', async () => {
  const { world, annSends, benAsks } = await inVerona()
  const path = { message_id: await editedMessage(world) }
  await assertFair(annSends, benAsks(getMessageHistory as Operation, { path }))
})

test('reading a long edit history does not block the main thread', async () => {
  const { world } = await inVerona()
  const get = await benGets(world, `/messages/${await editedMessage(world)}/history`)
  await assertShortTurns(get) // the diff of one version took 44 ms, all of them seconds
})

/** Two hundred messages that contain one word as often as possible. */
async function repetitiveMessages({ ctx, realmId, ben }: World): Promise<void> {
  for (let n = 0; n < 200; n++) await ben.sends({ channel: 'verona', content: 'moon' })
  const content = `<p>${'<em>moon</em> '.repeat(1600)}</p>`
  await sql`update messages set rendered_content = ${content} where realm_id = ${realmId} and content = 'moon'`.execute(
    ctx.db,
  )
}

const search = { anchor: 'newest', num_before: 200, num_after: 0, narrow: [['search', 'moon']] }

test('searches with many highlights neither delay others nor block the main thread', async () => {
  const { world, annSends, benAsks } = await inVerona()
  await repetitiveMessages(world)
  await assertShortTurns(await benGets(world, `/messages?${encode(search)}`)) // took 6,700 ms
  await assertFair(annSends, benAsks(messages.getMessages as Operation, search))
})

test('one user who registers repeatedly does not delay others', async () => {
  const { ann, annSends, benAsks } = await inVerona()
  const flood = benAsks(register as Operation, {})
  await assertFair(annSends, flood)
  await assertFair(() => ann.request(register as Operation, {}), flood)
})

test('exports leave room for other background jobs', async (t) => {
  const { ctx, adam, annSends } = await inVerona()
  const jobs = startBackgroundWork(ctx)
  t.after(() => jobs.stop())
  await assertFair(annSends, () => adam.request(exportRealm as Operation, {}))
  const { lines } = await one<{ lines: number }>(ctx.db)`
    select count(distinct line_id)::integer as lines from jobs.jobs where task = 'export_realm'`
  assert.ok(lines <= 1)
})

test('an identity provider that creates many users does not delay other organizations', async () => {
  const { annSends } = await inVerona()
  const provider = await ScimClient.open(await newWorld())
  let created = 0
  const creates = () => provider.request('POST', '/Users', scimUser(`new${created++}@acme.test`))
  await assertFair(annSends, () => Promise.all(Array.from({ length: 4 }, creates))) // sixty at once
})

test('one IP address that guesses passwords does not delay sign-ins from another', async () => {
  const { app, ctx, host, ann } = await inVerona()
  const password = 'correct horse battery'
  const password_hash = await hashPassword(password)
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  const signsIn = (username: string, guess: string, remoteAddress: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/fetch_api_key',
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: encode({ username, password: guess }),
      remoteAddress,
    })
  let guesses = 0
  await assertFair(
    async () => assert.equal((await signsIn(ann.credentials.email, password, '10.9.0.1')).statusCode, 200),
    () => signsIn(`nobody${guesses++}@${host}`, 'guess', '10.9.0.2'),
  )
})

test('a flood of webhook deliveries for one bot does not delay those of another', async (t) => {
  const { ctx, world, ann, ben } = await inVerona()
  ctx.config.internalWebhooks = ['127.0.0.1']
  const jobs = startBackgroundWork(ctx)
  t.after(() => jobs.stop())
  const slow = await newBot(
    world,
    ben,
    (await newReceiver((response) => setTimeout(() => response.end('{}'), 100))).url,
  )
  const receiver = await newReceiver(answersJson({}))
  const quick = await newBot(world, ann, receiver.url)
  const annAsks = async () => {
    const { length } = receiver.requests
    await ann.sends({ to: [quick] })
    await until(() => receiver.requests.length > length)
  }
  await assertFair(annAsks, () => ben.sends({ to: [slow] }))
})

async function newBot({ app, host }: World, owner: Actor, payload_url: string): Promise<Actor> {
  const short_name = `hook${owner.id}`
  const params = { full_name: short_name, short_name, bot_type: 3 as const, payload_url }
  const { user_id, api_key } = await owner.does(bots.createBot, params)
  return new Actor(app, user_id, short_name, { host, email: `${short_name}-bot@${host}`, key: api_key })
}
