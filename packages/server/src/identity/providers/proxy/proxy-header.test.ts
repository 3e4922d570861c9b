import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { createUserGroup, getUserGroups } from '@parley/api/organization/groups'
import { getUsers } from '@parley/api/people/users'
import { noSignOn } from '../../../config/sign-on-file.ts'
import { buildApp } from '../../../http/app.ts'
import { appUrlIn } from '../../../testing/forms.ts'
import { newWorld } from '../../../testing/world.ts'

const world = await newWorld()
const { ctx, host, ann, ben, olga } = world
const proxy = {
  name: 'Intranet',
  email_header: 'X-Forwarded-Email',
  name_header: 'X-Name',
  groups_header: 'X-Groups',
  trusted_proxies: ['10.1.2.3', 'fd00::/8'],
  groups: { staff: 'makers' },
}
const open = (more: object) => {
  const header = [{ ...proxy, ...more }]
  const app = buildApp({ ...ctx, config: { ...ctx.config, trustProxy: ['10.1.2.3'], signOn: { ...noSignOn, header } } })
  test.after(() => app.close())
  return app
}
const app = open({})
const creating = open({ create_users: true })
const automatic = open({ automatic: true })
const trusted = '10.1.2.3'
const email = 'x-forwarded-email'

type Headers = Record<string, string | string[]>

async function visit(headers: Headers, { path = '/login/header', from = trusted, to = app } = {}) {
  const answer = await to.inject({ url: path, headers: { host, accept: 'text/html', ...headers }, remoteAddress: from })
  const cookies = [answer.headers['set-cookie'] ?? []].flat().join()
  return {
    status: answer.statusCode,
    body: answer.body,
    location: answer.headers.location,
    isSignedIn: /parley=[\w-]{43}/.test(cookies),
  }
}

test('the person that the proxy names is signed in; the sign-in is audited with the method', async () => {
  for (const from of [trusted, `::ffff:${trusted}`, 'fd12::1']) {
    const { status, location, isSignedIn } = await visit({ [email]: ann.credentials.email.toUpperCase() }, { from })
    assert.deepEqual([status, location, isSignedIn], [303, '/', true])
  }
  const row = await ctx.db
    .selectFrom('audit_log')
    .select('target')
    .where('acting_user_id', '=', ann.id)
    .where('action', '=', 'signed_in')
    .executeTakeFirstOrThrow()
  assert.equal((row.target as { method: string }).method, 'header')
})

test('an email that only looks like that of a user signs nobody in', async () => {
  const lookalike = Buffer.from(ann.credentials.email.replace('a', '\uFF41')).toString('latin1')
  for (const to of [app, creating]) assert.equal((await visit({ [email]: lookalike }, { to })).isSignedIn, false)
})

const own = { [email]: ben.credentials.email }
const hostile: [name: string, headers: Headers, more: object][] = [
  ['from another IP address', own, { from: '10.1.2.4' }],
  ['from this machine', own, { from: '127.0.0.1' }],
  [
    'from an address that claims to be forwarded by the proxy',
    { ...own, 'x-forwarded-for': trusted },
    { from: '10.9.9.9' },
  ],
  ['that claims to come from the proxy in Forwarded', { ...own, forwarded: `for=${trusted}` }, { from: '10.9.9.9' }],
  ['without the header', {}, {}],
  ['that a page makes as an image', { ...own, 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' }, {}],
  ['with an empty header', { [email]: '' }, {}],
  ['with two emails in one header', { [email]: `${ben.credentials.email}, ${olga.credentials.email}` }, {}],
  ['with something that is no email', { [email]: 'ben' }, {}],
  ['with an email of nobody', { [email]: 'nobody@acme.test' }, {}],
  ['with a header that only looks like it', { x_forwarded_email: ben.credentials.email }, {}],
  [
    'with the email of a bot',
    { [email]: (await world.add('robo', 400, { bot_type: 1, bot_owner_id: ann.id })).credentials.email },
    {},
  ],
]
for (const [name, headers, more] of hostile)
  test(`a request ${name} signs nobody in`, async () => {
    const { status, isSignedIn } = await visit(headers, more)
    assert.ok(status >= 400 && status < 500, String(status))
    assert.equal(isSignedIn, false)
  })

test('two headers sign nobody in', async () => {
  const local = open({ trusted_proxies: ['127.0.0.1'] })
  await local.listen({ port: 0, host: '127.0.0.1' })
  const { port } = local.server.address() as AddressInfo
  const line = `X-Forwarded-Email: ${ben.credentials.email}\r\n`
  const get = (lines: string) =>
    new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`GET /login/header HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${lines}\r\n`),
      )
      socket.on('data', (chunk) => (text += chunk)).on('close', () => resolve(text))
    })
  assert.match(await get(line), /^HTTP\/1.1 303 /)
  const twice = await get(line + line)
  assert.match(twice, /^HTTP\/1.1 401 /)
  assert.doesNotMatch(twice, /set-cookie/i)
})

test('the header does nothing in other requests: not for the API, nor for pages', async () => {
  const sent = { [email]: olga.credentials.email }
  assert.equal((await visit(sent, { path: '/api/v1/users/me' })).status, 401)
  assert.equal((await visit(sent, { path: '/sessions' })).isSignedIn, false)
  const { body, isSignedIn } = await visit(sent, { path: '/login' })
  assert.equal(isSignedIn, false)
  assert.match(body, /href="\/login\/header">Sign in with Intranet/)
  assert.doesNotMatch((await visit(sent, { path: '/login', from: '10.9.9.9' })).body, /\/login\/header/)
})

test('a deactivated user stays out', async () => {
  const user = await world.add('dora')
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute()
  const { status, isSignedIn } = await visit({ [email]: user.credentials.email }, { to: creating })
  assert.deepEqual([status, isSignedIn], [401, false])
})

test('new people get an account where the operator allows it, with the name in UTF-8 and their groups', async () => {
  await olga.does(createUserGroup, { name: 'makers', description: '', members: [] })
  const name = Buffer.from('Zoë Ångström').toString('latin1')
  const headers = { [email]: 'zoe@acme.test', 'x-name': name, 'x-groups': 'staff, other' }
  assert.equal((await visit(headers)).isSignedIn, false)
  assert.equal((await visit(headers, { to: creating })).isSignedIn, true)
  const { members } = await olga.does(getUsers)
  const { user_id } = members.find(({ full_name }) => full_name === 'Zoë Ångström')!
  const { user_groups } = await olga.does(getUserGroups)
  assert.deepEqual(user_groups.find((group) => group.name === 'makers')!.members, [user_id])
})

test('where it is automatic, /login goes on at once, except for those who want the page or have no header', async () => {
  const sent = { [email]: ann.credentials.email }
  assert.match((await visit(sent, { path: '/login', to: automatic })).location!, /^\/login\/header\?/)
  assert.equal((await visit(sent, { path: '/login?password', to: automatic })).status, 200)
  assert.equal((await visit({}, { path: '/login', to: automatic })).status, 200)
  assert.equal((await visit(sent, { path: '/login', to: automatic, from: '10.9.9.9' })).status, 200)
})

test('an app gets the API key through the browser, and server_settings names the method', async () => {
  const pad = 'ab'.repeat(32)
  const path = `/login/header?mobile_flow_otp=${pad}`
  const { location, body, isSignedIn } = await visit({ [email]: ann.credentials.email }, { path })
  assert.equal(location, undefined, 'the person is asked first')
  assert.match(appUrlIn(body).search, /^\?otp_encrypted_api_key=/)
  assert.equal(isSignedIn, false)
  const settings = JSON.parse((await visit({}, { path: '/api/v1/server_settings' })).body)
  assert.equal(settings.authentication_methods.remoteuser, true)
  const { login_url } = settings.external_authentication_methods.find(
    ({ name }: { name: string }) => name === 'remoteuser',
  )
  assert.equal(login_url, '/login/header')
})
