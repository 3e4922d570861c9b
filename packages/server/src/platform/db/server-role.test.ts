import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asServer, createDatabase, newWorld } from '../../testing/world.ts'
import { createPool } from './pool.ts'
import { grantServing, roleOf } from './server-role.ts'

const forbidden = [
  'create table stolen (id int)',
  'alter table users add column hidden int',
  'drop table messages',
  'truncate messages',
  'create or replace function send_messages() returns int language sql as $$ select 1 $$',
  'create role intruder superuser',
  "copy users to program 'true'",
  "update migrations set checksum = ''",
  'delete from audit_log',
  "update audit_log set action = 'nothing'",
  'update audit_chains set number = 0',
]

for (const statement of forbidden)
  test(`the serving role may not ${statement}`, async () => {
    const { ctx } = await newWorld()
    await assert.rejects(ctx.pool.query(statement), /permission denied|must be (owner|superuser)|cannot|already exists/)
  })

test('a role of the operator can serve once the owner has granted it the rights', async (t) => {
  const url = await createDatabase()
  const owner = createPool({ url, log: () => {} })
  t.after(() => owner.end())
  const role = await roleOf(asServer(url))
  await owner.query(`revoke all on all tables in schema public from ${role}`)

  await grantServing(owner, role)

  const server = createPool({ url: asServer(url), log: () => {} })
  t.after(() => server.end())
  assert.deepEqual((await server.query('select count(*)::int as n from users')).rows, [{ n: 0 }])
})
