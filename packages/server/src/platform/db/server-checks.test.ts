import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openDatabase } from '../../boot/open-database.ts'
import { readConfig } from '../../config.ts'
import { databaseUrl } from '../../testing/global-setup.ts'
import { createDatabase } from '../../testing/world.ts'
import { query } from '../postgres/test-support.ts'
import { checkAbilities } from './server-checks.ts'

test('a database that lacks an ability is refused with its name, and nothing is left of the probes', async (t) => {
  const client = new pg.Client({ connectionString: await createDatabase() })
  await client.connect()
  t.after(() => client.end())
  await checkAbilities(client)
  await assert.rejects(checkAbilities(client, { 'time travel': 'select travel()' }), {
    name: 'StartupError',
    message: /^The database lacks time travel \(function travel\(\) does not exist\): use PostgreSQL 15 or newer/,
  })
  assert.deepEqual((await client.query(`select 1 from pg_class where relname = 'probe'`)).rows, [])
})

test('a role that owns its database needs no other rights, as on managed services', async (t) => {
  const server = process.env.PARLEY_TEST_DATABASE!
  const run = (sql: string) => query(server, sql)
  await run('drop database if exists managed')
  await run('drop role if exists managed')
  await run(`create role managed login nosuperuser nocreatedb nocreaterole password 'managed'`)
  await run('create database managed owner managed template template0')
  t.after(async () => {
    await run('drop database managed with (force)')
    await run('drop role managed')
  })
  const url = new URL(databaseUrl(server, 'managed'))
  url.username = 'managed'
  url.password = 'managed'
  const lines: string[] = []

  const { close } = await openDatabase(readConfig('production', { DATABASE_URL: url.toString() }), (line) =>
    lines.push(line),
  )
  await close()

  assert.match(lines.join('\n'), /Brought the database up to date: 0001_initial_schema/)
  const rows = await query(url.toString(), 'select check_history()')
  assert.equal(rows.length, 1)
})
