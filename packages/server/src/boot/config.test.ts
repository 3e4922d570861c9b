import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { checkServerSettings } from './open-database.ts'

const sound = { version: 18, encoding: 'UTF8', fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }

test('with nothing set the server is for this machine only', () => {
  const { host, port, databaseUrl } = readConfig('production', {})

  assert.deepEqual([host, port, databaseUrl], ['127.0.0.1', 9991, undefined])
})

test('a value that cannot be used is refused by name', () => {
  const refused = { PORT: '70000', SECRET_KEY: 'short', PUBLIC_URL: 'chat', TRUST_PROXY: '10.0.0.0/64', LOG_LEVEL: 'x' }
  for (const [name, value] of Object.entries({ ...refused, REALM_UPLOAD_QUOTA: '1.5' }))
    assert.throws(() => readConfig('production', { [name]: value }), new RegExp(`StartupError: ${name} `))
})

test('a proxy for pictures needs an address and a key', () => {
  const url = 'https://media.example.com/ext/'
  assert.deepEqual(readConfig('demo', { MEDIA_PROXY_URL: url, MEDIA_PROXY_KEY: 'k' }).mediaProxy, {
    url: 'https://media.example.com/ext',
    key: 'k',
  })
  for (const env of [
    { MEDIA_PROXY_URL: url },
    { MEDIA_PROXY_KEY: 'k' },
    { MEDIA_PROXY_URL: 'x', MEDIA_PROXY_KEY: 'k' },
  ])
    assert.throws(() => readConfig('demo', env), /StartupError: MEDIA_PROXY_URL /)
})

test('networks and names of networks are believed as proxies', () => {
  const { trustProxy } = readConfig('production', { TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8, 192.0.2.1' })

  assert.deepEqual(trustProxy, ['loopback', '10.0.0.0/8', 'fd00::/8', '192.0.2.1'])
})

test('the demo is refused on an address that others reach', () => {
  assert.throws(() => readConfig('demo', { HOST: '192.0.2.1' }), /unset HOST/)
  assert.equal(readConfig('demo', { HOST: '::1' }).host, '::1')
  assert.equal(readConfig('production', { HOST: '0.0.0.0' }).host, '0.0.0.0')
})

test('a PostgreSQL that could lose what it acknowledged is refused', () => {
  checkServerSettings(sound)
  checkServerSettings({ ...sound, version: 15, synchronous_commit: 'remote_apply' })
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'])
    assert.throws(() => checkServerSettings({ ...sound, [name]: 'off' }), new RegExp(`${name} = off`))
})

test('a PostgreSQL of another version or encoding is refused', () => {
  assert.throws(() => checkServerSettings({ ...sound, version: 14 }), /15 to 18 and DATABASE_URL leads to 14/)
  assert.throws(() => checkServerSettings({ ...sound, version: 19 }), /15 to 18/)
  assert.throws(() => checkServerSettings({ ...sound, encoding: 'LATIN1' }), /LATIN1/)
})
