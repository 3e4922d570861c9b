import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDomain } from '@parley/api/organization/domains'
import { createUserGroup, getUserGroups } from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import { getUsers } from '@parley/api/people/users'
import { base64url, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { noSignOn } from '../../../config/sign-on-file.ts'
import type { Config } from '../../../config.ts'
import { buildApp } from '../../../http/app.ts'
import { column, many } from '../../../platform/db/query.ts'
import { inChannel } from '../../../testing/channels.ts'
import { appUrlIn, FormBrowser } from '../../../testing/forms.ts'
import { addAuthenticator } from '../../../testing/peers/authenticator.ts'
import { type Answers, startHostileOidc } from '../../../testing/peers/hostile-oidc.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld } from '../../../testing/world.ts'

const world = await newWorld()
const { ctx, host, ann, ben, gus, olga, realmId } = world
const provider = await startHostileOidc()
const secret = 'a client secret that is long enough'
const settings = { id: 'acme', name: 'Acme', issuer: provider.issuer, client_id: 'parley', client_secret: secret }
const open = { ...settings, id: 'open', create_users: true, groups: { engineers: 'makers' } }
const oidc = [
  settings,
  open,
  { ...settings, id: 'strict', link_by_email: false },
  { ...settings, id: 'away', realm: 'x' },
]
const config: Config = { ...ctx.config, signOn: { ...noSignOn, oidc } }
const app = buildApp({ ...ctx, config })
test.after(() => app.close())

const verified = (email: string, sub = email): JWTPayload => ({ sub, email, email_verified: true, name: 'Someone' })
const now = () => Math.floor(Date.now() / 1000)

/** What an honest provider adds to the claims. */
const honest = (nonce: string): JWTPayload => ({
  iss: provider.issuer,
  aud: 'parley',
  exp: now() + 60,
  iat: now(),
  nonce,
})

interface Visit {
  id?: string
  /** Changes the URL to which the provider sends the browser back. */
  back?: (query: Record<string, string>) => Record<string, string>
  answers?: (claims: JWTPayload) => Answers
  query?: string
}

/** Goes to the provider and comes back. */
async function visit(claims: JWTPayload, { id = 'acme', back = (query) => query, answers, query = '' }: Visit = {}) {
  const browser = new FormBrowser({ app, host })
  const start = await browser.open(`/login/oidc/${id}${query}`)
  assert.equal(start.statusCode, 303, start.body)
  const sent = new URL(String(start.headers.location)).searchParams
  const full = { ...honest(sent.get('nonce')!), ...claims }
  provider.answer(answers?.(full) ?? { claims: full })
  const path = `/login/oidc/${id}/callback?${new URLSearchParams(back({ code: 'c', state: sent.get('state')! }))}`
  return { browser, sent, path, answer: await browser.open(path) }
}

async function isSignedInAs(browser: FormBrowser, name: string) {
  assert.match((await browser.open('/sessions')).body, new RegExp(`signed in as ${name}`))
}

test('an id or email that cannot be stored is refused', async () => {
  for (const sub of ['x'.repeat(500_000), 'a\0b', ' \ud800']) {
    const { answer } = await visit(verified(ben.credentials.email, sub))
    assert.equal(answer.statusCode, 400, sub.slice(0, 10))
    assert.match(answer.body, /Acme sent an id/)
  }
  for (const email of [`${'x'.repeat(500_000)}@a.test`, 'a\0@a.test']) {
    const { answer } = await visit(verified(email, 'new'), { id: 'open' })
    assert.match(answer.body, /Acme sent an invalid email/)
  }
})

test('an existing user signs in, and is linked by the confirmed email', async () => {
  const { browser, answer, sent } = await visit(verified(ann.credentials.email, 'ann-1'))
  assert.equal(answer.headers.location, '/', answer.body)
  await isSignedInAs(browser, 'Ann')
  assert.equal(sent.get('code_challenge_method'), 'S256')
  const rows = await many<{ action: string; method: string | null }>(ctx.db)`
    select action, target ->> 'method' as method from audit_log
     where realm_id = ${realmId} and (target ->> 'user_id') = ${String(ann.id)} order by number`
  assert.deepEqual(rows.map(({ action, method }) => `${action} ${method ?? ''}`.trim()).slice(-3), [
    'identity_linked',
    'signed_in oidc',
    'session_started',
  ])
})

test('afterwards the id at the provider decides: a changed email changes nothing, a recycled one opens nothing', async () => {
  await visit(verified(ann.credentials.email, 'ann-1'))
  await isSignedInAs((await visit(verified(ben.credentials.email, 'ann-1'))).browser, 'Ann')
  const other = await visit(verified(ann.credentials.email, 'ann-2'))
  assert.equal(other.answer.statusCode, 400)
  assert.match(other.answer.body, /linked with another person/)
})

test('an email that the provider has not confirmed opens no account', async () => {
  for (const email_verified of [false, undefined, 'false', 0, null]) {
    const { answer } = await visit({ ...verified(ben.credentials.email, 'ben-x'), email_verified })
    assert.equal(answer.statusCode, 400)
    assert.match(answer.body, /not confirmed/)
  }
  const answers = (claims: JWTPayload) => ({ claims, userInfo: { sub: 'ben-y', email_verified: true } })
  const { answer } = await visit({ sub: 'ben-y' }, { answers })
  assert.match(answer.body, /did not send your email/)
})

test('an email that only looks like that of a user opens no account and creates none', async () => {
  const [, domain] = ben.credentials.email.split('@')
  for (const email of [`\uFF42en@${domain}`, `ben\uFF20${domain}`, `ben@${domain}\u200B`])
    assert.equal((await visit(verified(email), { id: 'open' })).answer.statusCode, 400, email)
})

test('the confirmation of one email does not count for another', async () => {
  const email = ben.credentials.email
  const answers = (claims: JWTPayload) => ({ claims, userInfo: { sub: 'ben-z', email, email_verified: false } })
  const { answer } = await visit({ sub: 'ben-z', email_verified: true }, { answers })
  assert.match(answer.body, /not confirmed/)
})

test('the email may come from the user info, if that is about the same person', async () => {
  const about = (sub: string) => (claims: JWTPayload) => ({
    claims,
    userInfo: { sub, email: gus.credentials.email, email_verified: true },
  })
  assert.equal((await visit({ sub: 'gus-1' }, { answers: about('gus-2') })).answer.statusCode, 401)
  await isSignedInAs((await visit({ sub: 'gus-1' }, { answers: about('gus-1') })).browser, 'Gus')
})

test('a new person gets an account only where the operator allows it, within the rules for emails', async () => {
  const closed = await visit(verified('nora@acme.test'))
  assert.match(closed.answer.body, /no account/)
  await olga.does(addDomain, { domain: 'acme.test', allow_subdomains: false })
  await olga.does(updateRealm, { emails_restricted_to_domains: true })
  const { answer } = await visit(verified('nora@elsewhere.test'), { id: 'open' })
  assert.equal(answer.statusCode, 400)
  const { browser } = await visit({ ...verified('nora@acme.test'), name: '"Nora" <x>' }, { id: 'open' })
  await isSignedInAs(browser, 'Nora')
  await olga.does(updateRealm, { emails_restricted_to_domains: false })
  const { members } = await olga.does(getUsers)
  assert.ok(members.some(({ full_name }) => full_name.startsWith('Nora')))
})

test('a provider that must not link by email opens no existing account', async () => {
  const { answer } = await visit(verified(ben.credentials.email), { id: 'strict' })
  assert.match(answer.body, /not linked with Acme/)
})

test('a deactivated user stays out, linked or not', async () => {
  const [one, other] = [await world.add('dora'), await world.add('emil')]
  await visit(verified(one.credentials.email, 'dora'))
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', 'in', [one.id, other.id]).execute()
  for (const [user, sub] of [
    [one, 'dora'],
    [other, 'emil'],
  ] as const) {
    const { answer, browser } = await visit(verified(user.credentials.email, sub))
    assert.equal(answer.statusCode, 401)
    assert.equal((await browser.open('/sessions')).headers.location, '/login')
  }
})

test('a bot is not an account that people sign in to', async () => {
  const bot = await world.add('robo', 400, { bot_type: 1, bot_owner_id: ann.id })
  assert.equal((await visit(verified(bot.credentials.email))).answer.statusCode, 400)
})

test('mapped groups follow the provider, and no others', async () => {
  const member = await world.add('fay')
  for (const name of ['makers', 'others'])
    await olga.does(createUserGroup, { name, description: '', members: name === 'others' ? [member.id] : [] })
  const namesOf = async () =>
    (await olga.does(getUserGroups)).user_groups
      .filter(({ members, is_system_group }) => !is_system_group && members.includes(member.id))
      .map(({ name }) => name)
      .sort()
  const claims = verified(member.credentials.email)
  await visit({ ...claims, groups: ['engineers', 'others', 7] } as JWTPayload, { id: 'open' })
  assert.deepEqual(await namesOf(), ['makers', 'others'])
  await visit(claims, { id: 'open' })
  assert.deepEqual(await namesOf(), ['makers', 'others']) // the provider sent no groups
  await visit({ ...claims, groups: [] }, { id: 'open' })
  assert.deepEqual(await namesOf(), ['others'])
})

test('a user who joins a mapped group receives the channels that it opens', async () => {
  const [member, { user_groups }] = [await world.add('ines'), await olga.does(getUserGroups)]
  const { id } = user_groups.find(({ name }) => name === 'makers')!
  await inChannel('workshop', [olga], { invite_only: true, can_subscribe_group: id })
  const join = () => visit({ ...verified(member.credentials.email), groups: ['engineers'] }, { id: 'open' })
  await verifyEvents([member], join) // fails if the channel is missing from the events
})

test('the image of the provider is fetched for users who never had an avatar, if it has a usable URL', async () => {
  const [member, other] = [await world.add('jana'), await world.add('kora')]
  const requested = ({ id }: { id: number }) =>
    column<string>(ctx.db)`select payload ->> 'url' as url from jobs.jobs
                            where task = 'fetch_avatar' and (payload ->> 'user_id')::bigint = ${id}`
  const picture = 'https://images.test/jana.png'
  for (const bad of ['data:image/png;base64,AA', 'file:///etc/passwd', 'http://', 7, `https://x/${'y'.repeat(3000)}`])
    await visit({ ...verified(member.credentials.email), picture: bad })
  assert.deepEqual(await requested(member), [])
  await visit({ ...verified(member.credentials.email), picture })
  assert.deepEqual(await requested(member), [picture])
  await ctx.db.updateTable('users').set({ avatar_version: 2 }).where('id', '=', other.id).execute()
  await visit({ ...verified(other.credentials.email), picture })
  assert.deepEqual(await requested(other), [])
})

test('the provider decides about second factors, not we', async () => {
  const user = await world.add('hana')
  await addAuthenticator(world, user)
  await isSignedInAs((await visit(verified(user.credentials.email))).browser, 'Hana')
})

const base = base64url.encode
const unsigned = (header: object) => (claims: JWTPayload) =>
  `${base(JSON.stringify(header))}.${base(JSON.stringify(claims))}.`
const otherKey = (await generateKeyPair('RS256')).privateKey
const withKey = (key: Uint8Array) => (claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(key)
const wrong = (change: JWTPayload) => (claims: JWTPayload) => ({ claims: { ...claims, ...change } })
const forged = (idToken: Answers['idToken'] & object) => (claims: JWTPayload) => ({ claims, idToken })

const hostile: Record<string, Visit> = {
  'for another audience': { answers: wrong({ aud: 'someone-else' }) },
  'for several audiences and another party': { answers: wrong({ aud: ['parley', 'b'], azp: 'b' }) },
  'of another issuer': { answers: wrong({ iss: 'https://evil.example' }) },
  'with another nonce': { answers: wrong({ nonce: 'another' }) },
  'without a nonce': { answers: ({ nonce: _, ...claims }) => ({ claims }) },
  'that has expired': { answers: wrong({ exp: now() - 3600 }) },
  'of the future': { answers: wrong({ nbf: now() + 3600 }) },
  'without a subject': { answers: ({ sub: _, ...claims }) => ({ claims }) },
  'without a signature': { answers: forged(unsigned({ alg: 'none' })) },
  'without a signature that claims to have one': { answers: forged(unsigned({ alg: 'RS256', kid: 'one' })) },
  'signed by another key': {
    answers: forged((claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(otherKey)),
  },
  'signed with the public key as a secret': {
    answers: forged(withKey(new TextEncoder().encode(JSON.stringify(provider.jwk)))),
  },
  'signed with the client secret': { answers: forged(withKey(new TextEncoder().encode(secret))) },
  'with a changed body': {
    answers: forged(async (claims) => {
      const [head, , signature] = (await provider.sign(claims)).split('.')
      return `${head}.${base(JSON.stringify({ ...claims, email: olga.credentials.email }))}.${signature}`
    }),
  },
  'that is not a token': { answers: forged(() => 'x.y.z') },
  'with another state': { back: (query) => ({ ...query, state: 'another' }) },
  'without a state': { back: ({ code }) => ({ code: code! }) },
  'with an error': { back: ({ state }) => ({ error: 'access_denied', state: state! }) },
  'from another issuer, by its parameter': { back: (query) => ({ ...query, iss: 'https://evil.example' }) },
}
for (const [name, how] of Object.entries(hostile))
  test(`an answer ${name} signs nobody in`, async () => {
    const { answer, browser } = await visit(verified(ben.credentials.email, 'ben-1'), how)
    assert.equal(answer.statusCode, 401, answer.body)
    assert.equal((await browser.open('/sessions')).headers.location, '/login')
  })

test('an answer signs in once, and only the browser that asked for it', async () => {
  const { browser, path, answer } = await visit(verified(ben.credentials.email, 'ben-1'))
  assert.equal(answer.statusCode, 303)
  assert.equal((await browser.open(path)).statusCode, 401)
  const stranger = new FormBrowser({ app, host })
  assert.equal((await stranger.open(path)).statusCode, 401)
  await stranger.open('/login/oidc/acme')
  assert.equal((await stranger.open(path)).statusCode, 401)
})

test('the cookie of one provider does not work for another one', async () => {
  const browser = new FormBrowser({ app, host })
  const start = await browser.open('/login/oidc/acme')
  const state = new URL(String(start.headers.location)).searchParams.get('state')
  assert.equal((await browser.open(`/login/oidc/open/callback?code=c&state=${state}`)).statusCode, 401)
})

test('a provider of another organization is not offered', async () => {
  const browser = new FormBrowser({ app, host })
  assert.equal((await browser.open('/login/oidc/away')).statusCode, 404)
  const { body } = await browser.open('/login')
  assert.match(body, /href="\/login\/oidc\/acme"/)
  assert.doesNotMatch(body, /oidc\/away/)
})

test('on a shared computer the session ends with the browser', async () => {
  const cookiesAfter = async (query: string) =>
    String((await visit(verified(gus.credentials.email, 'gus-1'), { query })).answer.headers['set-cookie'])
  assert.match(await cookiesAfter('?shared_computer=false'), /parley=[^;]{20,}; [^,]*Max-Age/)
  assert.doesNotMatch(await cookiesAfter('?shared_computer=true'), /parley=[^;]{20,}; [^,]*Max-Age/)
})

test('an app gets the API key, encrypted with its one-time pad, and the browser no session', async () => {
  const otp = 'ab'.repeat(32)
  const { answer, browser } = await visit(verified(ben.credentials.email, 'ben-1'), {
    query: `?mobile_flow_otp=${otp}`,
  })
  assert.equal(answer.headers.location, undefined, 'the person is asked first')
  const url = appUrlIn(answer.body)
  const { otp_encrypted_api_key, ...others } = Object.fromEntries(url.searchParams)
  assert.deepEqual(others, { email: ben.credentials.email, user_id: String(ben.id), realm: `http://${host}` })
  const key = Buffer.from(otp_encrypted_api_key!, 'hex').map((byte) => byte ^ 0xab)
  assert.equal(Buffer.from(key).toString(), ben.credentials.key)
  assert.equal((await browser.open('/sessions')).headers.location, '/login')
  assert.equal((await browser.open('/login/oidc/acme?mobile_flow_otp=zz')).statusCode, 400)
})

test('server_settings lists the providers of the organization', async () => {
  const body = (await app.inject({ url: '/api/v1/server_settings', headers: { host } })).json()
  assert.equal(body.authentication_methods['openid connect'], true)
  const names = body.external_authentication_methods.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['oidc:acme', 'oidc:open', 'oidc:strict', 'browser'])
})

test('a provider that cannot be reached gives a page that says so', async () => {
  const dead = { ...settings, issuer: 'http://127.0.0.1:9' }
  const other = buildApp({ ...ctx, config: { ...ctx.config, signOn: { ...noSignOn, oidc: [dead] } } })
  test.after(() => other.close())
  const answer = await new FormBrowser({ app: other, host }).open('/login/oidc/acme')
  assert.equal(answer.statusCode, 503)
  assert.match(answer.body, /Acme cannot be reached/)
})
