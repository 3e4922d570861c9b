import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/delivery/bots'
import { addFcmToken } from '@parley/api/delivery/push'
import { getWebhookSecret } from '@parley/api/delivery/webhooks'
import * as accounts from '@parley/api/identity/accounts'
import { createInvitationLink, sendInvitations } from '@parley/api/identity/invitations'
import { endOtherSessions, getLastingAccess } from '@parley/api/identity/sessions'
import { createToken } from '@parley/api/identity/tokens'
import type { Operation } from '@parley/api/operation'
import { operationList, operations } from '@parley/api/operations'
import { updateSettings } from '@parley/api/people/own-settings'
import { getOwnUser } from '@parley/api/people/users'
import { secretFields } from '../../http/serving/ended-secrets.ts'
import { column } from '../../platform/db/query.ts'
import { query } from '../../platform/postgres/test-support.ts'
import { Actor } from '../../testing/actor.ts'
import { FormBrowser } from '../../testing/forms.ts'
import { ownPassword as password, signIn } from '../../testing/session-actor.ts'
import { newWorld, type World } from '../../testing/world.ts'

const outgoing = { bot_type: 3, payload_url: 'https://hooks.example.com/parley' } as const
let count = 0
const freshName = () => `fresh${++count}`

async function newBot(owner: Actor, more: object = {}) {
  return owner.does(api.createBot, { full_name: freshName(), short_name: freshName(), ...more })
}

/** Requests that create, replace or reveal a credential, and the field that confirms them. GET takes none. */
async function credentialRequests({ ann, ben }: World, bot_id: number) {
  const newcomer = {
    email: `${freshName()}@example.com`,
    password: 'a long and random sentence',
    full_name: freshName(),
  }
  const of = { path: { bot_id } }
  const requests: [Operation, Record<string, unknown>, ('password' | 'own_password' | 'old_password')?][] = [
    [api.createBot as Operation, { full_name: freshName(), short_name: freshName() }, 'password'],
    [api.regenerateBotApiKey as Operation, of, 'password'],
    [api.getBotSecrets as Operation, of, 'password'],
    [api.getBotApiKey as Operation, of],
    [getWebhookSecret as Operation, of],
    [api.updateBot as Operation, { ...of, service_payload_url: 'https://example.com/other' }, 'password'],
    [api.updateBot as Operation, { ...of, bot_owner_id: ben.id }, 'password'],
    [createToken as Operation, { name: 'script' }, 'password'],
    [accounts.regenerateApiKey as Operation, {}, 'password'],
    [accounts.createAccount as Operation, newcomer, 'own_password'],
    [accounts.createUser as Operation, { ...newcomer, email: `${freshName()}@example.com` }, 'own_password'],
    [accounts.sendPasswordReset as Operation, { path: { user_id: ann.id } }, 'password'],
    [updateSettings as Operation, { email: `${freshName()}@example.com` }, 'old_password'],
  ]
  return requests
}

test('a session creates, replaces and reads credentials only with the password', async () => {
  const world = await newWorld()
  const { olga, ctx } = world
  await ctx.db.updateTable('users').set({ can_create_users: true }).where('id', '=', olga.id).execute()
  const session = await signIn(world, olga)
  const bot = await newBot(olga, outgoing)
  for (const [operation, params, field] of await credentialRequests(world, bot.user_id)) {
    assert.equal((await session.isRefused(operation, params)).code, 'PASSWORD_REQUIRED', operation.name)
    if (!field) continue
    const wrong = await session.isRefused(operation, { ...params, [field]: 'a guess' })
    assert.equal(wrong.msg, 'Wrong password!', operation.name)
    await ctx.db.deleteFrom('login_failures').execute() // or the account is locked
    const { status, body } = await session.request(operation, { ...params, [field]: password })
    assert.equal(status, 200, `${operation.name} ${JSON.stringify(body)}`)
    await olga.does(getOwnUser).catch(() => renew(world))
  }
})

/** The key was replaced. */
async function renew({ ctx, olga }: World): Promise<void> {
  const row = ctx.db.selectFrom('users').select('api_key_sealed').where('id', '=', olga.id)
  olga.credentials.key = ctx.vault.open((await row.executeTakeFirstOrThrow()).api_key_sealed)
}

test('requests with an API key or a token are not asked', async () => {
  const world = await newWorld()
  const { olga, app, host, ctx } = world
  await ctx.db.updateTable('users').set({ can_create_users: true }).where('id', '=', olga.id).execute()
  const { token } = await olga.does(createToken, { name: 'script' })
  const withToken = new Actor(app, olga.id, 'Olga', { host, email: olga.credentials.email, key: token })
  for (const caller of [withToken, olga]) {
    const bot = await newBot(olga, outgoing)
    for (const [operation, params] of await credentialRequests(world, bot.user_id)) {
      const { status, body } = await caller.request(operation, params)
      assert.equal(status, 200, `${operation.name} ${JSON.stringify(body)}`)
      await renew(world)
    }
  }
})

test('people without a password confirm with a sign-in of the last ten minutes', async () => {
  const world = await newWorld()
  const { ann, ctx } = world
  const session = await signIn(world, ann)
  await ctx.db.updateTable('users').set({ password_hash: null }).where('id', '=', ann.id).execute()
  const { user_id, api_key } = await newBot(session)
  assert.equal((await session.does(api.getBotApiKey, { path: { bot_id: user_id } })).api_key, api_key)
  const longAgo = new Date(Date.now() - 11 * 60_000)
  await ctx.db.updateTable('credentials').set({ created_at: longAgo }).where('user_id', '=', ann.id).execute()
  assert.match((await session.isRefused(api.getBotApiKey, { path: { bot_id: user_id } })).msg, /too long ago/)
})

test('a missing password is not counted as a guess', async () => {
  const world = await newWorld()
  const session = await signIn(world, world.ann)
  for (let n = 0; n < 8; n++) await session.isRefused(createToken, { name: 'x' })
  await session.does(createToken, { name: 'x', password })
})

test('sessions get bots with empty keys and tokens in the state, in lists and in events', async () => {
  const world = await newWorld()
  const session = await signIn(world, world.ann)
  await newBot(world.ann, outgoing)
  const state = await session.registers()
  const created = await newBot(world.ann, outgoing)
  await world.ann.does(api.regenerateBotApiKey, { path: { bot_id: created.user_id } })
  const [known] = state.realm_bots!
  assert.deepEqual([known!.api_key, known!.services[0]!.token], ['', ''])
  const seen = (await session.receives('realm_bot')).map(({ bot }) => bot as api.Bot)
  assert.deepEqual([seen[0]!.api_key, seen[0]!.services[0]!.token, seen[1]!.api_key], ['', '', ''])
  const { bots } = await session.does(api.getBots)
  assert.deepEqual(
    bots.map(({ api_key }) => api_key),
    ['', ''],
  )
  assert.ok((await world.ann.registers()).realm_bots!.every(({ api_key }) => api_key.length === 32))
})

test('nobody gets a reset link for their own account', async () => {
  const { adam, olga } = await newWorld()
  for (const caller of [adam, olga]) {
    const refusal = await caller.isRefused(accounts.sendPasswordReset, { path: { user_id: caller.id } })
    assert.match(refusal.msg, /^Change your own password/)
  }
})

test('nobody changes their own email without confirmation as administrator', async () => {
  const { olga, ctx, app, host } = await newWorld()
  const granted = { can_change_user_emails: true }
  await ctx.db.updateTable('users').set(granted).where('id', '=', olga.id).execute()
  const { token } = await olga.does(createToken, { name: 'script', scopes: ['administer'] })
  const limited = new Actor(app, olga.id, 'Olga', { host, email: olga.credentials.email, key: token })
  for (const caller of [limited, olga]) {
    const change = { path: { user_id: olga.id }, new_email: 'thief@example.com' }
    assert.match((await caller.isRefused(accounts.updateUser, change)).msg, /own email in your settings/)
  }
})

/** What a session can create, by the columns in which the database has its secret, and what signing out does to it. */
const secretColumns = {
  'bot_services.secret_sealed': 'listed as its bot',
  'bot_services.token_sealed': 'listed as its bot',
  'credentials.secret_hash': 'ended; tokens of bots are listed',
  'email_changes.token_hash': 'ended',
  'hook_messages.key_hash': 'no secret: which message a request edits',
  'hooks.secret_sealed': 'no secret of ours: with which a service signs',
  'hooks.token_hash': 'listed',
  'hooks.token_sealed': 'listed',
  'idempotent_requests.body_sealed': 'not returned once the credential has ended',
  'import_map.key_hash': 'no secret: what was imported from where',
  'invitations.token_hash': 'listed',
  'invitations.token_sealed': 'listed',
  'passkeys.credential_id': 'listed',
  'password_resets.token_hash': 'ended',
  'push_tokens.token': 'ended',
  'recovery_codes.code_hash': 'works only after the password',
  'scim_tokens.secret_hash': 'created by the operator',
  'sign_in_places.place_hash': 'no secret: where the account signed in before',
  'start_links.token_hash': 'created by the operator',
  'totp_factors.secret_sealed': 'works only after the password',
  'used_challenges.challenge_hash': 'no longer works',
  'users.api_key_hash': 'ended; bots are listed',
  'users.api_key_sealed': 'ended; bots are listed',
  'users.password_hash': 'what a new password replaces; accounts that the user created are listed',
  'vapid_keys.private_key_sealed': 'of the server',
  'acme_accounts.key_sealed': 'of the server',
  'tls_certificates.key_sealed': 'of the server',
  'tls_challenges.token': 'no secret: the authority reads it over HTTP',
  'link_previews.url_hash': 'no secret: of a public page',
  'hidden_previews.url_hash': 'no secret: of a public page',
  'web_push_subscriptions.auth_secret': 'ended',
  'web_push_subscriptions.credential_id': 'no secret: the session that registered it',
}

test('of every secret in the database it is known whether signing out everywhere ends or lists it', async () => {
  const { ownerUrl } = await newWorld()
  const found = await query(
    ownerUrl,
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public'
        and (column_name ~ '(_hash|_sealed|secret)$' or column_name = 'token' or (column_name = 'credential_id' and data_type = 'bytea'))
        and table_name not in ('audit_log', 'audit_chains', 'migrations')`,
  )
  const names = found.map(({ name }) => name as string).filter((name) => !name.endsWith('.hash'))
  assert.deepEqual(
    names.filter((name) => !Object.hasOwn(secretColumns, name)),
    [],
    'say what happens to these',
  )
})

test('of every operation that answers with a credential it is known why a session may call it', () => {
  const others: Record<string, string> = {
    fetchApiKey: 'needs the password',
    jwtFetchApiKey: 'needs a signed token',
    devFetchApiKey: 'only on the demo server',
    getBots: 'empty for sessions',
    getEvents: 'empty for sessions',
    getBotApiKey: 'asks, without a field for the password',
    getWebhookSecret: 'asks, without a field for the password',
    register: 'empty for sessions',
    getWebhookPayload: 'only bots get their own',
    sendInvitations: 'listed',
    createInvitationLink: 'listed',
    getInvitations: 'listed',
    resendInvitation: 'listed',
  }
  const names = [...secretFields, 'secret', 'webhook_token', 'webhook_secret', 'password', 'key', 'secrets']
  const hasSecret = (schema: unknown): boolean =>
    typeof schema === 'object' &&
    schema !== null &&
    Object.entries(schema).some(([name, part]) => {
      const isText = (part as { type?: string })?.type === 'string'
      return (names.includes(name) && isText) || (name !== 'params' && hasSecret(part))
    })
  const unknown = operationList.filter(({ name, response, params }) => {
    if (!hasSecret(response) || Object.hasOwn(others, name)) return false
    return !params || !('password' in params)
  })
  assert.deepEqual(
    unknown.map(({ name }) => name),
    [],
  )
})

for (const [name, end] of Object.entries({
  'signing out everywhere': (owner: Actor) => owner.does(endOtherSessions),
  'a new password': (owner: Actor) =>
    owner.does(updateSettings, { old_password: password, new_password: 'another long and random sentence' }),
}))
  test(`${name} ends or lists everything that a session created`, async () => {
    const world = await newWorld()
    const { olga, app, host, ctx } = world
    const thief = await signIn(world, olga)
    const owner = await signIn(world, olga)
    const mine = await thief.does(createToken, { name: 'thief', password })
    const bot = await newBot(thief, { password })
    const ofBot = await thief.does(createToken, { name: 'of bot', bot_id: bot.user_id, password })
    const { api_key } = await thief.does(accounts.regenerateApiKey, { password })
    await thief.does(updateSettings, { email: 'thief@example.com', old_password: password })
    await thief.does(addFcmToken, { token: 'device' })
    const invited = await thief.does(sendInvitations, { invitee_emails: 'friend@example.com', stream_ids: [] })
    await thief.does(createInvitationLink, { stream_ids: [] })
    const newcomer = { email: 'second@example.com', password: 'a long and random sentence', full_name: 'Second' }
    const account = await thief.does(accounts.createAccount, { ...newcomer, own_password: password })
    assert.ok(invited.invite_links)

    await end(owner)

    const keys = { token: mine.token, key: api_key }
    for (const [kind, key] of Object.entries(keys)) {
      const stolen = new Actor(app, olga.id, kind, { host, email: olga.credentials.email, key })
      assert.equal((await stolen.isRefused(getOwnUser)).status, 401, kind)
    }
    assert.equal((await thief.isRefused(getOwnUser)).status, 401)
    const left = await column<string>(ctx.db)`
      select 'email' from email_changes where user_id = ${olga.id}
      union all select 'device' from push_tokens where user_id = ${olga.id}
      union all select 'queue' from queues where user_id = ${olga.id}`
    assert.deepEqual(left, [])
    const { items } = await owner.does(getLastingAccess)
    const listed = items.map(({ kind, id }) => `${kind} ${id}`)
    for (const item of [`bot ${bot.user_id}`, `token ${ofBot.id}`, `account ${account.user_id}`])
      assert.ok(listed.includes(item), `${item} in ${listed.join(', ')}`)
    assert.equal(items.filter(({ kind }) => kind === 'invitation').length, 2)
  })

test('a repeated request does not return a credential that has ended', async () => {
  const world = await newWorld()
  const { ann, app } = world
  const bot = await newBot(ann)
  const repeat = async (operation: Operation, key: string, path: string, payload: string) =>
    app.inject({
      method: operation.method,
      url: `/api/v1${path}`,
      headers: { ...ann.headers, 'idempotency-key': key, 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    })
  const tokens = () => repeat(createToken as Operation, 'one', '/tokens', 'name=script')
  const keys = () => repeat(api.regenerateBotApiKey as Operation, 'two', `/bots/${bot.user_id}/api_key/regenerate`, '')
  const hooks = () => repeat(operations.createHook as Operation, 'three', '/hooks', 'integration=json&name=builds')
  const [token, key, hook] = [(await tokens()).json(), (await keys()).json(), (await hooks()).json()]
  assert.deepEqual([(await tokens()).json(), (await keys()).json(), (await hooks()).json()], [token, key, hook])
  await ann.does(operations.revokeToken, { path: { token_id: token.id } })
  await ann.does(api.regenerateBotApiKey, { path: { bot_id: bot.user_id } })
  await ann.does(operations.deleteHook, { path: { hook_id: hook.id } })
  for (const again of [await tokens(), await keys(), await hooks()])
    assert.deepEqual([again.statusCode, again.json().code], [409, 'OUTCOME_UNKNOWN'])
})

test('accounts that the caller invited or promoted are listed, also after the invitation was withdrawn', async () => {
  const world = await newWorld()
  const { olga, ann, app, host } = world
  const { invite_link } = await olga.does(createInvitationLink, { invite_as: 100 })
  const { id } = (await olga.does(operations.getInvitations)).invites[0]!
  const form = { email: 'mallory@evil.test', full_name: 'Mallory', password: 'a long and random sentence' }
  await new FormBrowser({ app, host }).post(new URL(invite_link).pathname, form)
  await olga.does(operations.revokeInvitationLink, { path: { invite_id: id } })
  await olga.does(operations.updateUser, { path: { user_id: ann.id }, role: 200 })

  const { items } = await olga.does(getLastingAccess)
  assert.deepEqual(items.map(({ name }) => name).sort(), [ann.name, 'Mallory'].sort())
})

test('accounts whose email the caller changed are listed', async () => {
  const { olga, ben, ctx } = await newWorld()
  await ctx.db.updateTable('users').set({ can_change_user_emails: true }).where('id', '=', olga.id).execute()
  await olga.does(operations.updateUser, { path: { user_id: ben.id }, new_email: 'thief@example.com' })

  const { items } = await olga.does(getLastingAccess)
  assert.deepEqual(
    items.map(({ kind, id }) => [kind, id]),
    [['account', ben.id]],
  )
})

test('a session does not get the response to a request that had nothing to confirm', async () => {
  const world = await newWorld()
  const { ann, app } = world
  const session = await signIn(world, ann)
  const creates = (headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/bots',
      payload: 'full_name=Robot&short_name=robot',
      headers: { ...headers, 'idempotency-key': 'once', 'content-type': 'application/x-www-form-urlencoded' },
    })
  assert.equal((await creates(ann.headers)).statusCode, 200)

  const repeated = await creates(session.headers)
  assert.equal(repeated.statusCode, 422)
  assert.equal(repeated.json().api_key, undefined)
})
