import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { deactivateOwnUser, deactivateUser, updateUser } from '@parley/api/identity/accounts'
import { updateRealm } from '@parley/api/organization/realm'
import { SignJWT } from 'jose'
import type { PluginTransformQueryArgs } from 'kysely'
import { noSignOn } from '../../config/sign-on-file.ts'
import { buildApp } from '../../http/app.ts'
import { createDatabase } from '../../platform/db/pool.ts'
import { FormBrowser } from '../../testing/forms.ts'
import { addAuthenticator } from '../../testing/peers/authenticator.ts'
import { startHostileOidc } from '../../testing/peers/hostile-oidc.ts'
import * as idp from '../../testing/peers/hostile-saml.ts'
import { passkeyRequest, SoftPasskey } from '../../testing/peers/passkey.ts'
import { patchOf, ScimClient } from '../../testing/peers/scim-client.ts'
import { newWorld } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'
import type { SignInMethod } from '../sessions/sign-in-notices.ts'

const world = await newWorld()
const { ctx, host, olga } = world
const scim = await ScimClient.open(world)
const provider = await startHostileOidc()
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)
const key = 'a shared key that is long enough for this'
const proxyAddress = '10.1.2.3'

/** Every way to sign in that needs no other program, at once. */
const client = { name: 'Acme', issuer: provider.issuer, client_id: 'parley', client_secret: 'secret' }
const proxy = { name: 'Intranet', email_header: 'X-Mail', trusted_proxies: [proxyAddress] }
const samlProvider = {
  name: 'Acme',
  entity_id: idp.issuer,
  sso_url: 'https://id.acme.test/sso',
  certificates: [idp.keys.publicKey],
}
const signOn = {
  ...noSignOn,
  oidc: [
    { ...client, id: 'closed' },
    { ...client, id: 'open', create_users: true },
  ],
  saml: [
    { ...samlProvider, id: 'closed' },
    { ...samlProvider, id: 'open', create_users: true },
  ],
  jwt: [{ algorithm: 'HS256' as const, key }],
  header: [proxy],
}
const configured = { ...ctx, config: { ...ctx.config, signOn } }
const app = buildApp(configured)
const creating = buildApp({
  ...configured,
  config: { ...ctx.config, signOn: { ...signOn, header: [{ ...proxy, create_users: true }] } },
})
test.after(() => Promise.all([app.close(), creating.close()]))

/**
 * New: there is no account. Unverified: the provider has not confirmed the email. Required: the organization requires a
 * second factor, and the account has none. Enrolled: it has one.
 */
type Situation = 'new' | 'existing' | 'deactivated' | 'unverified' | 'required' | 'enrolled'
/** `second step`: a code, or setting up a second factor, comes first. `–`: the method knows no such situation. */
type Outcome = 'in' | 'refused' | 'second step' | '–'

interface Person {
  email: string
  id: number | undefined
  /** Whether the provider has confirmed the email. */
  isVerified: boolean
  passkey?: SoftPasskey
}

interface Way {
  method: SignInMethod
  signIn(person: Person): Promise<Outcome>
  /** Creates the account; usually it is there already, with a password. */
  create?(email: string): Promise<number>
  prepare?(person: Person): Promise<void>
}

interface Answer {
  statusCode: number
  body: string
  headers: Record<string, unknown>
}

function outcomeOf({ statusCode, body, headers }: Answer): Outcome {
  if (/parley=[\w-]{43}/.test(String(headers['set-cookie']))) return 'in'
  if (/\/login\/(code|enrol)/.test(body)) return 'second step'
  assert.ok(statusCode >= 400 || /role="alert"|class="error/.test(body), body)
  return 'refused'
}

function apiOutcome(answer: Answer): Outcome {
  const { api_key, code } = JSON.parse(answer.body)
  if (api_key) return 'in'
  return code === 'SECOND_FACTOR_REQUIRED' ? 'second step' : 'refused'
}

async function postToApi(path: string, form: Record<string, string>): Promise<Outcome> {
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams(form).toString()
  return apiOutcome(await app.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload }))
}

async function withOidc({ email, isVerified }: Person, id: string): Promise<Outcome> {
  const browser = new FormBrowser({ app, host })
  const start = await browser.open(`/login/oidc/${id}`)
  const sent = new URL(String(start.headers.location)).searchParams
  const time = Math.floor(Date.now() / 1000)
  const honest = { iss: provider.issuer, aud: 'parley', iat: time, exp: time + 60, nonce: sent.get('nonce')! }
  provider.answer({ claims: { ...honest, sub: email, email, email_verified: isVerified } })
  return outcomeOf(await browser.open(`/login/oidc/${id}/callback?code=c&state=${sent.get('state')}`))
}

async function withSaml({ email }: Person, id: string): Promise<Outcome> {
  const browser = new FormBrowser({ app, host })
  const start = await browser.open(`/login/saml/${id}`)
  const path = `/login/saml/${id}/acs`
  const xml = idp.honest(idp.statementFor(String(start.headers.location), `http://${host}${path}`, email))
  const posted = await browser.post(path, { SAMLResponse: idp.encode(xml) })
  return outcomeOf(await browser.open(String(posted.headers.location)))
}

async function withHeader({ email }: Person, to = app): Promise<Outcome> {
  const headers = { host, accept: 'text/html', 'x-mail': email }
  return outcomeOf(await to.inject({ url: '/login/header', headers, remoteAddress: proxyAddress }))
}

async function addPasskey(person: Person): Promise<void> {
  const browser = new FormBrowser({ app, host })
  await browser.post('/login', { email: person.email, password })
  const { challenge, options } = passkeyRequest((await browser.post('/second-factor/passkeys', { password })).body)
  person.passkey = new SoftPasskey({ rpId: host, origin: `http://${host}` })
  await browser.post('/second-factor/passkeys/add', { challenge, response: person.passkey.create(options) })
}

async function withPasskey({ passkey }: Person): Promise<Outcome> {
  const browser = new FormBrowser({ app, host })
  const { challenge, options } = passkeyRequest((await browser.open('/login')).body)
  return outcomeOf(await browser.post('/login/passkey', { challenge, response: passkey!.get(options) }))
}

async function withJwt({ email }: Person): Promise<Outcome> {
  const claims = { email, exp: Math.floor(Date.now() / 1000) + 60 }
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(key))
  return postToApi('/jwt/fetch_api_key', { token })
}

const byScim = async (email: string) => Number((await scim.createUser(email)).id)

const ways = {
  password: {
    method: 'password',
    signIn: async ({ email }) => outcomeOf(await new FormBrowser({ app, host }).post('/login', { email, password })),
  },
  'password in an app': {
    method: 'password',
    signIn: ({ email }) => postToApi('/fetch_api_key', { username: email, password }),
  },
  passkey: { method: 'passkey', signIn: withPasskey, prepare: addPasskey },
  'JSON Web Token': { method: 'jwt', signIn: withJwt },
  'OpenID Connect': { method: 'oidc', signIn: (person) => withOidc(person, 'closed') },
  'OpenID Connect with create_users': { method: 'oidc', signIn: (person) => withOidc(person, 'open') },
  SAML: { method: 'saml', signIn: (person) => withSaml(person, 'closed') },
  'SAML with create_users': { method: 'saml', signIn: (person) => withSaml(person, 'open') },
  header: { method: 'header', signIn: withHeader },
  'header with create_users': { method: 'header', signIn: (person) => withHeader(person, creating) },
  'OpenID Connect, created with SCIM': {
    method: 'oidc',
    create: byScim,
    signIn: (person) => withOidc(person, 'closed'),
  },
  'header, created with SCIM': { method: 'header', create: byScim, signIn: withHeader },
} satisfies Record<string, Way>

/** Of methods that need another program. A new method needs a row below, or a file here. */
const elsewhere = { ldap: 'thorough/ldap.test.ts' }
type Covered = (typeof ways)[keyof typeof ways]['method'] | keyof typeof elsewhere | 'demo'
const isComplete: Exclude<SignInMethod, Covered> extends never ? true : Exclude<SignInMethod, Covered> = true
assert.ok(isComplete)

const table = `
                                  | new     | existing | deactivated | unverified | required    | enrolled
password                          | refused | in       | refused     | –          | second step | second step
password in an app                | refused | in       | refused     | –          | second step | second step
passkey                           | –       | in       | refused     | –          | in          | in
JSON Web Token                    | refused | in       | refused     | –          | in          | in
OpenID Connect                    | refused | in       | refused     | refused    | in          | in
OpenID Connect with create_users  | in      | in       | refused     | refused    | in          | in
SAML                              | refused | in       | refused     | –          | in          | in
SAML with create_users            | in      | in       | refused     | –          | in          | in
header                            | refused | in       | refused     | –          | in          | in
header with create_users          | in      | in       | refused     | –          | in          | in
OpenID Connect, created with SCIM | refused | in       | refused     | refused    | in          | in
header, created with SCIM         | refused | in       | refused     | –          | in          | in
`

const [[, ...situations], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim())) as [
  [string, ...Situation[]],
  ...[keyof typeof ways, ...Outcome[]][],
]

test('the table has every way to sign in, in every situation', () => {
  assert.deepEqual(
    rows.map(([name]) => name),
    Object.keys(ways),
  )
  assert.deepEqual(situations, Object.keys(arrange))
})

async function createWithPassword(email: string): Promise<number> {
  const { id } = await world.add(email.split('@')[0]!)
  await ctx.db.updateTable('users').set({ password_hash, email, email_key: email }).where('id', '=', id).execute()
  return id
}

const requireFactor = (isRequired: boolean) =>
  olga.does(updateRealm, { second_factor_required_from: isRequired ? Math.floor(Date.now() / 1000) - 60 : 0 })

const arrange: Record<Situation, (person: Person) => Promise<unknown> | undefined> = {
  new: () => undefined,
  existing: () => undefined,
  deactivated: ({ id }) => olga.does(deactivateUser, { path: { user_id: id! } }),
  unverified: () => undefined,
  required: () => requireFactor(true),
  enrolled: ({ id }) => addAuthenticator(world, { id: id! } as never),
}

let count = 0
for (const [name, ...outcomes] of rows)
  for (const [index, situation] of situations.entries()) {
    const expected = outcomes[index]
    const way: Way = ways[name]
    if (expected === '–') continue
    test(`${name}: ${situation} → ${expected}`, async () => {
      const email = `person-${++count}@acme.test`
      const person: Person = { email, id: undefined, isVerified: situation !== 'unverified' }
      if (situation !== 'new') person.id = await (way.create ?? createWithPassword)(email)
      await way.prepare?.(person)
      await arrange[situation](person)
      try {
        assert.equal(await way.signIn(person), expected)
      } finally {
        await requireFactor(false)
      }
    })
  }

test('other ways to sign in cost the sign-in with a password no query', async () => {
  await createWithPassword('plain@acme.test')
  const queriesOf = async (context: typeof ctx) => {
    let queries = 0
    const transformQuery = ({ node }: PluginTransformQueryArgs) => {
      queries++
      return node
    }
    const db = createDatabase(context.pool, {
      plugins: [{ transformQuery, transformResult: async ({ result }) => result }],
    })
    const own = buildApp({ ...context, db })
    const browser = new FormBrowser({ app: own, host })
    await browser.open('/login')
    assert.equal(outcomeOf(await browser.post('/login', { email: 'plain@acme.test', password })), 'in')
    await own.close()
    return queries
  }
  await queriesOf(ctx) // the first sign-in from a device differs
  const plain = await queriesOf(ctx)
  assert.ok(plain > 0)
  assert.equal(await queriesOf(configured), plain)
})

test('the last owner is never locked out: nothing deactivates or demotes them, and the password opens the page', async () => {
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', olga.id).execute()
  const { email } = olga.credentials
  const off = patchOf([{ op: 'replace', path: 'active', value: false }])
  const attempts = [
    scim.isRefused('PATCH', `/Users/${olga.id}`, off),
    scim.isRefused('DELETE', `/Users/${olga.id}`),
    olga.isRefused(deactivateOwnUser),
    olga.isRefused(deactivateUser, { path: { user_id: olga.id } }),
    olga.isRefused(updateUser, { path: { user_id: olga.id }, role: roles.member }),
    world.adam.isRefused(deactivateUser, { path: { user_id: olga.id } }),
  ]
  await Promise.all(attempts)
  const automatic = { ...signOn, header: [{ ...proxy, automatic: true }] }
  const own = buildApp({ ...ctx, config: { ...ctx.config, signOn: automatic } })
  test.after(() => own.close())
  const page = await own.inject({
    url: '/login?password',
    headers: { host, 'x-mail': 'x@y' },
    remoteAddress: proxyAddress,
  })
  assert.match(page.body, /name="password"/)
  assert.equal(outcomeOf(await new FormBrowser({ app: own, host }).post('/login', { email, password })), 'in')
})
