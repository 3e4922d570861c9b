import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PluginTransformQueryArgs } from 'kysely'
import { noSignOn } from '../boot/sign-on-file.ts'
import { type Context, transactIn } from '../context.ts'
import { buildApp } from '../http/app.ts'
import type { Database } from '../platform/db/pool.ts'
import { accessWithPassword } from '../sign-in/accounts.ts'
import { changePassword } from '../sign-in/credentials.ts'
import type { PasswordDirectories } from '../sign-in/directory.ts'
import { hashPassword } from '../sign-in/passwords.ts'
import { newWorld } from '../testing/world.ts'
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

test('server_settings says that a directory is used', async () => {
  const app = buildApp(configured)
  test.after(() => app.close())
  const answer = await app.inject({ url: '/api/v1/server_settings', headers: { host } })
  assert.equal(answer.json().authentication_methods.ldap, true)
})
