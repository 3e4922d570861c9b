import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import pg from 'pg'
import { buildApp } from '../../../http/app.ts'
import { RealmHosts } from '../../../organization/realms/hosts.ts'
import { column } from '../../../platform/db/query.ts'
import { browserTest, checkLook } from '../../../testing/browser.ts'
import { emptyServer } from '../../../testing/world.ts'
import { hasOrganization, renewStartLink } from '../../accounts/first-run.ts'

const { ctx, ownerUrl } = await emptyServer()
let app = buildApp(ctx)
after(() => app.close())
const host = 'chat.example.com'
const own = { host, origin: `https://${host}`, 'content-type': 'application/x-www-form-urlencoded' }
const post = (url: string, form: Record<string, string>, cookie = '') =>
  app.inject({ method: 'POST', url, headers: { ...own, cookie }, payload: new URLSearchParams(form).toString() })
const organization = { step: 'organization', name: 'Harbour Labs', host }
const owner = { ...organization, step: 'owner', full_name: 'Olivia', email: 'olivia@example.com' }
const password = 'quite a long sentence'

/** A new server on an empty database; the link that it prints. */
async function empty(): Promise<string> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  await client.query('truncate realms, start_links cascade')
  await client.end()
  await app.close()
  app = buildApp({ ...ctx, hosts: new RealmHosts(ctx.db) })
  return (await renewStartLink(ctx))!
}

test('the sign-in page of an empty server says where the link is', async () => {
  await empty()
  assert.match((await app.inject({ url: '/login', headers: { host } })).body, /open the link that the server printed/)
})

test('every start replaces the link, and its token is not in the database', async () => {
  const [first, second] = [await empty(), (await renewStartLink(ctx))!]
  assert.equal((await app.inject({ url: first, headers: { host } })).statusCode, 404)
  assert.equal((await app.inject({ url: second, headers: { host } })).statusCode, 200)
  const [row] = await column<string>(ctx.db)`select start_links::text from start_links`
  assert.ok(!row!.includes(second.split('/').at(-1)!))
})

test('a refused step is shown again with its error and what was typed, but not the password', async () => {
  const link = await empty()
  assert.match((await post(link, { ...organization, name: ' ' })).body, /id="name-error".*1 to 40 characters/s)
  assert.match((await post(link, { ...organization, host: 'not a host' })).body, /id="host-error"/)
  const { body } = await post(link, { ...owner, password: 'olivia' })
  assert.match(body, /id="password-error"/)
  assert.match(body, /value="Olivia"/)
  assert.doesNotMatch(body, /value="olivia"/)
  assert.equal(await hasOrganization(ctx.db), false)
})

test('the owner is signed in, invites people, and the link is used up', async () => {
  const link = await empty()
  const created = await post(link, { ...owner, password })
  assert.equal(created.headers.location, '/start/invite')
  const cookie = String(created.headers['set-cookie']).split(';')[0]!
  const invited = await post('/start/invite', { emails: 'ann@example.com\nben@example.com' }, cookie)
  assert.equal(invited.body.match(/value="http[^"]+\/join\/[\w-]{43}"/g)!.length, 2)
  assert.match((await post('/start/invite', { emails: 'nonsense' }, cookie)).body, /id="emails-error"/)
  assert.equal((await post('/start/invite', { emails: 'x@example.com' })).headers.location, '/login')
  assert.equal((await app.inject({ url: link, headers: { host } })).statusCode, 404)
  assert.equal(await renewStartLink(ctx), undefined)
})

test('of two concurrent requests with the link, one creates an organization', async () => {
  const link = await empty()
  const answers = await Promise.all(['One', 'Two'].map((name) => post(link, { ...owner, name, password })))
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 404])
  assert.equal((await column<string>(ctx.db)`select name from realms`).length, 1)
})

test('an organization at another host is signed in to there', async () => {
  const { body, headers } = await post(await empty(), { ...owner, host: 'Team.example.com', password })
  assert.match(body, /href="http:\/\/team\.example\.com[^"]*\/login"/)
  assert.equal(headers['set-cookie'], undefined)
})

for (const javaScriptEnabled of [true, false])
  browserTest(`a first organization is set up, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async (open) => {
    const link = await empty()
    await app.listen({ port: 0, host: '127.0.0.1' })
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    const page = await open(url + link, { javaScriptEnabled })
    const look = (name: string) => (javaScriptEnabled ? checkLook(page, name) : undefined)
    await look('start-organization')
    await page.fill('#name', 'Harbour Labs')
    await page.click('.primary')
    await page.fill('#full_name', 'Olivia')
    await page.fill('#email', 'olivia@example.com')
    await page.fill('#password', password)
    if (javaScriptEnabled) await page.waitForSelector('.meter:not([hidden])')
    await look('start-owner')
    await page.click('.primary')
    await page.waitForURL('**/start/invite')
    await look('start-invite')
    await page.fill('#emails', 'ann@example.com')
    await page.click('.primary')
    assert.match(await page.inputValue('#link-0'), /\/join\//)
    await look('start-ready')
    await page.goto(`${url}/sessions`)
    assert.match((await page.textContent('h1'))!, /signed in as Olivia/)
  })
