import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBot } from '@parley/api/delivery/bots'
import * as api from '@parley/api/identity/tokens'
import { operationList } from '@parley/api/operations'
import { getOwnUser } from '@parley/api/people/users'
import { type Scope, scopeOf, scopes } from '@parley/api/scopes'
import { ask } from '../../testing/access/request.ts'
import { upload } from '../../testing/files.ts'
import { newWorld, type World } from '../../testing/world.ts'

/** Asks with a token as the only credential. */
async function whoAmI({ app, host }: World, authorization: string) {
  const { statusCode, body } = await app.inject({ url: '/api/v1/users/me', headers: { host, authorization } })
  return { status: statusCode, body: JSON.parse(body) }
}

const basic = (email: string, token: string) => `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`

test('a token works as Bearer, and with the email in place of the API key', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const { token } = await ann.does(api.createToken, { name: 'laptop' })
  assert.equal((await whoAmI(world, `Bearer ${token}`)).body.user_id, ann.id)
  assert.equal((await whoAmI(world, basic(ann.credentials.email, token))).body.user_id, ann.id)
  assert.equal((await whoAmI(world, basic(ben.credentials.email, token))).status, 401)
})

test('a token of one organization does not work in another', async () => {
  const [world, elsewhere] = [await newWorld(), await newWorld()]
  const { token } = await world.ann.does(api.createToken, { name: 'laptop' })
  assert.equal((await whoAmI(elsewhere, `Bearer ${token}`)).status, 401)
})

test('tokens are listed without their secret, with scopes and expiry', async () => {
  const { ann } = await newWorld()
  await ann.does(api.createToken, { name: 'backup', scopes: ['read'], expires_in: 3600 })
  const { tokens } = await ann.does(api.getTokens)
  assert.equal(tokens.length, 1)
  const { name, scopes: granted, expires_at, last_used_at } = tokens[0]!
  assert.deepEqual([name, granted, last_used_at], ['backup', ['read'], null])
  assert.ok(Math.abs(expires_at! - Date.now() / 1000 - 3600) < 60)
})

test('a revoked token and an expired one stop working', async () => {
  const world = await newWorld()
  const { ann, ctx } = world
  const revoked = await ann.does(api.createToken, { name: 'a' })
  const expired = await ann.does(api.createToken, { name: 'b', expires_in: 60 })
  await whoAmI(world, `Bearer ${revoked.token}`)
  await ann.does(api.revokeToken, { path: { token_id: revoked.id } })
  await ctx.db.updateTable('credentials').set({ expires_at: new Date() }).where('id', '=', expired.id).execute()
  assert.equal((await whoAmI(world, `Bearer ${revoked.token}`)).status, 401)
  assert.equal((await whoAmI(world, `Bearer ${expired.token}`)).status, 401)
})

test('owners create and revoke tokens of their bots, nobody else does', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const { user_id: bot_id } = await ann.does(createBot, { full_name: 'Helper', short_name: 'helper' })
  const { token, id } = await ann.does(api.createToken, { name: 'deploys', bot_id })
  assert.equal((await whoAmI(world, `Bearer ${token}`)).body.user_id, bot_id)
  assert.equal((await ben.isRefused(api.createToken, { name: 'x', bot_id })).msg, 'No such bot')
  assert.equal((await ben.isRefused(api.revokeToken, { path: { token_id: id } })).msg, 'You have no such token.')
  await ann.does(api.revokeToken, { path: { token_id: id } })
  assert.equal((await whoAmI(world, `Bearer ${token}`)).status, 401)
})

test('a token needs a name, and a user can have a hundred', async () => {
  const { ann } = await newWorld()
  assert.match((await ann.isRefused(api.createToken, { name: ' ' })).msg, /needs a name/)
  for (let n = 0; n < 100; n++) await ann.does(api.createToken, { name: `${n}` })
  assert.match((await ann.isRefused(api.createToken, { name: 'one more' })).msg, /at most 100 tokens/)
})

/** Let through, these would end what the other calls need. They wait for events, or deactivate the organization. */
const endless = new Set(['getEvents', 'deactivateRealm'])

test('every operation is open to exactly the tokens that have its scope', async () => {
  const world = await newWorld()
  const tokens = new Map<Scope, string>()
  for (const scope of scopes)
    tokens.set(scope, (await world.olga.does(api.createToken, { name: scope, scopes: [scope] })).token)
  for (const operation of operationList.filter(({ access }) => access !== 'anyone')) {
    const required = scopeOf(operation)
    for (const [scope, token] of tokens) {
      const headers = { host: world.host, authorization: `Bearer ${token}` }
      const isOpen = scope === required
      if (isOpen && endless.has(operation.name)) continue
      const path = Object.fromEntries(Object.keys(operation.pathParams).map((name) => [name, 987_654_321]))
      const { status, body } = await ask(world.app, headers, operation, { path })
      const { code } = body as { code?: string }
      // A request that is let through is refused later, for its missing parameters or objects, or it succeeds.
      const outcome = `${operation.name} with ${scope}: ${status} ${code}`
      if (isOpen) assert.ok(![401, 403, 429].includes(status) && status < 500, outcome)
      else assert.deepEqual([status, code], [403, 'SCOPE_REQUIRED'], outcome)
    }
  }
})

test('only operations that deal with credentials, bots and browsers that receive messages are closed to all limited tokens', () => {
  const closed = operationList.filter((operation) => operation.access !== 'anyone' && scopeOf(operation) === 'full')
  assert.equal(
    closed
      .map(({ name }) => name)
      .sort()
      .join(' '),
    [
      'addWebPush cancelEmailChange createAccount createBot createHook createToken deactivateBot',
      'deactivateOwnUser deleteHook endCurrentSession endOtherSessions endSession endUserSession',
      'getBotApiKey getBotSecrets getBots getDeliveries getEmailChange getHookRequests getHooks',
      'getLastingAccess getSecondFactors getSessions getSignIns getTokens getUserSessions getWebPush',
      'getWebhookPayload getWebhookSecret previewHook regenerateApiKey regenerateBotApiKey removeWebPush',
      'replayDelivery replayHookRequest resendEmailChange resetSecondFactors revokeToken sendPasswordReset',
      'testHook testWebPush updateBot updateHook updateOwnServer',
    ].join(' '),
  )
})

test('files need the scope read, also with the token in the URL', async () => {
  const world = await newWorld()
  const { ann, app, host } = world
  const url = await upload(world, ann, { content: 'hello', filename: 'note.txt' })
  for (const [scope, expected] of [
    ['read', [200, 200]],
    ['send', [403, 403]],
  ] as const) {
    const { token } = await ann.does(api.createToken, { name: scope, scopes: [scope] })
    const bearer = await app.inject({ url, headers: { host, authorization: `Bearer ${token}` } })
    const inUrl = await app.inject({ url: `${url}?api_key=${token}`, headers: { host } })
    assert.deepEqual([bearer.statusCode, inUrl.statusCode], expected)
  }
})

test('a token of limited scopes reads no keys of bots, neither from the state nor from events', async () => {
  const world = await newWorld()
  const { ann, app, host } = world
  await ann.does(createBot, { full_name: 'Helper', short_name: 'helper' })
  const { token } = await ann.does(api.createToken, { name: 'reader', scopes: ['read'] })
  const headers = { host, authorization: `Bearer ${token}` }
  const state = await app.inject({ method: 'POST', url: '/api/v1/register', headers })
  await ann.does(createBot, { full_name: 'Second', short_name: 'second' })
  const url = `/api/v1/events?queue_id=${state.json().queue_id}&last_event_id=-1&dont_block=true`
  const events = await app.inject({ url, headers })
  assert.equal(events.statusCode, 200)
  assert.ok(!`${state.body}${events.body}`.includes('"api_key"'))
})

test('a token of limited scopes changes neither the email nor the password', async () => {
  const world = await newWorld()
  const { token } = await world.ann.does(api.createToken, { name: 'settings', scopes: ['account'] })
  const headers = {
    host: world.host,
    authorization: `Bearer ${token}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const change = (payload: string) => world.app.inject({ method: 'PATCH', url: '/api/v1/settings', headers, payload })
  assert.equal((await change('email=other@example.com')).json().code, 'SCOPE_REQUIRED')
  assert.equal((await change('new_password=x&old_password=y')).json().code, 'SCOPE_REQUIRED')
  assert.equal((await change('enter_sends=true')).statusCode, 200)
})

test('the API key has no scopes: it may do everything its user may', async () => {
  const { ann } = await newWorld()
  assert.equal((await ann.does(getOwnUser)).user_id, ann.id)
  await ann.does(api.getTokens)
})
