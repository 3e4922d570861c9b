import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertResponse } from '../testing/schema.ts'
import { newWorld } from '../testing/world.ts'

test('server_settings needs no credentials and names the organization at the host', async () => {
  const { app, host } = await newWorld()

  const answer = await app.inject({ url: '/api/v1/server_settings', headers: { host } })

  const body = answer.json()
  assert.equal(answer.statusCode, 200)
  assertResponse('getServerSettings', body)
  assert.equal(body.zulip_feature_level, 372)
  assert.equal(body.realm_name, 'Test')
  assert.equal(body.realm_url, `http://${host}`)
  assert.equal(body.realm_uri, body.realm_url)
  assert.equal(body.email_auth_enabled, true)
  assert.equal(body.require_email_format_usernames, true)
  assert.equal(body.authentication_methods.password, true)
  assert.equal(body.authentication_methods.ldap, false)
  assert.equal(body.authentication_methods.dev, false)
})

test('server_settings ignores credentials, even invalid ones', async () => {
  const { app, host } = await newWorld()
  const authorization = `Basic ${Buffer.from('nobody@x:wrong').toString('base64')}`
  const answer = await app.inject({ url: '/api/v1/server_settings', headers: { host, authorization } })
  assert.equal(answer.statusCode, 200)
})

test('at a host without an organization, server_settings describes only the server', async () => {
  const { app } = await newWorld()

  const answer = await app.inject({ url: '/api/v1/server_settings', headers: { host: 'elsewhere.example' } })

  assertResponse('getServerSettings', answer.json())
  assert.deepEqual(
    Object.keys(answer.json()).filter((name) => name.startsWith('realm_')),
    [],
  )
})

test('the emoji names are at the URL in the registration response, public and cacheable', async () => {
  const { app, ann, host } = await newWorld()
  const { server_emoji_data_url } = await ann.registers({ fetch_event_types: ['realm'] })
  const url = new URL(server_emoji_data_url!)
  assert.equal(url.host, host)

  const answer = await app.inject({ url: url.pathname, headers: { host } })
  const again = await app.inject({
    url: url.pathname,
    headers: { host, 'if-none-match': String(answer.headers.etag) },
  })

  assert.equal(answer.statusCode, 200)
  assert.ok(answer.json().code_to_names['1f604'].includes('smile'))
  assert.match(String(answer.headers['cache-control']), /max-age=\d+/)
  assert.equal(again.statusCode, 304)
  assert.equal(again.body, '')
})
