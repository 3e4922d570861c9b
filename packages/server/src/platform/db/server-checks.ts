import type pg from 'pg'
import { StartupError } from '../postgres/startup-error.ts'
import { connectToPrimary } from './database-hosts.ts'
import { isInsufficientPrivilege } from './db-errors.ts'

export interface ServerSettings {
  encoding: string
  fsync: string
  full_page_writes: string
  synchronous_commit: string
}

export async function readServerSettings(client: pg.Client): Promise<ServerSettings> {
  const { rows } = await client.query<ServerSettings>(`
    select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
           current_setting('full_page_writes') as full_page_writes,
           current_setting('synchronous_commit') as synchronous_commit`)
  return rows[0]!
}

/** Parley must not lose what it has acknowledged, so it refuses settings under which PostgreSQL could. */
export function checkServerSettings({ encoding, ...settings }: ServerSettings): void {
  if (encoding !== 'UTF8')
    throw new StartupError(`The database is encoded in ${encoding}: create one with ENCODING 'UTF8' for Parley.`)
  const off = Object.entries(settings).find(([, value]) => value === 'off')
  if (off)
    throw new StartupError(
      `PostgreSQL runs with ${off[0]} = off and could lose messages that were acknowledged: set it to on.`,
    )
}

/** What Parley cannot work without, each with a statement that fails without it. docs/scaling.md says why. */
const abilities = {
  'PL/pgSQL': 'do $$ begin end $$',
  'advisory locks': 'select pg_advisory_xact_lock(hashtext($$parley$$))',
  'NULLS NOT DISTINCT': 'create temp table probe (id bigint unique nulls not distinct) on commit drop',
  'SKIP LOCKED': 'select id from probe for update skip locked',
  'row triggers': `
    create function pg_temp.probe_change() returns trigger language plpgsql as 'begin return new; end';
    create trigger probed before insert on probe for each row execute function pg_temp.probe_change()`,
  'the extension pg_trgm': `
    do $$ begin
      if not exists (select from pg_available_extensions where name = 'pg_trgm') then raise 'it is not installed'; end if;
    end $$`,
}

/** Refuses a database that lacks something. Versions are not compared: compatible products have their own. */
export async function checkAbilities(client: pg.Client, needed: Record<string, string> = abilities): Promise<void> {
  await client.query('begin')
  try {
    for (const [ability, statement] of Object.entries(needed)) await probe(client, ability, statement)
  } finally {
    await client.query('rollback')
  }
}

async function probe(client: pg.Client, ability: string, statement: string): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    if (isInsufficientPrivilege(error)) throw error
    throw new StartupError(
      `The database lacks ${ability} (${(error as Error).message}): use PostgreSQL 15 or newer with its contrib modules.`,
      { cause: error },
    )
  }
}

/**
 * Refuses a pooler that changes the connection between transactions: LISTEN, advisory locks and settings would be lost.
 * Such a pooler lends the connection of an idle client to another one, or moves this client to another connection.
 */
export async function checkPooling(client: pg.Client, url: string): Promise<void> {
  const first = await backendOf(client)
  const others: pg.Client[] = []
  try {
    for (let n = 0; n < 2; n++) others.push(await connectToPrimary(url))
    for (const other of others) await other.query('begin').catch(refusePooling)
    const backends = await Promise.all(others.map(backendOf))
    if (backends.includes(first) || (await backendOf(client)) !== first) refusePooling()
  } finally {
    for (const other of others) await other.end().catch(() => {})
  }
}

async function backendOf(client: pg.Client): Promise<number> {
  return (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
}

/** Also the reason why a transaction cannot begin. */
function refusePooling(): never {
  throw new StartupError(
    'DATABASE_URL leads to a connection pooler that does not keep a connection for each client: set pool_mode = session for this database in PgBouncer, or use the URL of PostgreSQL itself.',
  )
}
