import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { register } from '@parley/api/delivery/queues'
import * as exporting from '@parley/api/operation/export'
import { getServerSettings } from '@parley/api/server'
import { fakeDomain } from '../../callers/realm-state.ts'
import type { Config } from '../../config.ts'
import { demoHosts } from '../../config.ts'
import { createRealm } from '../../identity/accounts/create-realm.ts'
import { RealmHosts } from '../../organization/realms/hosts.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { buildApp } from '../app.ts'

function withConfig(t: TestContext, { ctx }: World, changes: Partial<Config>) {
  const config = { ...ctx.config, ...changes }
  const app = buildApp({ ...ctx, config, hosts: new RealmHosts(ctx.db, demoHosts(config)) })
  t.after(() => app.close())
  return app
}

test('neither the port of Host nor X-Forwarded-Host ends up in a URL', async (t) => {
  const world = await newWorld()
  const { ann, host } = world
  const app = withConfig(t, world, { trustProxy: ['127.0.0.1'] })
  const forged = { host: `${host}:6666`, 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.7' }
  const headers = { ...ann.headers, ...forged, 'content-type': 'application/x-www-form-urlencoded' }
  const settings = await app.inject({ url: `/api/v1${getServerSettings.path}`, headers })
  assert.equal(settings.json().realm_url, `http://${host}`)
  const registered = await app.inject({ method: 'POST', url: `/api/v1${register.path}`, headers })
  assert.doesNotMatch(registered.body, /evil\.example|6666/)
  const rendered = await app.inject({
    method: 'POST',
    url: '/api/v1/messages/render',
    headers,
    payload: `content=${encodeURIComponent('http://evil.example/a.png')}`,
  })
  assert.match(rendered.body, /http:\/\/evil\.example/)
})

test('the URL of an export uses the host of its organization', async (t) => {
  const world = await newWorld()
  const { adam, host, ctx, realmId } = world
  const app = withConfig(t, world, { publicUrl: 'https://chat.example.com:8443' })
  const headers = { ...adam.headers, host: `${host}:6666` }
  await app.inject({ method: 'POST', url: `/api/v1${exporting.exportRealm.path}`, headers })
  const { base_url } = await ctx.db
    .selectFrom('realm_exports')
    .select('base_url')
    .where('realm_id', '=', realmId)
    .executeTakeFirstOrThrow()
  assert.equal(base_url, `https://${host}:8443`)
})

test('an organization without a host has the URL of PUBLIC_URL, or of the socket, never that of Host', async (t) => {
  const world = await newWorld()
  const realmId = await createRealm(world.ctx, { string_id: 'anywhere', host: null, name: 'Anywhere' })
  // Otherwise it would get the requests to new worlds until their hosts are read.
  t.after(() => world.ctx.db.updateTable('realms').set({ host: 'anywhere.test' }).where('id', '=', realmId).execute())
  const urlAt = async (publicUrl: string | undefined) => {
    const headers = { host: 'evil.example' }
    const app = withConfig(t, world, { publicUrl })
    return (await app.inject({ url: `/api/v1${getServerSettings.path}`, headers })).json().realm_url
  }
  assert.equal(await urlAt('https://chat.example.com'), 'https://chat.example.com')
  assert.equal(await urlAt(undefined), 'http://127.0.0.1')
})

test('a demo answers only to names of this machine and to its configured one', async (t) => {
  const world = await newWorld()
  const app = withConfig(t, world, { mode: 'demo', host: '127.0.0.2', publicUrl: 'https://demo.example.com' })
  const status = async (host: string, url: string) => (await app.inject({ url, headers: { host } })).statusCode
  for (const url of ['/health', '/demo/mail', '/metrics', '/api/v1/server_settings', '/api/v1/docs']) {
    assert.equal(await status('evil.example', url), 404, url)
    assert.equal(await status('localhost.evil.example:9991', url), 404, url)
    for (const host of ['localhost:9991', '127.0.0.1', '[::1]:80', '127.0.0.2', 'demo.example.com', world.host])
      assert.equal(await status(host, url), 200, `${host} ${url}`)
  }
})

test('neither an IP address nor a host with a port becomes the domain of an email', () => {
  for (const host of [null, '127.0.0.1', '[::1]', '::1', 'chat.example.com:9991'])
    assert.equal(fakeDomain({ host, string_id: 'x' }), 'x.invalid')
  assert.equal(fakeDomain({ host: 'chat.example.com', string_id: 'x' }), 'chat.example.com')
})
