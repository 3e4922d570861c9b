import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { migrationsFolder } from '../../installation.ts'
import { StartupError } from '../../postgres/startup-error.ts'
import { connectWithLock } from '../pool.ts'
import { applyAmongOthers, type Migration, type MigrationTiming, usualTiming } from './apply-migration.ts'

/** Locked while migrating, so that processes that start together migrate once. */
const lock = 7_201_842_117

export interface MigrateOptions {
  folder?: string
  timing?: MigrationTiming
}

async function readMigrations(folder = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Migrates the database and returns the names of the applied migrations. */
export async function migrate(pool: pg.Pool, { folder, timing = usualTiming }: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const client = await connectWithLock(pool, lock)
  try {
    return await applyMissing(client, migrations, timing)
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

async function applyMissing(
  client: pg.PoolClient,
  migrations: Migration[],
  timing: MigrationTiming,
): Promise<string[]> {
  // Not "if not exists": that needs the right to create tables, and a role that only serves may run commands.
  if (!(await wasMigrated(client)))
    await client.query(
      'create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    )
  const missing = await missingOf(client, migrations)
  if (missing.length > 0)
    await client.query('alter table migrations add column if not exists pending boolean not null default false')
  for (const migration of missing) await applyAmongOthers(client, migration, timing)
  await finish(client, migrations)
  return missing.map(({ name }) => name)
}

/** Until all migrations of a version are applied, they are pending: the version before may still start. */
async function finish(client: pg.PoolClient, migrations: Migration[]): Promise<void> {
  const applied = await readApplied(client)
  const known = new Set(migrations.map(({ name }) => name))
  if (applied.some(({ pending }) => pending) && applied.every(({ name }) => known.has(name)))
    await client.query('update migrations set pending = false where pending')
}

interface Applied {
  name: string
  checksum: string
  pending: boolean
}

async function readApplied(client: pg.Pool | pg.PoolClient): Promise<Applied[]> {
  // The column is missing where only earlier versions have migrated.
  const { rows } = await client.query<Applied>(
    `select name, checksum, coalesce((to_jsonb(m) ->> 'pending')::boolean, false) as pending from migrations m`,
  )
  return rows
}

async function missingOf(client: pg.Pool | pg.PoolClient, migrations: Migration[]): Promise<Migration[]> {
  const applied = new Map((await readApplied(client)).map((row) => [row.name, row]))
  refuseStrangers(migrations, applied)
  return migrations.filter(({ name }) => !applied.has(name))
}

/**
 * Refuses a database whose migrations are not exactly ours: the tables would not be what the code expects. Those of an
 * upgrade that failed are no reason, because every migration leaves what the version before needs.
 */
function refuseStrangers(migrations: Migration[], applied: Map<string, Applied>): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  if (applied.size > 0 && !applied.has(migrations[0]!.name))
    throw new StartupError(
      'The database was created by a version of Parley from before the first release and cannot be migrated: set DATA_DIR to a new folder or DATABASE_URL to an empty database, or keep running the version that created it.',
    )
  for (const { name, checksum, pending } of applied.values()) {
    if (!known.has(name) && pending) continue
    if (!known.has(name))
      throw new StartupError(
        `The database was migrated by a newer Parley (it has ${name}); start that version or restore a backup.`,
      )
    if (known.get(name) !== checksum)
      throw new StartupError(`Migration ${name} was changed after it had been applied; restore the file as released.`)
  }
}
