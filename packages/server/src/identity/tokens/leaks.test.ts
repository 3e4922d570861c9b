import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { type Scope, tempFolder } from '../../platform/postgres/test-support.ts'
import { runCommand } from '../../testing/command.ts'
import { startParley } from '../../testing/program.ts'
import { until } from '../../testing/until.ts'
import { createDatabase, newWorld } from '../../testing/world.ts'

const username = 'olga@example.com'
const password = 'correct canary battery'

/** A server with one organization that logs as much as it can. */
async function startTalkative(t: Scope) {
  const env = {
    DATABASE_URL: await createDatabase(),
    DATA_DIR: join(tempFolder(t), 'data'),
    SECRET_KEY: 'a secret only for the tests of Parley',
    LOG_LEVEL: 'trace',
  }
  const owner = ['--owner-email', username, '--owner-name', 'Olga']
  const create = ['realm', 'create', '--name', 'Example', '--string-id', 'example', ...owner]
  assert.equal((await runCommand(create, { env, input: password })).code, 0)
  const link = await runCommand(['user', 'reset-link', username], { env: { ...env, PUBLIC_URL: 'https://chat.test' } })
  const server = await startParley(t, [], { env })
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  t.after(() => client.end())
  return { server, client, reset: /\/reset\/([\w-]{43})/.exec(link.output)![1]! }
}

test('no password, cookie, key or token is logged, even at the level trace and with failing requests', async (t) => {
  const { server, client, reset } = await startTalkative(t)
  const { url } = server
  const page = { origin: url, 'parley-client': 'web' }
  const post = (path: string, form: Record<string, string>, headers = {}) =>
    fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(form), headers: { ...page, ...headers } })
  const signedIn = await post('/api/v1/sessions', { username, password })
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const keyOf = async (form: Record<string, string>) =>
    ((await (await post('/api/v1/fetch_api_key', { username, password, ...form })).json()) as { api_key: string })
      .api_key
  const [key, token] = [await keyOf({}), await keyOf({ device_name: 'phone' })]
  const secrets = { password, key, token, reset, cookie: cookie.split('=')[1]!, guess: 'a wrong canary guess' }

  const useEverything = async () => {
    const basic = { authorization: `Basic ${Buffer.from(`${username}:${key}`).toString('base64')}` }
    for (const headers of [{ cookie }, basic, { authorization: `Bearer ${token}` }] as Record<string, string>[])
      for (const path of ['users/me', 'nowhere', 'messages?narrow=x', `users/me?api_key=${key}`])
        await fetch(`${url}/api/v1/${path}`, { headers })
    for (const path of [`/reset/${reset}`, `/join/${token}`, `/user_uploads/1/x?api_key=${token}`])
      await fetch(`${url}${path}`)
    for (const path of ['/api/v1/sessions', '/api/v1/fetch_api_key', '/login'])
      await post(path, { username, email: username, password: secrets.guess })
    await post(`/reset/${reset}`, { password: 'weak' })
  }
  await useEverything()
  for (const table of ['credentials', 'login_failures', 'password_resets', 'users'])
    await client.query(`alter table ${table} rename to hidden_${table}`)
  await post('/api/v1/sessions', { username, password })
  await useEverything()
  await until(() => server.output().includes('a request failed'))

  const encoded = [...Object.entries(secrets), ['basic', Buffer.from(`${username}:${key}`).toString('base64')]]
  for (const [name, secret] of encoded)
    for (const form of [secret!, encodeURIComponent(secret!), secret!.replaceAll(' ', '+')])
      assert.ok(!server.output().includes(form), `the ${name} is in the log`)
})

test('pages whose URL contains a token send it to no other site', async () => {
  const { app, host } = await newWorld()
  for (const url of ['/reset/x', '/join/x', '/start/x', '/accounts/confirm_new_email/x', '/nowhere?token=x']) {
    const { headers } = await app.inject({ url, headers: { host, accept: 'text/html' } })
    assert.match(String(headers['referrer-policy']), /^(no-referrer|same-origin)$/, url)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/, url)
    assert.doesNotMatch(String(headers['content-security-policy']), /https?:|\*/, url)
    assert.equal(headers['cache-control'], 'no-store', url)
  }
})
