import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { jwtFetchApiKey } from '@parley/api/server'
import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { noSignOn } from '../../../config/sign-on-file.ts'
import type { Config } from '../../../config.ts'
import { buildApp } from '../../../http/app.ts'
import { column } from '../../../platform/db/query.ts'
import { assertResponse } from '../../../testing/schema.ts'
import { newWorld } from '../../../testing/world.ts'

const world = await newWorld()
const { ctx, host, ann, realmId } = world
const key = 'a shared key that is long enough for this'
const pair = await generateKeyPair('RS256')
const public_key = await exportSPKI(pair.publicKey)
const jwt: Config['signOn']['jwt'] = [
  { algorithm: 'HS256', key, audience: 'parley', issuer: 'intranet' },
  { algorithm: 'RS256', public_key },
  { algorithm: 'HS256', key: 'x'.repeat(40), realm: 'elsewhere' },
]
const app = buildApp({ ...ctx, config: { ...ctx.config, signOn: { ...noSignOn, jwt } } })
test.after(() => app.close())

const bytes = (text: string) => new TextEncoder().encode(text)
const now = () => Math.floor(Date.now() / 1000)
const honest = (email = ann.credentials.email): JWTPayload => ({
  email,
  aud: 'parley',
  iss: 'intranet',
  exp: now() + 60,
})
const signed = (claims: JWTPayload, secret = key, alg = 'HS256') =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(bytes(secret))

async function fetchKey(token: string) {
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams({ token }).toString()
  const answer = await app.inject({ method: 'POST', url: '/api/v1/jwt/fetch_api_key', headers, payload })
  return { status: answer.statusCode, ...answer.json() }
}

test('a token of another system gives the API key, and is audited', async () => {
  const { api_key, user_id } = await fetchKey(await signed(honest()))
  assert.deepEqual([api_key, user_id], [ann.credentials.key, ann.id])
  const methods = await column<string>(ctx.db)`
    select target ->> 'method' from audit_log where realm_id = ${realmId} and action = 'signed_in'`
  assert.deepEqual(methods, ['jwt'])
})

test('an email that only looks like that of a user opens no account', async () => {
  const { status } = await fetchKey(await signed(honest(ann.credentials.email.replace('a', '\uFF41'))))
  assert.equal(status, 401)
})

test('include_profile adds the user object', async () => {
  const token = await signed(honest())
  const payload = { token, include_profile: 'true' }
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/jwt/fetch_api_key',
    headers: { host },
    payload,
  })
  assertResponse('jwtFetchApiKey', answer.json())
  const { full_name, delivery_email, user_id, profile_data } = answer.json().user
  assert.deepEqual([full_name, delivery_email, user_id], ['Ann', ann.credentials.email, ann.id])
  assert.equal(profile_data, undefined)
  assert.equal((await fetchKey(token)).user, undefined)
})

test('a token signed with a private key is verified with the public one', async () => {
  const claims = { email: ann.credentials.email, exp: now() + 60 }
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(pair.privateKey)
  assert.equal((await fetchKey(token)).api_key, ann.credentials.key)
})

const { exp: _, ...endless } = honest()
const hostile: Record<string, () => Promise<string> | string> = {
  'for another audience': () => signed({ ...honest(), aud: 'others' }),
  'of another issuer': () => signed({ ...honest(), iss: 'others' }),
  'that has expired': () => signed({ ...honest(), exp: now() - 60 }),
  'that never ends': () => signed(endless),
  'that ends in a year': () => signed({ ...honest(), exp: now() + 31_536_000 }),
  'without an email': () => signed({ ...honest(), email: undefined }),
  'with a list of emails': () => signed({ ...honest(), email: [ann.credentials.email] }),
  'signed with another key': () => signed(honest(), 'y'.repeat(40)),
  'signed with the key of another organization': () => signed(honest(), 'x'.repeat(40)),
  'with another algorithm': () => signed(honest(), key, 'HS512'),
  'signed with the public key as a secret': () => signed(honest(), public_key),
  'without a signature': () => new UnsecuredJWT(honest()).encode(),
  'that is none': () => 'x.y.z',
  'of an unknown user': () => signed(honest(`nobody@${host}`)),
}
for (const [name, token] of Object.entries(hostile))
  test(`a token ${name} is refused`, async () => {
    const { status, code, api_key } = await fetchKey(await token())
    assert.deepEqual([status, code, api_key], [401, 'AUTHENTICATION_FAILED', undefined])
  })

test('a bot and a deactivated user get no key', async () => {
  const bot = await world.add('robo', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  assert.equal((await fetchKey(await signed(honest(bot.credentials.email)))).status, 401)
  const gone = await world.add('gone')
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', gone.id).execute()
  assert.equal((await fetchKey(await signed(honest(gone.credentials.email)))).code, 'USER_DEACTIVATED')
})

test('without a key, tokens are refused', async () => {
  assert.match((await ann.isRefused(jwtFetchApiKey, { token: await signed(honest()) })).msg, /not enabled/)
})
