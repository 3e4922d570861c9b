import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { noSignOn, readSignOn } from './sign-on-file.ts'
import { parseSignOn } from './sign-on-schema.ts'

const provider = { id: 'acme', name: 'Acme', issuer: 'https://id.example.com', client_id: 'a', client_secret: 'b' }
const directory = { id: 'acme', name: 'Acme', urls: ['ldaps://ldap.example.com'], base: 'dc=example,dc=com' }
const proxy = { name: 'Intranet', email_header: 'X-Forwarded-Email', trusted_proxies: ['10.0.0.5'] }
const saml = { id: 'a', name: 'A', entity_id: 'a', sso_url: 'https://id.example.com', certificates: ['x'.repeat(100)] }
const problems: [string, object, RegExp][] = [
  ['a missing secret', { oidc: [{ ...provider, client_secret: undefined }] }, /client_secret/],
  ['an unknown key', { oidc: [{ ...provider, creat_users: true }] }, /\/oidc\/0\/creat_users is not known/],
  ['an unknown method', { oidcs: [] }, /\/oidcs is not known/],
  ['an id that does not fit into a URL', { oidc: [{ ...provider, id: 'a/b' }] }, /\/oidc\/0\/id/],
  ['two providers with one id', { oidc: [provider, provider] }, /two providers have the id acme/],
  ['a short key', { jwt: [{ algorithm: 'HS256', key: 'short' }] }, /\/jwt\/0/],
  ['a secret as public key', { jwt: [{ algorithm: 'RS256', key: 'x'.repeat(32) }] }, /\/jwt\/0/],
  ['a directory without TLS', { ldap: [{ ...directory, urls: ['ldap://ldap.example.com'] }] }, /must use ldaps/],
  ['TLS within TLS', { ldap: [{ ...directory, start_tls: true }] }, /needs ldap URLs for start_tls/],
  ['a service account without a password', { ldap: [{ ...directory, bind_dn: 'cn=parley' }] }, /bind_password/],
  ['a filter without parentheses', { ldap: [{ ...directory, filter: 'objectClass=person' }] }, /\/ldap\/0\/filter/],
  ['a SAML provider without TLS', { saml: [{ ...saml, sso_url: 'http://id.example.com' }] }, /must use https/],
  ['a SAML provider without a certificate', { saml: [{ ...saml, certificates: [] }] }, /\/saml\/0\/certificates/],
  ['an issuer without TLS', { oidc: [{ ...provider, issuer: 'http://id.example.com' }] }, /must use https/],
  [
    'a proxy without a list of trusted addresses',
    { header: [{ ...proxy, trusted_proxies: undefined }] },
    /trusted_proxies/,
  ],
  ['an empty list of trusted addresses', { header: [{ ...proxy, trusted_proxies: [] }] }, /trusted_proxies/],
  ['trusting the whole internet', { header: [{ ...proxy, trusted_proxies: ['0.0.0.0/0'] }] }, /not "0\.0\.0\.0\/0"/],
  ['a trusted proxy by its name', { header: [{ ...proxy, trusted_proxies: ['proxy'] }] }, /not "proxy"/],
  ['a network that is none', { header: [{ ...proxy, trusted_proxies: ['10.0.0.0/33'] }] }, /not "10\.0\.0\.0\/33"/],
  ['a header that is none', { header: [{ ...proxy, email_header: 'X Mail:' }] }, /email_header/],
]
for (const [name, content, expected] of problems)
  test(`${name} is refused, by its name`, () => {
    assert.throws(() => parseSignOn('sign-on.json', JSON.parse(JSON.stringify(content))), expected)
  })

test('a file that is missing is named; without one there is no single sign-on', () => {
  assert.throws(() => readSignOn('/nowhere/sign-on.json'), /SIGN_ON_FILE \/nowhere\/sign-on\.json cannot be read/)
  assert.deepEqual(readSignOn(undefined), noSignOn)
})

test('a provider on this machine may do without TLS', () => {
  const local = { ...provider, issuer: 'http://127.0.0.1:8080' }
  assert.deepEqual(parseSignOn('sign-on.json', { oidc: [local] }).oidc, [local])
})

test('the file is read', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'parley-test-')), 'sign-on.json')
  await writeFile(path, JSON.stringify({ oidc: [provider] }))
  assert.deepEqual(readSignOn(path), { ...noSignOn, oidc: [provider] })
})
