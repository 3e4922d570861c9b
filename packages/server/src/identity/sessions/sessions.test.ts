import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deactivateUser, reactivateUser, revokeUserKeys } from '@parley/api/identity/accounts'
import { endUserSession, getUserSessions } from '@parley/api/identity/sessions'
import { storageLimits } from '@parley/api/limits'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { buildApp } from '../../http/app.ts'
import { encode } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { assertResponse } from '../../testing/schema.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { endExpiredCredentials } from './stored-credentials.ts'

const password = 'correct horse battery staple'
const hash = hashPassword(password)
const newToken = new URLSearchParams({ name: 'laptop', password }).toString()

/** A world in which Ann has a password. */
async function signInWorld(): Promise<World> {
  const world = await newWorld()
  await setHash(world, world.ann.id)
  return world
}

async function setHash({ ctx }: World, id: number): Promise<void> {
  await ctx.db
    .updateTable('users')
    .set({ password_hash: await hash })
    .where('id', '=', id)
    .execute()
}

/** A browser: sends its cookie, and the headers of our pages with writes. */
class Browser {
  cookie: string | undefined
  readonly #world: World
  readonly #app: FastifyInstance

  constructor(world: World, app: FastifyInstance = world.app) {
    this.#world = world
    this.#app = app
  }

  async asks(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, more: Record<string, string> = {}, body = '') {
    const { host } = this.#world
    const page = method === 'GET' ? {} : { origin: `http://${host}`, 'parley-client': 'web' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { host, ...page, ...(body && form), ...(this.cookie && { cookie: this.cookie }), ...more }
    const url = path.startsWith('/') ? path : `/api/v1/${path}`
    const answer = await this.#app.inject({ method, url, headers, payload: body })
    const [set] = (answer.headers['set-cookie'] ?? []) as string[]
    if (set) this.cookie = set.split(';')[0]
    return { status: answer.statusCode, headers: answer.headers, body: json(answer.body) }
  }

  async signsIn(username: string, more: Record<string, string> = {}) {
    const body = new URLSearchParams({ username, password, ...more }).toString()
    return this.asks('POST', 'sessions', { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' }, body)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of many operations
function json(text: string): any {
  return text.startsWith('{') ? JSON.parse(text) : text
}

async function signedIn(world: World, app?: FastifyInstance): Promise<Browser> {
  const browser = new Browser(world, app)
  const { status, body } = await browser.signsIn(world.ann.credentials.email)
  assert.equal(status, 200, JSON.stringify(body))
  return browser
}

test('signing in sets a cookie that scripts cannot read and other sites cannot send, and that answers as the user', async () => {
  const world = await signInWorld()
  const browser = new Browser(world)
  const { headers, body } = await browser.signsIn(world.ann.credentials.email)
  assertResponse('createSession', body)
  const [secret, account] = headers['set-cookie'] as string[]
  assert.match(secret!, /^parley=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/)
  assert.equal(account, `parley-account=${world.ann.id}; Path=/; SameSite=Lax; Max-Age=31536000`)
  assert.equal((await browser.asks('GET', 'users/me')).body.user_id, world.ann.id)
})

test('a session holds the permissions of the groups of its user', async () => {
  const world = await signInWorld()
  await inChannel('verona', [world.ann])
  const browser = new Browser(world)
  await browser.signsIn(world.ann.credentials.email)
  const message = new URLSearchParams({ type: 'stream', to: 'verona', topic: 'hi', content: 'from a browser' })
  assert.equal((await browser.asks('POST', 'messages', {}, message.toString())).status, 200)
})

test('behind HTTPS the cookie is bound to the host, and the plain one is not accepted in its place', async () => {
  const world = await signInWorld()
  const app = buildApp({ ...world.ctx, config: { ...world.ctx.config, trustProxy: ['127.0.0.1'] } })
  const browser = new Browser(world, app)
  const https = { 'x-forwarded-proto': 'https' }
  const body = new URLSearchParams({ username: world.ann.credentials.email, password }).toString()
  const { headers } = await browser.asks('POST', 'sessions', https, body)
  assert.match(headers['set-cookie']![0]!, /^__Host-parley=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/)
  assert.equal((await browser.asks('GET', 'users/me', https)).status, 200)
  browser.cookie = browser.cookie!.replace('__Host-', '')
  assert.equal((await browser.asks('GET', 'users/me', https)).status, 401)
  await app.close()
})

test('a plain cookie that was planted beside the secure one changes nothing', async () => {
  const world = await signInWorld()
  await setHash(world, world.ben.id)
  const planted = new Browser(world)
  await planted.signsIn(world.ben.credentials.email)
  const app = buildApp({ ...world.ctx, config: { ...world.ctx.config, trustProxy: ['127.0.0.1'] } })
  const browser = new Browser(world, app)
  const https = { 'x-forwarded-proto': 'https' }
  await browser.asks('POST', 'sessions', https, encode({ username: world.ann.credentials.email, password }))
  browser.cookie = `${planted.cookie}; ${browser.cookie}`
  assert.equal((await browser.asks('GET', 'users/me', https)).body.user_id, world.ann.id)
  await app.close()
})

test('a session has the permissions that groups give its user', async () => {
  const browser = await signedIn(await signInWorld())
  const { status, body } = await browser.asks('POST', 'user_groups/create', {}, 'name=crew&description=&members=[]')
  assert.equal(status, 200, JSON.stringify(body))
})

test('a wrong password starts no session', async () => {
  const world = await signInWorld()
  const browser = new Browser(world)
  const answer = await browser.signsIn(world.ann.credentials.email, { password: 'guess' })
  assert.deepEqual([answer.status, answer.body.code], [401, 'AUTHENTICATION_FAILED'])
  assert.equal(answer.headers['set-cookie'], undefined)
})

test('without a password only the demo server starts a session', async () => {
  const world = await signInWorld()
  const body = new URLSearchParams({ username: world.ann.credentials.email }).toString()
  assert.equal((await new Browser(world).asks('POST', 'sessions', {}, body)).status, 400)
  const demo = new Browser(world, buildApp({ ...world.ctx, config: { ...world.ctx.config, mode: 'demo' } }))
  assert.equal((await demo.asks('POST', 'sessions', {}, body)).body.user_id, world.ann.id)
})

test('a planted cookie is replaced when the user signs in', async () => {
  const world = await signInWorld()
  const browser = new Browser(world)
  browser.cookie = `parley=${'A'.repeat(43)}`
  await browser.signsIn(world.ann.credentials.email)
  assert.notEqual(browser.cookie, `parley=${'A'.repeat(43)}`)
})

test('signing in with the session of another user in the browser starts a new one', async () => {
  const world = await signInWorld()
  await setHash(world, world.ben.id)
  const [attacker, victim] = [new Browser(world), new Browser(world)]
  await attacker.signsIn(world.ben.credentials.email)
  victim.cookie = attacker.cookie
  await victim.signsIn(world.ann.credentials.email)
  assert.notEqual(victim.cookie, attacker.cookie)
  const whoAmI = async (browser: Browser) => (await browser.asks('GET', 'users/me')).body.user_id
  assert.deepEqual([await whoAmI(victim), await whoAmI(attacker)], [world.ann.id, world.ben.id])
})

/** Tries a password of Ann, from an IP address that no other test uses. */
function attempt({ app, host, ann }: World, url: string, secret: string, remoteAddress: string) {
  const username = ann.credentials.email
  return app.inject({
    method: 'POST',
    url,
    headers: { host, origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ username, email: username, password: secret }).toString(),
    remoteAddress,
  })
}

test('guesses at sessions, API keys and the sign-in page share one limit', async () => {
  const world = await signInWorld()
  const paths = ['/api/v1/sessions', '/api/v1/fetch_api_key', '/login']
  for (const path of [...paths, ...paths.slice(0, 2)]) await attempt(world, path, 'wrong', '10.1.2.3')
  for (const path of paths) assert.equal((await attempt(world, path, password, '10.1.2.3')).statusCode, 429, path)
  assert.equal((await attempt(world, paths[0]!, password, '10.1.2.4')).statusCode, 200)
})

test('one IP address that tries passwords of many accounts is stopped', async () => {
  const world = await signInWorld()
  const values = { key: 'address 10.1.2.5', failures: 1000, window_start: new Date() }
  await world.ctx.db.insertInto('login_failures').values(values).execute()
  const { headers, statusCode } = await attempt(world, '/api/v1/sessions', password, '10.1.2.5')
  assert.deepEqual([statusCode, headers['set-cookie']], [429, undefined])
})

test('a write with the cookie needs the origin and the header of our pages', async () => {
  const world = await signInWorld()
  const browser = await signedIn(world)
  const { host, ctx } = world
  const headers = { host, cookie: browser.cookie!, 'content-type': 'application/x-www-form-urlencoded' }
  const own = { origin: `http://${host}`, 'parley-client': 'web' }
  const write = (more: object) =>
    world.app.inject({
      method: 'POST',
      url: '/api/v1/users/me/alert_words',
      headers: { ...headers, ...more },
      payload: 'alert_words=["x"]',
    })

  for (const more of [
    {},
    { origin: own.origin },
    { 'parley-client': 'web' },
    { ...own, origin: 'https://evil.example' },
  ])
    assert.equal((await write(more)).json().code, 'CSRF_FAILED')
  assert.deepEqual(
    await ctx.db.selectFrom('alert_words').selectAll().where('realm_id', '=', world.realmId).execute(),
    [],
  )
  assert.equal((await write(own)).statusCode, 200)
})

test('a cookie together with an API key is refused', async () => {
  const world = await signInWorld()
  const browser = await signedIn(world)
  const authorization = world.ann.headers.authorization!
  const answer = await browser.asks('GET', 'users/me', { authorization })
  assert.deepEqual([answer.status, answer.body.code], [400, 'BAD_REQUEST'])
})

test('long polls accept the cookie', async () => {
  const world = await signInWorld()
  const browser = await signedIn(world)
  const { queue_id } = (await browser.asks('POST', 'register')).body
  await world.ann.sends({ to: [world.ann], content: 'hi' })
  const { body } = await browser.asks('GET', `events?queue_id=${queue_id}&last_event_id=-1`)
  assert.equal(body.events[0].type, 'message')
})

test('users see their own sessions, with device and last use, and which one they use', async () => {
  const world = await signInWorld()
  const first = await signedIn(world)
  const second = await signedIn(world)
  const { body } = await second.asks('GET', 'sessions')
  assertResponse('getSessions', body)
  assert.deepEqual(
    body.sessions.map((session: { device: string; is_current: boolean }) => [session.device, session.is_current]),
    [
      ['Firefox on Linux', true],
      ['Firefox on Linux', false],
    ],
  )
  assert.equal((await first.asks('GET', 'sessions')).body.sessions.length, 2)
})

test('a user has a limited number of sessions: the next sign-in ends the one that was not used for longest', async () => {
  const world = await signInWorld()
  const [oldest, used] = [await signedIn(world), await signedIn(world)]
  const { ctx, realmId, ann } = world
  await sql`
    insert into credentials (realm_id, user_id, kind, name, secret_hash, user_agent, ip_address, idle_seconds, used_at)
    select ${realmId}, ${ann.id}, 'session', '', sha256(n::text::bytea), '', '', 86400, now() - interval '1 hour'
      from generate_series(1, ${storageLimits.sessions - 2}) n`.execute(ctx.db)
  await sql`
    update credentials set used_at = now() - interval '2 hours'
     where id = (select min(id) from credentials where realm_id = ${realmId} and user_id = ${ann.id})`.execute(ctx.db)
  const newest = await signedIn(world)
  assert.equal((await newest.asks('GET', 'sessions')).body.sessions.length, storageLimits.sessions)
  assert.equal((await used.asks('GET', 'sessions')).status, 200)
  assert.equal((await oldest.asks('GET', 'sessions')).status, 401)
})

/** Polls like a client, again after each answer without an error, until it is refused. */
async function pollsUntilRefused(browser: Browser, queue: { queue_id: string; last_event_id: number }) {
  const url = `events?queue_id=${queue.queue_id}&last_event_id=${queue.last_event_id}`
  for (;;) {
    const { status, body } = await browser.asks('GET', url)
    if (status !== 200) return body.code
  }
}

async function otherSessionOf(browser: Browser): Promise<number> {
  const { sessions } = (await browser.asks('GET', 'sessions')).body
  return sessions.find((session: { is_current: boolean }) => !session.is_current).id
}

/** A poll that arrives after the end finds neither session nor queue. */
const ended = ['BAD_EVENT_QUEUE_ID', 'UNAUTHORIZED']

test('ending a session ends its queues at once, and no others', async () => {
  const world = await signInWorld()
  const [first, second] = [await signedIn(world), await signedIn(world)]
  const queues = [(await first.asks('POST', 'register')).body, (await second.asks('POST', 'register')).body]
  const refused = pollsUntilRefused(first, queues[0])
  assert.equal((await second.asks('DELETE', `sessions/${await otherSessionOf(second)}`)).status, 200)

  const left = await world.ctx.db.selectFrom('queues').select('id').where('realm_id', '=', world.realmId).execute()
  assert.deepEqual(left, [{ id: queues[1].queue_id }])
  assert.ok(ended.includes(await refused))
  assert.equal((await first.asks('GET', 'users/me')).status, 401)
  const poll = `events?queue_id=${queues[1].queue_id}&last_event_id=-1&dont_block=true`
  assert.equal((await second.asks('GET', poll)).status, 200)
})

test('a session that is ended in one process ends in all others within a second', async (t) => {
  const world = await signInWorld()
  const ctx = await createContext(world.ctx.config, world.ctx.pool.options.connectionString!)
  const app = buildApp(ctx)
  t.after(async () => {
    await app.close()
    await closeContext(ctx)
  })
  const here = await signedIn(world)
  // On a busy machine, one of several attempts is as fast as it should be.
  await until(async () => {
    const there = await signedIn(world, app)
    const refused = pollsUntilRefused(there, (await there.asks('POST', 'register')).body)
    assert.equal((await here.asks('DELETE', `sessions/${await otherSessionOf(here)}`)).status, 200)
    const start = performance.now()
    await until(async () => (await there.asks('GET', 'users/me')).status === 401)
    assert.ok(ended.includes(await refused))
    return performance.now() - start < 1000
  }, 5)
})

test('nobody ends a session of another user', async () => {
  const world = await signInWorld()
  await setHash(world, world.ben.id)
  const browser = await signedIn(world)
  const [session] = (await browser.asks('GET', 'sessions')).body.sessions
  const ben = new Browser(world)
  await ben.signsIn(world.ben.credentials.email)
  assert.equal((await ben.asks('DELETE', `sessions/${session.id}`)).body.msg, 'You have no such session.')
  assert.equal((await browser.asks('GET', 'users/me')).status, 200)
})

test('signing out ends the session and clears what the browser stored', async () => {
  const world = await signInWorld()
  const browser = await signedIn(world)
  const kept = browser.cookie
  const { headers } = await browser.asks('DELETE', 'sessions/current')
  assert.equal(headers['clear-site-data'], '"cache", "cookies", "storage"')
  for (const cookie of headers['set-cookie'] as string[]) assert.match(cookie, /^parley(-account)?=; .*Max-Age=0$/)
  browser.cookie = kept
  assert.equal((await browser.asks('GET', 'users/me')).status, 401)
})

test('signing out everywhere else ends other sessions, tokens and the API key, and keeps this session', async () => {
  const world = await signInWorld()
  const [here, there] = [await signedIn(world), await signedIn(world)]
  const { queue_id } = (await here.asks('POST', 'register')).body
  const { token } = (await here.asks('POST', 'tokens', {}, newToken)).body
  assert.equal((await here.asks('DELETE', 'sessions/others')).status, 200)

  assert.equal((await there.asks('GET', 'users/me')).status, 401)
  const bearer = { host: world.host, authorization: `Bearer ${token}` }
  assert.equal((await world.app.inject({ url: '/api/v1/users/me', headers: bearer })).statusCode, 401)
  assert.equal((await world.app.inject({ url: '/api/v1/users/me', headers: world.ann.headers })).statusCode, 401)
  assert.equal((await here.asks('GET', `events?queue_id=${queue_id}&dont_block=true`)).status, 200)
})

test('a password change ends the other sessions and keeps the one that made it', async () => {
  const world = await signInWorld()
  const [here, there] = [await signedIn(world), await signedIn(world)]
  const body = new URLSearchParams({ old_password: password, new_password: 'another long phrase 42' }).toString()
  assert.equal((await here.asks('PATCH', 'settings', {}, body)).status, 200)
  assert.equal((await here.asks('GET', 'users/me')).status, 200)
  assert.equal((await there.asks('GET', 'users/me')).status, 401)
})

test('deactivation and revocation by an administrator end sessions and tokens, and reactivation does not bring them back', async () => {
  const world = await signInWorld()
  const path = { user_id: world.ann.id }
  const [first, second] = [await signedIn(world), new Browser(world)]
  await world.adam.does(deactivateUser, { path })
  assert.equal((await first.asks('GET', 'users/me')).status, 401)
  await world.adam.does(reactivateUser, { path })
  assert.equal((await first.asks('GET', 'users/me')).status, 401)
  await second.signsIn(world.ann.credentials.email)
  const { token } = (await second.asks('POST', 'tokens', {}, newToken)).body
  const withToken = () => new Browser(world).asks('GET', 'users/me', { authorization: `Bearer ${token}` })
  assert.equal((await withToken()).status, 200)
  await world.adam.does(revokeUserKeys, { path })
  assert.equal((await second.asks('GET', 'users/me')).status, 401)
  assert.equal((await withToken()).status, 401)
})

test('a session ends when it was not used for 30 days, after a year, and on shared computers after hours', async () => {
  const world = await signInWorld()
  const days = (count: number) => new Date(Date.now() - count * 86_400_000)
  for (const [change, shared] of [
    [{ used_at: days(31) }, 'false'],
    [{ expires_at: days(1) }, 'false'],
    [{ used_at: days(0.5) }, 'true'],
  ] as const) {
    const browser = new Browser(world)
    const { headers } = await browser.signsIn(world.ann.credentials.email, { shared_computer: shared })
    const [secret, account] = headers['set-cookie'] as string[]
    assert.equal(secret!.includes('Max-Age'), shared === 'false')
    assert.equal(/^parley-account=\d+;/.test(account!), shared === 'false') // nothing may be stored on a shared computer
    await world.ctx.db.updateTable('credentials').set(change).where('realm_id', '=', world.realmId).execute()
    world.ctx.realms.drop(world.realmId)
    assert.equal((await browser.asks('GET', 'users/me')).body.msg, 'Your session has ended. Sign in again.')
    await endExpiredCredentials(world.ctx)
    const left = await world.ctx.db
      .selectFrom('credentials')
      .select('id')
      .where('realm_id', '=', world.realmId)
      .execute()
    assert.deepEqual(left, [])
  }
})

test('the secret of a session is stored only as a hash', async () => {
  const world = await signInWorld()
  const browser = await signedIn(world)
  const secret = browser.cookie!.split('=')[1]!
  const rows = await world.ctx.db.selectFrom('credentials').selectAll().where('realm_id', '=', world.realmId).execute()
  const audit = await world.ctx.db.selectFrom('audit_log').selectAll().where('realm_id', '=', world.realmId).execute()
  assert.ok(!JSON.stringify([rows, audit]).includes(secret))
  assert.ok(rows.every(({ secret_hash }) => secret_hash.length === 32))
})

test('administrators see and end the sessions of members; only owners those of owners', async () => {
  const world = await signInWorld()
  const { adam, olga, ann, ben, app } = world
  const browser = new Browser(world, app)
  await browser.signsIn(ann.credentials.email)
  const path = { user_id: ann.id }
  const [session] = (await adam.does(getUserSessions, { path })).sessions
  assert.equal(session!.is_current, false)
  await ben.isRefused(getUserSessions, { path })
  await adam.isRefused(getUserSessions, { path: { user_id: olga.id } })
  assert.equal(
    (await adam.isRefused(endUserSession, { path: { user_id: ben.id, session_id: session!.id } })).msg,
    noSuchSession,
  )
  await adam.does(endUserSession, { path: { ...path, session_id: session!.id } })
  assert.equal((await browser.asks('GET', 'users/me')).status, 401)
  assert.deepEqual((await adam.does(getUserSessions, { path })).sessions, [])
})

const noSuchSession = 'This user has no such session.'
