import assert from 'node:assert/strict'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type pg from 'pg'
import { until } from '../../../testing/until.ts'
import { createDatabase, newWorld } from '../../../testing/world.ts'
import { migrationsFolder } from '../../installation.ts'
import { tempFolder } from '../../postgres/test-support.ts'
import { createPool } from '../pool.ts'
import { findMissing, migrate } from './migrate.ts'

/** A migrated database, as its owner. */
async function openMigrated(t: TestContext): Promise<pg.Pool> {
  const pool = createPool({ url: await createDatabase(), log: () => {} })
  t.after(() => pool.end())
  return pool
}

async function assertRefused(pool: pg.Pool, reason: RegExp): Promise<void> {
  await assert.rejects(migrate(pool), { name: 'StartupError', message: reason })
}

test('processes that start together on an empty database migrate it once', async (t) => {
  const pool = await openMigrated(t)
  const all = (await pool.query<{ name: string }>('select name from migrations order by name')).rows
  await pool.query('drop schema public cascade; drop schema jobs cascade; create schema public')

  const applied = await Promise.all([migrate(pool), migrate(pool)])

  assert.deepEqual(
    applied.toSorted((a, b) => a.length - b.length),
    [[], all.map(({ name }) => name)],
  )
})

test('a database of an unreleased version is refused with a hint what to do', async (t) => {
  const pool = await openMigrated(t)
  await pool.query(`update migrations set name = '0001_foundation.sql' where name like '0001%'`)
  await assertRefused(pool, /created by .* before the first release.*: set DATA_DIR to a new folder or DATABASE_URL/)
})

test('a database that a newer version has migrated is refused', async (t) => {
  const pool = await openMigrated(t)
  await pool.query(`insert into migrations (name, checksum) values ('9999_later.sql', '')`)
  await assertRefused(pool, /migrated by a newer Parley \(it has 9999_later\.sql\)/)
})

test('a migration that was changed after it had been applied is refused', async (t) => {
  const pool = await openMigrated(t)
  await pool.query(`update migrations set checksum = 'x' where name like '0001%'`)
  await assertRefused(pool, /^Migration 0001_initial_schema\.sql was changed after it had been applied/)
})

test('a check names what would be applied, changes nothing, and refuses what a migration refuses', async (t) => {
  const pool = await openMigrated(t)
  assert.deepEqual(await findMissing(pool), [])
  const { rows } = await pool.query<{ name: string }>(
    'delete from migrations where name = (select max(name) from migrations) returning name',
  )
  assert.deepEqual(await findMissing(pool), [rows[0]!.name])
  assert.deepEqual(await findMissing(pool), [rows[0]!.name])
  await pool.query(`insert into migrations (name, checksum) values ('9999_later.sql', '')`)
  await assert.rejects(findMissing(pool), /migrated by a newer Parley/)
  await pool.query('drop schema public cascade; create schema public')
  assert.ok((await findMissing(pool)).length > 1)
})

test('a migration that fails says so in one sentence and changes nothing; what was applied before it stays', async (t) => {
  const pool = await openMigrated(t)
  const repeated = ['0440_deleted_messages.sql', '0450_suspensions.sql'] // both create a table that exists
  await pool.query('delete from migrations where name = any($1)', [repeated])
  await pool.query('drop table deleted_messages cascade')
  await assertRefused(
    pool,
    /^Migration 0450_suspensions\.sql failed \(.*already exists\) and changed nothing; a server/,
  )
  assert.deepEqual(await findMissing(pool), ['0450_suspensions.sql'])
  const { rows } = await pool.query<{ name: string }>('select name from migrations where pending')
  assert.deepEqual(rows, [{ name: '0440_deleted_messages.sql' }])
  await pool.query('drop table suspensions cascade')
  assert.deepEqual(await migrate(pool), ['0450_suspensions.sql'])
  assert.equal((await pool.query('select from migrations where pending')).rowCount, 0)
})

test('after an upgrade that failed, the version before still starts, and leaves the upgrade unfinished', async (t) => {
  const pool = await openMigrated(t)
  await pool.query(`insert into migrations (name, checksum, pending) values ('9999_later.sql', '', true)`)

  assert.deepEqual(await migrate(pool), [])

  await pool.query('update migrations set pending = false where pending')
  await assertRefused(pool, /migrated by a newer Parley/)
})

/** All migrations, and one more. */
async function withMigration(t: TestContext, name: string, sql: string): Promise<string> {
  const folder = tempFolder(t)
  await cp(migrationsFolder, folder, { recursive: true })
  await writeFile(join(folder, name), sql)
  return folder
}

const impatient = { lockMilliseconds: 50, pauseMilliseconds: 20, attempts: 3 }

test('a migration does not make others wait behind a long transaction: it gives up its lock and tries again', async (t) => {
  const pool = await openMigrated(t)
  const folder = await withMigration(t, '9000_later.sql', 'alter table messages add column later text;')
  const reader = await pool.connect()
  await reader.query('begin; select from messages limit 1')
  const applied = migrate(pool, { folder, timing: { ...impatient, attempts: 1000 } })
  const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await until(async () => (await pool.query(isWaiting)).rowCount === 1)

  await pool.query('select from messages limit 1') // waits for one attempt at most

  await reader.query('commit')
  reader.release()
  assert.deepEqual(await applied, ['9000_later.sql'])
})

test('a migration that never gets its lock says what to do and changes nothing', async (t) => {
  const pool = await openMigrated(t)
  const folder = await withMigration(t, '9000_later.sql', 'alter table messages add column later text;')
  const reader = await pool.connect()
  await reader.query('begin; select from messages limit 1')
  const reason = /^Migration 9000_later\.sql changed nothing, because a transaction held a lock .* pg_stat_activity/
  await assert.rejects(migrate(pool, { folder, timing: impatient }), { name: 'StartupError', message: reason })
  reader.release(true)
  assert.deepEqual(await findMissing(pool), [])
  assert.deepEqual(await migrate(pool, { folder }), ['9000_later.sql'])
})

const concurrent = `-- An index on a large table.
drop index concurrently if exists messages_by_client;
create index concurrently messages_by_client
  on messages (realm_id, client);
`

test('an index is created beside running transactions, also where an earlier attempt was interrupted', async (t) => {
  const pool = await openMigrated(t)
  await pool.query('create index messages_by_client on messages (realm_id, id)')
  const folder = await withMigration(t, '9000_index.concurrent.sql', concurrent)

  const applied = await Promise.all([migrate(pool, { folder }), migrate(pool, { folder })])

  assert.deepEqual(
    applied.toSorted((a, b) => a.length - b.length),
    [[], ['9000_index.concurrent.sql']],
  )
  const { rows } = await pool.query<{ text: string }>(
    `select pg_get_indexdef(indexrelid) as text from pg_index where indexrelid = 'messages_by_client'::regclass and indisvalid`,
  )
  assert.match(rows[0]!.text, /\(realm_id, client\)$/)
})

test('a running server keeps working while a newer version adds columns, tables and migrations', async (t) => {
  const { ann, ben, ownerUrl } = await newWorld()
  const owner = createPool({ url: ownerUrl, log: () => {} })
  const tables = ['messages', 'events', 'users', 'queues', 'realm_counters', 'send_batches']
  t.after(async () => {
    for (const table of tables) await owner.query(`alter table ${table} drop column later`)
    await owner.query(`drop table later; delete from migrations where name = '9999_later.sql'`)
    await owner.end()
  })
  for (let n = 0; n < 12; n++) await ann.sends({ to: [ben] }) // by now, statements are prepared
  for (const table of tables) await owner.query(`alter table ${table} add column later text not null default ''`)
  await owner.query(`create table later (id bigint); insert into migrations values ('9999_later.sql', '')`)

  await ben.registers()
  await ann.sends({ to: [ben] })
  assert.equal((await ben.receives('message')).length, 1)
})
