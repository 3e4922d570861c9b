import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { hash } from '@node-rs/argon2'
import { roles } from '@parley/api/common'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { transactIn } from '../../context.ts'
import { buildApp } from '../../http/app.ts'
import { createUser } from '../../people/users/actions.ts'
import { encode } from '../../testing/actor.ts'
import { assertError, assertResponse } from '../../testing/schema.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'

const password = 'correct horse'
const hashed = hashPassword(password)

/** Adds a user with a password. */
async function addPerson({ ctx, realmId, host }: World, name = 'paula') {
  const { realm } = await ctx.realms.get(realmId)
  const email = `${name}@${host}`
  const wanted = { email, full_name: name, role: roles.member, password_hash: await hashed }
  const user = await transactIn(ctx, realmId, (tx) => createUser(tx, ctx.vault, realm, wanted))
  return { id: user.id, email }
}

/** People who share a password, hashed cheaply: what a check costs is written in the hash. */
async function addOffice({ ctx, realmId, host }: World, count: number): Promise<string[]> {
  const password_hash = await hash(password, { memoryCost: 1024, timeCost: 1 })
  const { realm } = await ctx.realms.get(realmId)
  const emails = Array.from({ length: count }, (_, n) => `colleague${n}@${host}`)
  await transactIn(ctx, realmId, async (tx) => {
    for (const [n, email] of emails.entries()) {
      const wanted = { email, full_name: `Colleague ${n}`, role: roles.member, password_hash }
      await createUser(tx, ctx.vault, realm, wanted)
    }
  })
  return emails
}

/** Every sign-in of a test from an address of its own, so that tests do not share an allowance. */
let address = 1
function newAddress(): string {
  return `10.0.0.${address++}`
}

async function post(
  app: FastifyInstance,
  path: string,
  params: Record<string, unknown>,
  host: string,
  remoteAddress = newAddress(),
) {
  const answer = await app.inject({
    method: 'POST',
    url: `/api/v1/${path}`,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    payload: encode(params),
    remoteAddress,
  })
  const body = answer.json()
  if (answer.statusCode === 200) assertResponse(path === 'fetch_api_key' ? 'fetchApiKey' : 'devFetchApiKey', body)
  else assertError(body)
  return { status: answer.statusCode, code: body.code as string | undefined, body, headers: answer.headers }
}

const apps: FastifyInstance[] = []
after(async () => {
  for (const app of apps) await app.close()
})

/** The same server with other settings. */
function configured({ ctx }: World, config: Partial<Config>): FastifyInstance {
  const app = buildApp({ ...ctx, config: { ...ctx.config, ...config } })
  apps.push(app)
  return app
}

function demo(world: World): FastifyInstance {
  return configured(world, { mode: 'demo' })
}

function limited(world: World): FastifyInstance {
  return configured(world, { rateLimit: 200 })
}

test('the email, in any case, and the password return the API key of the account', async () => {
  const world = await newWorld()
  const { app, host } = world
  const { id, email } = await addPerson(world)

  const { body } = await post(app, 'fetch_api_key', { username: email.toUpperCase(), password }, host)

  assert.equal(body.user_id, id)
  assert.equal(body.email, email)
  const authorization = `Basic ${Buffer.from(`${email}:${body.api_key}`).toString('base64')}`
  const self = await app.inject({ url: '/api/v1/users/me', headers: { host, authorization } })
  assert.equal(self.json().user_id, id)
})

test('a client that names its device gets a token, which can be revoked alone; others get the API key', async () => {
  const world = await newWorld()
  const { app, host } = world
  const { id, email } = await addPerson(world)
  const key = (await post(app, 'fetch_api_key', { username: email, password }, host)).body.api_key
  const { body } = await post(app, 'fetch_api_key', { username: email, password, device_name: 'My phone' }, host)
  const headers = (secret: string) => ({
    host,
    authorization: `Basic ${Buffer.from(`${email}:${secret}`).toString('base64')}`,
  })
  const status = async (secret: string) =>
    (await app.inject({ url: '/api/v1/users/me', headers: headers(secret) })).statusCode

  assert.match(key, /^[A-Za-z0-9]{32}$/)
  assert.deepEqual([body.user_id, body.email, body.api_key.slice(0, 7)], [id, email, 'parley_'])
  const { tokens } = (await app.inject({ url: '/api/v1/tokens', headers: headers(body.api_key) })).json()
  assert.deepEqual([tokens[0].name, tokens[0].scopes], ['My phone', null])
  await app.inject({ method: 'DELETE', url: `/api/v1/tokens/${tokens[0].id}`, headers: headers(key) })
  assert.deepEqual([await status(body.api_key), await status(key)], [401, 200])
})

test('the name of a device is neither empty nor too long, and does not replace the password', async () => {
  const world = await newWorld()
  const { email } = await addPerson(world)
  const fetch = (params: object) =>
    post(world.app, 'fetch_api_key', { username: email, password, ...params }, world.host)
  assert.equal((await fetch({ device_name: ' ' })).code, 'BAD_REQUEST')
  assert.equal((await fetch({ device_name: 'x'.repeat(101) })).code, 'BAD_REQUEST')
  assert.equal((await fetch({ device_name: 'phone', password: 'guess' })).code, 'AUTHENTICATION_FAILED')
  const tokens = await world.ctx.db
    .selectFrom('credentials')
    .selectAll()
    .where('realm_id', '=', world.realmId)
    .execute()
  assert.deepEqual(tokens, [])
})

test('a sign-in is recorded in the audit log', async () => {
  const world = await newWorld()
  const { id, email } = await addPerson(world)
  await post(world.app, 'fetch_api_key', { username: email, password }, world.host)
  const row = await world.ctx.db
    .selectFrom('audit_log')
    .select('action')
    .where('acting_user_id', '=', id)
    .executeTakeFirstOrThrow()
  assert.equal(row.action, 'signed_in')
})

test('a wrong password, an unknown account and an account without a password get the same error', async () => {
  const world = await newWorld()
  const { app, host, ann } = world
  const { email } = await addPerson(world)
  const wrong = await post(app, 'fetch_api_key', { username: email, password: 'guess' }, host)
  const unknown = await post(app, 'fetch_api_key', { username: `nobody@${host}`, password }, host)
  const without = await post(app, 'fetch_api_key', { username: ann.credentials.email, password }, host)
  const noAddress = await post(app, 'fetch_api_key', { username: 'x'.repeat(5000), password }, host)

  assert.equal(wrong.status, 401)
  assert.equal(wrong.code, 'AUTHENTICATION_FAILED')
  for (const other of [unknown, without, noAddress]) assert.deepEqual(other.body, wrong.body)
  assert.equal(wrong.headers['www-authenticate'], undefined)
})

test('signing in to a deactivated account says so only if the password is correct', async () => {
  const world = await newWorld()
  const { id, email } = await addPerson(world)
  await world.ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', id).execute()
  const right = await post(world.app, 'fetch_api_key', { username: email, password }, world.host)
  const wrong = await post(world.app, 'fetch_api_key', { username: email, password: 'guess' }, world.host)
  assert.deepEqual([right.status, right.code], [401, 'USER_DEACTIVATED'])
  assert.equal(wrong.code, 'AUTHENTICATION_FAILED')
})

test('in a deactivated organization nobody signs in', async () => {
  const world = await newWorld()
  const { email } = await addPerson(world)
  await world.ctx.db.updateTable('realms').set({ deactivated: true }).where('id', '=', world.realmId).execute()
  world.ctx.realms.drop(world.realmId)
  const answer = await post(world.app, 'fetch_api_key', { username: email, password }, world.host)
  assert.deepEqual([answer.status, answer.code], [401, 'REALM_DEACTIVATED'])
})

test('at a host without an organization nobody signs in', async () => {
  const { app } = await newWorld()
  const answer = await post(app, 'fetch_api_key', { username: 'a@b.c', password }, 'elsewhere.example')
  assert.deepEqual([answer.status, answer.code], [404, 'NONEXISTENT_SUBDOMAIN'])
})

test('an account of another organization does not exist here', async () => {
  const world = await newWorld()
  const elsewhere = await newWorld()
  const { email } = await addPerson(elsewhere)
  const answer = await post(world.app, 'fetch_api_key', { username: email, password }, world.host)
  assert.deepEqual([answer.status, answer.code], [401, 'AUTHENTICATION_FAILED'])
})

test('a missing user name or password is named in the error', async () => {
  const { app, host } = await newWorld()
  const noName = await post(app, 'fetch_api_key', { password }, host)
  const noPassword = await post(app, 'fetch_api_key', { username: 'a@b.c' }, host)
  assert.deepEqual([noName.code, noName.body.var_name], ['REQUEST_VARIABLE_MISSING', 'username'])
  assert.deepEqual([noPassword.code, noPassword.body.var_name], ['REQUEST_VARIABLE_MISSING', 'password'])
})

test('after five failures from one IP address, the account refuses that IP address for half an hour, but not others', async () => {
  const world = await newWorld()
  const { app, host, ctx } = world
  const { email } = await addPerson(world)
  const from = newAddress()
  const guesses = await Promise.all(
    Array.from({ length: 8 }, () => post(app, 'fetch_api_key', { username: email, password: 'guess' }, host, from)),
  )
  assert.equal(guesses.filter(({ code }) => code === 'AUTHENTICATION_FAILED').length, 5)
  assert.equal(guesses.filter(({ status }) => status === 429).length, 3)

  assert.equal((await post(app, 'fetch_api_key', { username: email, password }, host)).status, 200)
  const closed = await post(app, 'fetch_api_key', { username: email, password }, host, from)
  assert.deepEqual([closed.status, closed.code], [429, 'RATE_LIMIT_HIT'])
  const wait = closed.body['retry-after']
  assert.ok(wait > 1790 && wait <= 1800, `retry-after is ${wait}`)
  assert.equal(closed.headers['retry-after'], String(Math.ceil(wait)))

  await ctx.db
    .updateTable('login_failures')
    .set({ window_start: new Date(Date.now() - 31 * 60_000) })
    .execute()
  assert.equal((await post(app, 'fetch_api_key', { username: email, password }, host, from)).status, 200)
})

test('after a hundred failures from many IP addresses, an account refuses all of them', async () => {
  const world = await newWorld()
  const { app, host, ctx } = world
  const { email } = await addPerson(world)
  await post(app, 'fetch_api_key', { username: email, password: 'guess' }, host)
  await ctx.db.updateTable('login_failures').set({ failures: 100 }).where('key', 'like', 'account %').execute()
  const closed = await post(app, 'fetch_api_key', { username: email, password }, host)
  await ctx.db.deleteFrom('login_failures').execute()
  assert.equal(closed.code, 'RATE_LIMIT_HIT')
})

test('200 correct sign-ins at once from one IP address all get in, also under rate limits', async () => {
  const world = await newWorld()
  const { ctx, host } = world
  const app = limited(world)
  const emails = await addOffice(world, 200)
  const from = newAddress()
  const signIns = await Promise.all(
    emails.map((username) => post(app, 'fetch_api_key', { username, password }, host, from)),
  )
  assert.deepEqual(
    signIns.filter(({ status }) => status !== 200),
    [],
  )
  const failures = await ctx.db.selectFrom('login_failures').selectAll().where('key', 'like', `%${from}`).execute()
  assert.deepEqual(failures, [])
})

test('20 correct sign-ins at once to one account all get in', async () => {
  const world = await newWorld()
  const [email] = await addOffice(world, 1)
  const from = newAddress()
  const signIns = await Promise.all(
    Array.from({ length: 20 }, () => post(world.app, 'fetch_api_key', { username: email, password }, world.host, from)),
  )
  assert.ok(signIns.every(({ status }) => status === 200))
})

test('a refused attempt is not a failure', async () => {
  const world = await newWorld()
  const { app, host, ctx } = world
  const { email } = await addPerson(world)
  const from = newAddress()
  const values = { key: `address ${from}`, failures: 1000, window_start: new Date() }
  await ctx.db.insertInto('login_failures').values(values).execute()
  for (let n = 0; n < 3; n++) await post(app, 'fetch_api_key', { username: email, password }, host, from)
  const rows = await ctx.db.selectFrom('login_failures').select('failures').where('key', 'like', `%${from}`).execute()
  assert.deepEqual(rows, [{ failures: 1000 }])
})

test('signing in successfully costs nothing of the allowance', async () => {
  const world = await newWorld()
  const { app, host } = world
  const { email } = await addPerson(world)
  for (let n = 0; n < 6; n++)
    assert.equal((await post(app, 'fetch_api_key', { username: email, password }, host)).status, 200)
})

test('after a thousand failures an IP address may not guess at any account', async () => {
  const world = await newWorld()
  const { app, host, ctx } = world
  const { email } = await addPerson(world)
  const from = newAddress()
  await ctx.db
    .insertInto('login_failures')
    .values({ key: `address ${from}`, failures: 999, window_start: new Date() })
    .execute()

  const last = await post(app, 'fetch_api_key', { username: `nobody@${host}`, password }, host, from)
  const beyond = await post(app, 'fetch_api_key', { username: email, password }, host, from)
  const neighbour = await post(app, 'fetch_api_key', { username: email, password }, host)

  assert.equal(last.code, 'AUTHENTICATION_FAILED')
  assert.equal(beyond.code, 'RATE_LIMIT_HIT')
  assert.ok(beyond.body['retry-after'] <= 900)
  assert.equal(neighbour.status, 200)
})

test('in production nobody signs in without a password, and nobody is listed', async () => {
  const { app, host, ann } = await newWorld()
  const answer = await post(app, 'dev_fetch_api_key', { username: ann.credentials.email }, host)
  const list = await app.inject({ url: '/api/v1/dev_list_users', headers: { host } })
  const missing = await post(app, 'dev_fetch_api_key', {}, host)
  assert.deepEqual([answer.status, answer.code], [400, 'BAD_REQUEST'])
  assert.deepEqual([list.statusCode, list.json().code], [400, 'BAD_REQUEST'])
  assert.equal(missing.code, 'REQUEST_VARIABLE_MISSING')
})

test('the demo server returns the API key for the email alone', async () => {
  const world = await newWorld()
  const { ann, host } = world
  const { body } = await post(demo(world), 'dev_fetch_api_key', { username: `ANN@${host}` }, host)
  assert.deepEqual([body.api_key, body.email, body.user_id], [ann.credentials.key, ann.credentials.email, ann.id])
})

test('the demo server refuses in this order: no organization, no email, deactivated, elsewhere, unknown', async () => {
  const world = await newWorld()
  const elsewhere = await newWorld()
  const { ctx, host, ben } = world
  const app = demo(world)
  const refusal = async (username: string, at = host) => {
    const { status, code } = await post(app, 'dev_fetch_api_key', { username }, at)
    return [status, code]
  }
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', ben.id).execute()

  assert.deepEqual(await refusal('nonsense', 'elsewhere.example'), [404, 'NONEXISTENT_SUBDOMAIN'])
  assert.deepEqual(await refusal('nonsense'), [400, 'BAD_REQUEST'])
  assert.deepEqual(await refusal(ben.credentials.email), [401, 'USER_DEACTIVATED'])
  assert.deepEqual(await refusal(elsewhere.ann.credentials.email), [404, 'NONEXISTENT_SUBDOMAIN'])
  assert.deepEqual(await refusal('ann@x.y'), [401, 'AUTHENTICATION_FAILED'])
  assert.deepEqual(await refusal(`welcome-bot@${host}`), [401, 'AUTHENTICATION_FAILED'])

  await ctx.db.updateTable('realms').set({ deactivated: true }).where('id', '=', world.realmId).execute()
  ctx.realms.drop(world.realmId)
  assert.deepEqual(await refusal(ben.credentials.email), [401, 'REALM_DEACTIVATED'])
})

test('the demo server lists its users, administrators separately', async () => {
  const world = await newWorld()
  const { host } = world
  await world.add('helper', roles.member, { bot_type: 1 })
  const answer = await demo(world).inject({ url: '/api/v1/dev_list_users', headers: { host } })

  assertResponse('devListUsers', answer.json())
  const entry = (name: string) => ({ email: `${name}@${host}`, realm_url: `http://${host}` })
  assert.deepEqual(answer.json().direct_admins, ['olga', 'adam'].map(entry))
  assert.deepEqual(answer.json().direct_users, ['mona', 'ann', 'ben', 'gus'].map(entry))
})

test('a password that is replaced while a sign-in waits for its turn does not get in', async () => {
  const world = await newWorld()
  const { id, email } = await addPerson(world)
  const from = newAddress()
  const others = Array.from({ length: 10 }, (_, n) => `nobody${n}@${world.host}`)
  const waiting = [...others, email].map((username) =>
    post(world.app, 'fetch_api_key', { username, password }, world.host, from),
  )
  await setTimeout(200) // the account is read
  const password_hash = await hash('another sentence', { memoryCost: 1024, timeCost: 1 })
  await world.ctx.db.updateTable('users').set({ password_hash }).where('id', '=', id).execute()
  assert.equal((await Promise.all(waiting)).at(-1)!.code, 'AUTHENTICATION_FAILED')
})
