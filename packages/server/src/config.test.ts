import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { checkServerSettings } from './platform/db/server-checks.ts'

const sound = { encoding: 'UTF8', fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }

test('by default the server listens on this machine only', () => {
  const { host, port, databaseUrl } = readConfig('production', {})

  assert.deepEqual([host, port, databaseUrl], ['127.0.0.1', 9991, undefined])
})

test('an invalid value is refused, and the error names the setting', () => {
  const refused = { PORT: '70000', SECRET_KEY: 'short', PUBLIC_URL: 'chat', TRUST_PROXY: '10.0.0.0/64', LOG_LEVEL: 'x' }
  for (const [name, value] of Object.entries({ ...refused, REALM_UPLOAD_QUOTA: '1.5' }))
    assert.throws(() => readConfig('production', { [name]: value }), new RegExp(`StartupError: ${name} `))
})

test('TLS has one source of certificates, an https URL, and ports of its own', () => {
  const PUBLIC_URL = 'https://chat.example.com'
  const auto = readConfig('production', { TLS: 'auto', PUBLIC_URL })
  assert.deepEqual([auto.host, auto.port, auto.tls?.httpPort], ['0.0.0.0', 443, 80])
  const files = { TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' }
  assert.deepEqual(readConfig('production', { ...files, PUBLIC_URL }).tls?.from, {
    certFile: 'cert.pem',
    keyFile: 'key.pem',
  })
  for (const [env, named] of [
    [{ TLS: 'auto' }, 'TLS needs PUBLIC_URL'],
    [{ TLS: 'on', PUBLIC_URL }, 'TLS must be "auto"'],
    [{ TLS: 'auto', ...files, PUBLIC_URL }, 'TLS=auto orders'],
    [{ TLS_CERT_FILE: 'cert.pem', PUBLIC_URL }, 'TLS_CERT_FILE and TLS_KEY_FILE belong'],
    [{ TLS: 'auto', PUBLIC_URL: 'https://192.0.2.1' }, 'TLS=auto needs PUBLIC_URL with a host name'],
    [{ TLS: 'auto', PUBLIC_URL, ACME_DIRECTORY: 'http://ca.example.com/' }, 'ACME_DIRECTORY must'],
  ] as const)
    assert.throws(() => readConfig('production', env), new RegExp(`StartupError: ${named}`))
})

test('an image proxy needs both a URL and a key', () => {
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

test('video calls need both a URL and a secret', () => {
  const url = 'https://calls.example.com/bigbluebutton/'
  const { bigBlueButton } = readConfig('demo', { BIG_BLUE_BUTTON_URL: url, BIG_BLUE_BUTTON_SECRET: 's' })
  assert.deepEqual(bigBlueButton, { url: 'https://calls.example.com/bigbluebutton', secret: 's' })
  for (const env of [{ BIG_BLUE_BUTTON_URL: url }, { BIG_BLUE_BUTTON_SECRET: 's' }])
    assert.throws(() => readConfig('demo', env), /StartupError: BIG_BLUE_BUTTON_URL /)
})

test('emails are received at the domain that is set, or at the host of PUBLIC_URL', () => {
  const mailIn = (env: Record<string, string>) => readConfig('production', env).mailIn
  const listener = { protocol: 'lmtp', host: '127.0.0.1', port: 2525 }
  const MAIL_IN_URL = 'lmtp://127.0.0.1:2525'
  assert.equal(mailIn({ PUBLIC_URL: 'https://chat.example.com' }), undefined)
  assert.deepEqual(mailIn({ MAIL_IN_URL, PUBLIC_URL: 'https://chat.example.com' }), {
    domain: 'chat.example.com',
    authority: undefined,
    listener,
  })
  assert.deepEqual(mailIn({ MAIL_IN_DOMAIN: 'In.Example.com', MAIL_IN_AUTH: 'mx.example.com' }), {
    domain: 'in.example.com',
    authority: 'mx.example.com',
    listener: undefined,
  })
  for (const MAIL_IN_URL of ['lmtp://x', 'http://127.0.0.1:25', 'lmtp://127.0.0.1:99999', 'lmtp://a b:25'])
    assert.throws(() => mailIn({ MAIL_IN_URL, MAIL_IN_DOMAIN: 'example.com' }), /StartupError: MAIL_IN_URL /)
  assert.throws(() => mailIn({ MAIL_IN_URL, PUBLIC_URL: 'https://192.0.2.1' }), /StartupError: MAIL_IN_URL /)
  assert.throws(() => mailIn({ MAIL_IN_DOMAIN: 'a@b' }), /StartupError: MAIL_IN_DOMAIN /)
  assert.throws(() => mailIn({ MAIL_IN_AUTH: 'mx.example.com' }), /StartupError: MAIL_IN_AUTH /)
})

test('networks and named networks are accepted as trusted proxies', () => {
  const { trustProxy } = readConfig('production', { TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8, 192.0.2.1' })

  assert.deepEqual(trustProxy, ['loopback', '10.0.0.0/8', 'fd00::/8', '192.0.2.1'])
})

test('the demo refuses to listen on a public IP address', () => {
  assert.throws(() => readConfig('demo', { HOST: '192.0.2.1' }), /unset HOST/)
  assert.equal(readConfig('demo', { HOST: '::1' }).host, '::1')
  assert.equal(readConfig('production', { HOST: '0.0.0.0' }).host, '0.0.0.0')
})

test('a PostgreSQL that could lose acknowledged commits is refused', () => {
  checkServerSettings(sound)
  checkServerSettings({ ...sound, synchronous_commit: 'remote_apply' })
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'])
    assert.throws(() => checkServerSettings({ ...sound, [name]: 'off' }), new RegExp(`${name} = off`))
})

test('a database in another encoding is refused', () => {
  assert.throws(() => checkServerSettings({ ...sound, encoding: 'LATIN1' }), /LATIN1/)
})
