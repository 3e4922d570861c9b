import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import type { PluginTransformQueryArgs } from 'kysely'
import { noSignOn } from '../../../config/sign-on-file.ts'
import { type Context, transactIn } from '../../../context.ts'
import { buildApp } from '../../../http/app.ts'
import type { Database } from '../../../platform/db/pool.ts'
import { newWorld } from '../../../testing/world.ts'
import { changePassword } from '../../passwords/credentials.ts'
import { hashPassword } from '../../passwords/passwords.ts'
import { accessWithPassword } from '../../sign-in/accounts.ts'
import type { PasswordDirectories } from '../../sign-in/directory.ts'
import { ldapDirectories } from './ldap.ts'

// With a real directory, and with one that is away: thorough/ldap*.test.ts.
const { ctx, host, ben, realmId } = await newWorld()
const ldap = [{ id: 'acme', name: 'Acme', base: 'dc=acme,dc=test', urls: ['ldap://127.0.0.1:9'] }]
const configured: Context = { ...ctx, config: { ...ctx.config, signOn: { ...noSignOn, ldap } } }

test('a password costs one more query with a directory, and none without', async () => {
  const hash = await hashPassword('a local password')
  await transactIn(ctx, realmId, (tx) => changePassword(tx, ben.id, hash, null))
  const { realm } = await ctx.realms.get(realmId)
  const typed = { email: ben.credentials.email, password: 'a local password', network: '10.5.0.1' }
  const count = async (directoriesOn: (db: Database) => PasswordDirectories | undefined) => {
    let queries = 0
    const transformQuery = ({ node }: PluginTransformQueryArgs) => {
      queries++
      return node
    }
    const db = ctx.db.withPlugin({ transformQuery, transformResult: async ({ result }) => result })
    await accessWithPassword({ db, directories: directoriesOn(db) }, realm, typed)
    return queries
  }
  assert.equal(await count(() => undefined), 2)
  assert.equal(await count((db) => ldapDirectories({ ...configured, db })), 3)
})

/** A server that ends every connection once it has received something. */
async function startClosing(remoteAddress: string) {
  let visits = 0
  const server = createServer((socket) => {
    visits++
    socket.once('data', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => server.close())
  const urls = [`ldap://127.0.0.1:${(server.address() as AddressInfo).port}`]
  const own: Context = { ...ctx, config: { ...ctx.config, signOn: { ...noSignOn, ldap: [{ ...ldap[0]!, urls }] } } }
  const app = buildApp({ ...own, directories: ldapDirectories(own) })
  test.after(() => app.close())
  const signIn = async (url: string, form: Record<string, string>) => {
    const headers = { host, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    const payload = new URLSearchParams(form).toString()
    return (await app.inject({ method: 'POST', url, headers, payload, remoteAddress })).statusCode
  }
  return { signIn, visits: () => visits }
}

test('a directory that ended a connection is asked again at once', async () => {
  const { signIn, visits } = await startClosing('10.5.0.3')
  for (const n of [1, 2, 3]) {
    assert.equal(await signIn('/api/v1/fetch_api_key', { username: `nobody${n}@acme.test`, password: 'x' }), 503)
    assert.equal(visits(), n)
  }
})

test('names of more than 254 characters are refused without asking the directory', async () => {
  const { signIn, visits } = await startClosing('10.5.0.2')
  for (const length of [255, 4000]) {
    const name = 'x'.repeat(length)
    assert.equal(await signIn('/api/v1/fetch_api_key', { username: name, password: 'x' }), 401)
    assert.equal(await signIn('/login', { email: name, password: 'x' }), 401)
  }
  assert.equal(visits(), 0)
  const rows = await ctx.db.selectFrom('login_failures').select('key').where('key', 'like', '%10.5.0.2').execute()
  assert.deepEqual(rows, [])
})

test('server_settings says that a directory is used', async () => {
  const app = buildApp(configured)
  test.after(() => app.close())
  const answer = await app.inject({ url: '/api/v1/server_settings', headers: { host } })
  assert.equal(answer.json().authentication_methods.ldap, true)
})
