import assert from 'node:assert/strict'
import { test } from 'node:test'
import { muteUser } from '@parley/api/conversations/muting'
import { addAlertWords } from '@parley/api/people/alert-words'
import { updateSettings } from '@parley/api/people/own-settings'
import { buildApp } from '../http/app.ts'
import { inChannel } from '../testing/channels.ts'
import { newWorld, type World } from '../testing/world.ts'
import { BoundedMap } from './realm-cache.ts'

function basic(email: string, key: string): string {
  return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`
}

async function ask({ app, host }: World, authorization: string | undefined) {
  const answer = await app.inject({
    url: '/api/v1/users/me',
    headers: { host, ...(authorization !== undefined && { authorization }) },
  })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

/** Fills the caches that sending uses: callers, bot owners, people, channels, subscriptions, muters, topics, words. */
async function warmCaches({ olga, ann, ben, add }: World): Promise<{ ids: number[]; name: string }> {
  const bot = await add('helper', undefined, { bot_type: 1, bot_owner_id: olga.id })
  const channelId = await inChannel('vault', [olga, ann, ben], { invite_only: true })
  await ann.does(addAlertWords, { alert_words: ['deploy'] })
  await ann.does(muteUser, { path: { muted_user_id: ben.id } })
  for (const sender of [olga, ann, ben, bot]) await sender.sends({ channel: 'vault', content: 'deploy' })
  await ann.sends({ to: [ben] })
  return { ids: [channelId, ...[olga, ann, ben, bot].map(({ id }) => id), 1, 2, 3, 4], name: 'vault' }
}

test('no spelling of a cache key authenticates anyone', async () => {
  const world = await newWorld()
  const { ids, name } = await warmCaches(world)
  const kinds = 'owner channel person muters begun subscribed muted'.split(' ')
  const pairs = ids.flatMap((id) => ids.map((other) => `${id} ${other}`))
  const keys = [...kinds.flatMap((kind) => [...ids, ...pairs].map((key) => `${kind} ${key}`)), ...ids.map(String)]

  for (const key of [...keys, ...pairs, `channel name ${name}`, name, 'alert words']) {
    const { status, body } = await ask(world, key)
    assert.deepEqual([key, [400, 401].includes(status), body.result], [key, true, 'error'])
  }
})

test('every malformed header gets the same 401, and every other scheme the same 400', async () => {
  const world = await newWorld()
  const { email, key } = world.olga.credentials
  assert.equal((await ask(world, basic(email, key))).status, 200) // the right credentials are cached
  const encoded = basic(email, key).slice('Basic '.length)
  const expected = await ask(world, 'Bearer')
  assert.deepEqual([expected.status, expected.body.code], [401, 'UNAUTHORIZED'])

  const schemes = 'Bearer Digest Negotiate NTLM Token AWS4-HMAC-SHA256 Basics Basi __proto__ constructor'.split(' ')
  const malformed = [
    ...['', ' ', 'Basic', 'Basic ', ':', encoded, key, email, `${email}:${key}`, `Basic${encoded}`, `Basic:${encoded}`],
    ...[
      `Basic ${email}:${key}`,
      `Basic ${encoded} x`,
      `Basic ${encoded},x`,
      `Basic =${encoded}`,
      `Basic ${encoded}===`,
    ],
    ...[`Basic ${encoded}, Basic ${encoded}`, '__proto__', 'constructor', 'Basic /w=='],
    ...[basic(email, `${key}:${key}`), `Basic ${Buffer.from(email).toString('base64')}`],
  ]
  for (const header of [...malformed, ...schemes]) {
    const { status, body } = await ask(world, header)
    assert.deepEqual([header, status, body], [header, 401, expected.body])
  }
  for (const header of ['owner 4', 'channel 4', ...schemes.map((scheme) => `${scheme} ${encoded}`)]) {
    const { status, body, headers } = await ask(world, header)
    assert.deepEqual([header, status, body.code], [header, 400, 'BAD_REQUEST'])
    assert.equal(headers['www-authenticate'], undefined)
  }
})

test('a wrong key, the key of another account and a key with a wrong email fail alike', async () => {
  const world = await newWorld()
  const { olga, ann } = world
  const refusals = [
    basic(olga.credentials.email, 'x'.repeat(32)),
    basic(olga.credentials.email, ann.credentials.key),
    basic('', olga.credentials.key),
    basic(olga.credentials.email, ''),
    basic(olga.credentials.email, olga.credentials.key.toLowerCase()),
    basic(`user${ann.id}@${world.host}`, olga.credentials.key),
  ]
  const [first, ...others] = await Promise.all(refusals.map((header) => ask(world, header)))
  assert.deepEqual([first!.status, first!.body.code, first!.body.msg], [401, 'UNAUTHORIZED', 'Invalid API key'])
  for (const other of others) assert.deepEqual(other.body, first!.body)
})

test('the email others see authenticates as well as the real one', async () => {
  const world = await newWorld()
  const { ann, host } = world
  await ann.does(updateSettings, { email_address_visibility: 4 })
  for (const email of [ann.credentials.email, `user${ann.id}@${host}`, `USER${ann.id}@${host}`])
    assert.equal((await ask(world, basic(email, ann.credentials.key))).body.user_id, ann.id)
  const spelled = await ask(world, basic(`user0${ann.id}@${host}`, ann.credentials.key))
  assert.equal(spelled.status, 401)
})

test('case and white space around credentials do not matter', async () => {
  const world = await newWorld()
  const { email, key } = world.ann.credentials
  const encoded = basic(email, key).slice('Basic '.length)
  const spellings = [`bAsIc ${encoded}`, ` Basic   ${encoded} `, basic(` ${email.toUpperCase()} `, ` ${key}`)]
  for (const header of spellings) assert.equal((await ask(world, header)).body.user_id, world.ann.id)
})

test('a cache is bounded by entries and by bytes and drops the oldest first', () => {
  const byEntries = new BoundedMap<number, string>({ entries: 2 })
  for (const key of [1, 2, 3]) byEntries.set(key, 'x')
  assert.deepEqual([byEntries.get(1), byEntries.get(2), byEntries.get(3)], [undefined, 'x', 'x'])

  const byBytes = new BoundedMap<number, string>({ entries: 100, bytes: 10, sizeOf: (text) => text.length })
  for (const text of ['aaaa', 'bbbb', 'cccc']) byBytes.set(1, text) // replaced, not added
  byBytes.set(2, 'dddd')
  assert.equal(byBytes.size, 2)
  byBytes.set(3, 'eeee')
  assert.deepEqual([byBytes.get(1), byBytes.get(2), byBytes.get(3)], [undefined, 'dddd', 'eeee'])
})

test('failed credentials are counted before they are looked up, and right ones are not counted', async (t) => {
  const world = await newWorld()
  const { ctx, host, ann } = world
  let queries = 0
  const db = ctx.db.withPlugin({
    transformQuery: ({ node }) => {
      queries++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const app = buildApp({ ...ctx, db: db as typeof ctx.db, config: { ...ctx.config, rateLimit: 200 } })
  t.after(() => app.close())
  const headers = { host, authorization: basic(ann.credentials.email, ann.credentials.key) }
  const ask = async (more: object) => (await app.inject({ url: '/api/v1/users/me', headers, ...more })).statusCode
  const wrong = { host, authorization: basic(ann.credentials.email, 'x'.repeat(32)) }

  for (const status of await Promise.all(Array.from({ length: 150 }, () => ask({})))) assert.equal(status, 200)
  queries = 0
  const statuses = await Promise.all(Array.from({ length: 150 }, () => ask({ headers: wrong })))

  const lookedUp = statuses.filter((status) => status === 401).length
  assert.ok(lookedUp >= 100 && lookedUp < 120, `${lookedUp} were looked up`) // the allowance refills during the test
  assert.equal(statuses.filter((status) => status === 429).length, 150 - lookedUp)
  assert.equal(queries, lookedUp)
  assert.equal(await ask({ headers: wrong, remoteAddress: '10.9.9.9' }), 401)
})
