import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getOwnUser } from '@parley/api/people/users'
import { sql } from 'kysely'
import { buildApp } from '../../../http/app.ts'
import { column } from '../../../platform/db/query.ts'
import { withoutChallenges } from '../../../testing/peers/passkey.ts'
import { newWorld } from '../../../testing/world.ts'
import { hashPassword } from '../../passwords/passwords.ts'
import { reportFailedSignIns } from '../../sessions/sign-in-notices.ts'

const { ctx, app, ann, ben, host } = await newWorld()
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)
await ctx.db.updateTable('users').set({ password_hash }).where('id', 'in', [ann.id, ben.id]).execute()

const own = { origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }

function post(url: string, form: Record<string, string>, headers: Record<string, string> = own, server = app) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams(form).toString()
  return server.inject({ method: 'POST', url, headers: { host, ...type, ...headers }, payload })
}

const login = (form = {}, headers = own, server = app) =>
  post('/login', { email: ann.credentials.email, password, ...form }, headers, server)

const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['set-cookie'] ?? '').split(';')[0]!

const open = (url: string, cookie = '') => app.inject({ url, headers: { host, cookie, accept: 'text/html' } })

test('the list of sessions leads to sign-in, and after it says who is signed in', async () => {
  assert.equal((await open('/sessions')).headers.location, '/login')
  const response = await login()
  assert.equal(response.statusCode, 303)
  assert.equal(response.headers.location, '/')
  const home = await open('/sessions', cookieOf(response))
  assert.match(home.body, /You are signed in as Ann/)
  assert.equal((await open('/login', cookieOf(response))).headers.location, '/')
})

test('a wrong password and an unknown email are answered alike; the email is kept, the password is not', async () => {
  const bodies = []
  for (const email of [ben.credentials.email, `nobody@${host}`]) {
    const { statusCode, body, headers } = await login({ email, password: 'guess "1"', shared_computer: 'true' })
    assert.equal(headers['set-cookie'], undefined)
    assert.match(body, new RegExp(`value="${email}"`))
    assert.match(body, /id="shared_computer"[^>]* checked/)
    assert.doesNotMatch(body, /guess/)
    bodies.push(`${statusCode} ${withoutChallenges(body.replaceAll(email, '…'))}`)
  }
  assert.equal(bodies[0], bodies[1])
})

test('pages of other sites can neither sign a browser in nor out', async () => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  assert.equal((await login({}, foreign)).statusCode, 403)
  const cookie = cookieOf(await login())
  assert.equal((await post('/logout', {}, { ...foreign, cookie })).statusCode, 403)
  assert.equal((await post('/logout', {}, { cookie })).statusCode, 403) // a browser would say where the form is
  assert.equal((await open('/sessions', cookie)).statusCode, 200)
})

test('signing out ends the session and clears what the browser stored', async () => {
  const cookie = cookieOf(await login())
  const response = await post('/logout', {}, { ...own, cookie })
  assert.equal(response.headers.location, '/sessions')
  assert.match(String(response.headers['clear-site-data']), /cookies/)
  assert.equal((await open('/sessions', cookie)).headers.location, '/login')
})

test('one other session, or all others and the API key, can be ended', async () => {
  const [mine, other, third] = [await login(), await login(), await login()].map(cookieOf) as [string, string, string]
  const [, id] = /action="\/logout\/(\d+)"/.exec((await open('/sessions', mine)).body)!
  await post(`/logout/${id}`, {}, { ...own, cookie: mine })
  const ended = [(await open('/sessions', other)).statusCode, (await open('/sessions', third)).statusCode].sort()
  assert.deepEqual(ended, [200, 303])
  await post('/logout/others', {}, { ...own, cookie: mine })
  assert.deepEqual(
    [(await open('/sessions', other)).statusCode, (await open('/sessions', third)).statusCode],
    [303, 303],
  )
  assert.equal((await open('/sessions', mine)).statusCode, 200)
  assert.equal((await ann.isRefused(getOwnUser)).code, 'UNAUTHORIZED')
})

test('a shared computer gets a cookie that ends with the browser', async () => {
  assert.match(String((await login()).headers['set-cookie']), /Max-Age/)
  assert.doesNotMatch(String((await login({ shared_computer: 'true' })).headers['set-cookie']), /Max-Age/)
})

test('only the demo signs in an account without its password', async () => {
  assert.equal((await post('/login', { pick: ben.credentials.email })).statusCode, 400)
  assert.equal((await post('/login', { email: ben.credentials.email })).headers['set-cookie'], undefined)
  assert.doesNotMatch((await open('/login')).body, /name="pick"/)
  const demo = buildApp({ ...ctx, config: { ...ctx.config, mode: 'demo' } })
  test.after(() => demo.close())
  const page = await demo.inject({ url: '/login', headers: { host } })
  assert.match(page.body, new RegExp(`name="pick" value="${ben.credentials.email}"`))
  const picked = await post('/login', { pick: ben.credentials.email }, own, demo)
  assert.match((await open('/sessions', cookieOf(picked))).body, /signed in as Ben/)
})

const noticesTo = ({ id }: { id: number }) =>
  column<string>(ctx.db)`
    select payload ->> 'template' from jobs.jobs where payload ->> 'user_id' = ${String(id)} order by id`

test('a sign-in from a new device is reported to the user, the first one is not', async () => {
  await sql`delete from jobs.jobs`.execute(ctx.db)
  const email = ben.credentials.email
  await sql`delete from sign_in_places`.execute(ctx.db)
  const from = (agent: string) => login({ email }, { ...own, 'user-agent': agent } as typeof own)
  await from('Firefox/1 Windows')
  await from('Firefox/2 Windows')
  assert.deepEqual(await noticesTo(ben), [])
  await from('Chrome/1 Linux')
  assert.deepEqual(await noticesTo(ben), ['new_sign_in'])
  await sql`update users set settings = settings || '{"enable_login_emails": false}' where id = ${ben.id}`.execute(
    ctx.db,
  )
  await from('Safari/1 iPhone')
  assert.deepEqual(await noticesTo(ben), ['new_sign_in'])
})

test('too many wrong passwords are reported to the user, once an hour, whether or not the account exists', async () => {
  await sql`delete from jobs.jobs`.execute(ctx.db)
  for (const email of [ben.credentials.email, `nobody@${host}`])
    for (let count = 0; count < 6; count++) await login({ email, password: 'wrong' })
  const jobs = await column<Parameters<typeof reportFailedSignIns>[1]>(ctx.db)`
    select payload from jobs.jobs where task = 'report_failed_sign_ins'`
  assert.equal(jobs.length, 2)
  for (const job of [...jobs, ...jobs]) await reportFailedSignIns(ctx, job)
  assert.deepEqual(await noticesTo(ben), ['failed_sign_ins'])
})

test('a server without the web client shows the sessions at its home page', async () => {
  const plain = buildApp({ ...ctx, config: { ...ctx.config, hasWebClient: false } })
  test.after(() => plain.close())
  assert.equal((await plain.inject({ url: '/', headers: { host } })).headers.location, '/sessions')
})
