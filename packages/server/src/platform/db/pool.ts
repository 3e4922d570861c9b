import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, type KyselyPlugin, PostgresDialect } from 'kysely'
import pg from 'pg'
import { DatabaseHosts } from './database-hosts.ts'
import { NamedStatements } from './named-statements.ts'
import { parseIntegers } from './parse-integers.ts'
import type { DB } from './tables.generated.ts'
import { WatchedClient, type WatchedConfig } from './watched-client.ts'

/** Reads and writes: the pool, or an open transaction. */
export type Database = Kysely<DB>
/** Only reads. Functions that write take `Tx`, or `Database` where there are no events to emit. */
export type Db = Pick<Database, 'selectFrom'>

// Ids and counts stay far below 2^53, so plain numbers are safe and simpler.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const int8Array = 1016 as never // missing from the names of the builtins
pg.types.setTypeParser(int8Array, parseIntegers)

export interface PoolOptions {
  url: string
  max?: number
  log: (message: string) => void
  /** Checks every new connection before it is used. */
  verify?: (client: pg.ClientBase) => Promise<void>
  /** How long a new connection may take: a client waits for the server, but a command would rather be late than fail. */
  connectMilliseconds?: number
  /** How often waiting connections are checked. */
  tickMilliseconds?: number
}

/** Notices that the other side of an idle connection is gone within 15 s: libuv sends ten probes, one per second. */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5000 }

/** In milliseconds. */
const limits = { statement_timeout: 5000, lock_timeout: 3000, idle_in_transaction_session_timeout: 10_000 }

const connectMilliseconds = 3000

export function createPool({ url, max = 20, log, verify, ...timing }: PoolOptions): pg.Pool {
  const hosts = new DatabaseHosts(url)
  const pool = new HostsPool(hosts, {
    connectionString: url,
    max,
    Client: WatchedClient as never,
    ...watched({
      peers: new Set(),
      hosts,
      settings: limits,
      ...(timing.tickMilliseconds && { tickMilliseconds: timing.tickMilliseconds }),
    }),
    connectionTimeoutMillis: timing.connectMilliseconds ?? connectMilliseconds,
    pipeline: true,
    ...keepAlive,
    verify: (client, done) => void (verify?.(client) ?? Promise.resolve()).then(() => done(), done),
    application_name: 'parley',
  })
  // An idle connection that breaks (PostgreSQL restarted) is replaced on the next use.
  pool.on('error', (error) => pool.ending || log(`database connection lost: ${error.message}`))
  return pool
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void

/** A pool whose connections try the other hosts, if there are several and one of them fails. */
class HostsPool extends pg.Pool {
  readonly #hosts: DatabaseHosts
  readonly #others = new Set<pg.Client>()

  constructor(hosts: DatabaseHosts, options: pg.PoolConfig) {
    super(options)
    this.#hosts = hosts
  }

  override connect(callback?: Connected): never {
    const { count } = this.#hosts
    if (count === 1) return super.connect(callback as never) as never
    const connected = this.#onAnyHost(() => super.connect(), count)
    if (callback)
      connected.then(
        (client) => callback(undefined, client, client.release),
        (error: Error) => callback(error, undefined, () => {}),
      )
    return connected as never
  }

  /** Opens a connection beside those of the pool, which ends with it. */
  open(applicationName: string): Promise<pg.Client> {
    return this.#onAnyHost(async () => {
      const client = createClient(this, applicationName)
      await client.connect()
      if (this.ending) await client.end()
      this.#others.add(client)
      client.once('end', () => this.#others.delete(client))
      return client
    }, this.#hosts.count)
  }

  override end(callback?: () => void): never {
    const ended = Promise.all([super.end(), ...[...this.#others].map((client) => client.end())])
    if (callback) ended.then(callback, callback)
    return ended as never
  }

  async #onAnyHost<T>(connect: () => Promise<T>, attempts: number): Promise<T> {
    const { current } = this.#hosts
    try {
      return await connect()
    } catch (error) {
      if (attempts === 1 || current === this.#hosts.current) throw error
      return this.#onAnyHost(connect, attempts - 1)
    }
  }
}

/** The pool passes its options to every connection it opens. */
function watched(options: Pick<WatchedConfig, 'peers' | 'hosts' | 'settings' | 'tickMilliseconds'>): object {
  return options
}

/** A connection of its own, next to those of the pool. */
export function createClient(pool: pg.Pool, applicationName: string): pg.Client {
  return new WatchedClient({
    ...(pool.options as unknown as WatchedConfig),
    application_name: applicationName,
  })
}

/** A connection that holds an advisory lock, for as long as it takes. `release(true)` closes it, which releases the lock. */
export async function connectWithLock(pool: pg.Pool, key: number): Promise<pg.PoolClient> {
  const client = await pool.connect()
  try {
    await (client as pg.PoolClient & WatchedClient).removeTimeouts()
    while (!(await tryLock(client, key))) await sleep(lockPauseMilliseconds)
    return client
  } catch (error) {
    client.release(true)
    throw error
  }
}

const lockPauseMilliseconds = 100

/** A statement that waits for the lock would hold a snapshot, for which `create index concurrently` waits. */
async function tryLock(client: pg.PoolClient, key: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [key])
  return rows[0]!.locked
}

/** Whether the database answers a query. */
export function answers(pool: pg.Pool): Promise<boolean> {
  return pool.query('select 1').then(
    () => true,
    () => false,
  )
}

interface DatabaseOptions {
  plugins?: KyselyPlugin[]
  /** Called after a statement that took long. */
  slow?: () => void
}

export function createDatabase(pool: pg.Pool, { plugins = [], slow }: DatabaseOptions = {}): Database {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: new NamedStatements(pool, slow) }), plugins })
}

/** A connection of its own, which is closed together with the pool. */
export function openConnection(pool: pg.Pool, applicationName: string): Promise<pg.Client> {
  return (pool as HostsPool).open(applicationName)
}
