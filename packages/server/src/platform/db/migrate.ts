import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { migrationsFolder } from '../installation.ts'
import { reasonOf, StartupError } from '../postgres/startup-error.ts'
import { isConflict } from './db-errors.ts'
import { connectWithLock } from './pool.ts'

/** Locked while migrating, so that processes that start together migrate once. */
const lock = 7_201_842_117

interface Migration {
  name: string
  sql: string
  checksum: string
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(migrationsFolder, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Migrates the database and returns the names of the applied migrations. */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const migrations = await readMigrations()
  const client = await connectWithLock(pool, lock)
  try {
    return await applyMissing(client, migrations)
  } finally {
    client.release(true)
  }
}

/** The names of the migrations that this version would apply. */
export async function findMissing(pool: pg.Pool): Promise<string[]> {
  const migrations = await readMigrations()
  const missing = (await wasMigrated(pool)) ? await missingOf(pool, migrations) : migrations
  return missing.map(({ name }) => name)
}

async function wasMigrated(client: pg.Pool | pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`select to_regclass('migrations') is not null as found`)
  return rows[0]!.found
}

async function applyMissing(client: pg.PoolClient, migrations: Migration[]): Promise<string[]> {
  // Not "if not exists": that needs the right to create tables, and a role that only serves may run commands.
  if (!(await wasMigrated(client)))
    await client.query(
      'create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    )
  const missing = await missingOf(client, migrations)
  for (const migration of missing) await applyAmongOthers(client, migration)
  return missing.map(({ name }) => name)
}

async function missingOf(client: pg.Pool | pg.PoolClient, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations')
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  refuseStrangers(migrations, applied)
  return migrations.filter(({ name }) => !applied.has(name))
}

/** Refuses a database whose migrations are not exactly ours: the tables would not be what the code expects. */
function refuseStrangers(migrations: Migration[], applied: Map<string, string>): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  if (applied.size > 0 && !applied.has(migrations[0]!.name))
    throw new StartupError(
      'The database was created by a version of Parley from before the first release and cannot be migrated: set DATA_DIR to a new folder or DATABASE_URL to an empty database, or keep running the version that created it.',
    )
  for (const [name, checksum] of applied) {
    if (!known.has(name))
      throw new StartupError(
        `The database was migrated by a newer Parley (it has ${name}); start that version or restore a backup.`,
      )
    if (known.get(name) !== checksum)
      throw new StartupError(`Migration ${name} was changed after it had been applied; restore the file as released.`)
  }
}

/** Servers of the previous release may be running: a migration that deadlocks with one of their transactions is repeated. */
async function applyAmongOthers(client: pg.PoolClient, migration: Migration, attempts = 5): Promise<void> {
  try {
    await apply(client, migration)
  } catch (error) {
    if (attempts === 1 || !isConflict((error as Error).cause)) throw error
    await applyAmongOthers(client, migration, attempts - 1)
  }
}

async function apply(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new StartupError(
      `Migration ${name} failed (${reasonOf(error)}) and changed nothing; a server of the version before can keep running. Fix the cause, or report it as a bug, and start this version again.`,
      { cause: error },
    )
  }
}
