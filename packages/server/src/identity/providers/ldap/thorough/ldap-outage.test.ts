import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { noSignOn } from '../../../../config/sign-on-file.ts'
import { type Context, transactIn } from '../../../../context.ts'
import { buildApp } from '../../../../http/app.ts'
import { newWorld } from '../../../../testing/world.ts'
import { changePassword } from '../../../passwords/credentials.ts'
import { hashPassword } from '../../../passwords/passwords.ts'
import { ldapDirectories } from '../ldap.ts'

// With a real directory: ldap.test.ts.
const { ctx, host, olga, ann, ben, realmId } = await newWorld()
const hash = await hashPassword('a local password')
for (const { id } of [olga, ann, ben]) await transactIn(ctx, realmId, (tx) => changePassword(tx, id, hash, null))
for (const { id } of [olga, ann]) {
  const identity = { realm_id: realmId, provider: 'ldap:acme', subject: `entry ${id}`, user_id: id }
  await ctx.db.insertInto('external_identities').values(identity).execute()
}

function contextWith(urls: string[]): Context {
  const ldap = [{ id: 'acme', name: 'Acme', base: 'dc=acme,dc=test', urls, timeout_seconds: 1 }]
  return { ...ctx, config: { ...ctx.config, signOn: { ...noSignOn, ldap } } }
}

function serverWith(urls: string[]) {
  const own = contextWith(urls)
  const app = buildApp({ ...own, directories: ldapDirectories(own) })
  after(() => app.close())
  return app
}

let asked = 0
async function signIn(app: ReturnType<typeof buildApp>, email: string, password = 'a local password') {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/api/v1/fetch_api_key',
    remoteAddress: `10.3.0.${asked++}`,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ username: email, password }).toString(),
  })
  return `${statusCode} ${statusCode === 200 ? 'in' : (JSON.parse(body) as { msg: string }).msg}`
}

const refusing = serverWith(['ldap://127.0.0.1:9'])
const away = '503 The directory of Acme does not answer, so your password cannot be checked. Try again later.'

/** A server that accepts connections and says nothing. */
async function startSilent(): Promise<{ url: string; visits: () => number }> {
  let visits = 0
  const server = createServer(() => void visits++).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return { url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`, visits: () => visits }
}

test('while the directory is away, owners and accounts that are not in it sign in with their local password', async () => {
  const silent = await startSilent()
  for (const url of ['ldap://127.0.0.1:9', silent.url]) {
    assert.equal(await signIn(serverWith([url]), olga.credentials.email), '200 in')
    assert.equal(await signIn(serverWith([url]), ann.credentials.email), away)
  }
  assert.equal(await signIn(refusing, ben.credentials.email), '200 in')
  assert.equal(await signIn(refusing, 'nobody@acme.test'), away)
  assert.equal(await signIn(refusing, olga.credentials.email, 'wrong'), away)
})

test('sign-ins do not wait one after the other for a directory that hangs', async () => {
  const silent = await startSilent()
  const app = serverWith([silent.url])
  await signIn(app, ann.credentials.email)
  const before = silent.visits()
  for (let round = 0; round < 2; round++) await signIn(app, ann.credentials.email)
  assert.equal(silent.visits(), before)
})

test('guesses count while the directory is away', async () => {
  const { credentials } = olga
  const guess = () =>
    refusing.inject({
      method: 'POST',
      url: '/api/v1/fetch_api_key',
      remoteAddress: '10.4.0.1',
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ username: credentials.email, password: 'wrong' }).toString(),
    })
  const codes: number[] = []
  for (let round = 0; round < 6; round++) codes.push((await guess()).statusCode)
  assert.deepEqual(codes, [503, 503, 503, 503, 503, 429])
})
