import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editMessage } from '@parley/api/conversations/editing'
import { addReaction, removeReaction } from '@parley/api/conversations/reactions'
import { newWorld } from '../../testing/world.ts'
import { query } from '../postgres/test-support.ts'

/** Tables of the whole installation. They are not moved with a realm. */
const withoutRealm = {
  realms: 'its id is the realm',
  caught_mail: 'emails of the demo',
  log_history: 'which copy of the database this is',
  login_failures: 'counted per IP address',
  migrations: 'of the schema',
  processes: 'running processes',
  rate_limits: 'counted per user or IP address',
  send_batches: 'the last batch of each process, with messages of several realms',
  server_generation: 'of the running servers',
  server_settings: 'what the operator sets for all realms',
  start_links: 'before there is a realm',
  used_challenges: 'hashes of challenges, for some minutes',
  vapid_keys: 'one pair for the installation',
  acme_accounts: 'one for the installation',
  tls_certificates: 'by host; one certificate for the installation too',
  tls_challenges: 'by host',
}

test('realm_id leads every primary and foreign key', async () => {
  const { ownerUrl } = await newWorld()
  const keys = await query(
    ownerUrl,
    `select conrelid::regclass::text as table, pg_get_constraintdef(k.oid) as key
       from pg_constraint k join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
      where contype in ('p', 'f') and connamespace = 'public'::regnamespace and attname <> 'realm_id'
      order by 1`,
  )
  const others = keys.filter(({ table }) => !Object.hasOwn(withoutRealm, table as string))
  assert.deepEqual(others, [])
  assert.ok(keys.every(({ key }) => (key as string).startsWith('PRIMARY KEY')))
})

test('one realm can be published while it is used: no table refuses changes because of the row filter', async (t) => {
  const { ann, ben, realmId, ownerUrl } = await newWorld()
  const tables = await query(
    ownerUrl,
    `select format('%I where (realm_id = ${realmId})', relname) as published
       from pg_class c join pg_attribute a on attrelid = c.oid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p' and attname = 'realm_id'`,
  )
  const list = tables.map(({ published }) => published).join()
  await query(ownerUrl, `create publication one_realm for table ${list}`)
  t.after(() => query(ownerUrl, 'drop publication one_realm'))

  const message_id = await ann.sends({ to: [ben] })
  await ben.does(addReaction, { path: { message_id }, emoji_name: 'tada' })
  await ben.does(removeReaction, { path: { message_id }, emoji_name: 'tada' })
  await ann.does(editMessage, { path: { message_id }, content: 'edited' })
})
