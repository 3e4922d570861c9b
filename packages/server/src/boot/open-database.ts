import type pg from 'pg'
import type { Config } from '../config.ts'
import type { Say } from '../context.ts'
import { connectToPrimary, urlsOf } from '../platform/db/database-hosts.ts'
import { isInsufficientPrivilege } from '../platform/db/db-errors.ts'
import { findMissing, migrate } from '../platform/db/migrating/migrate.ts'
import { createPool } from '../platform/db/pool.ts'
import { checkAbilities, checkPooling, checkServerSettings, readServerSettings } from '../platform/db/server-checks.ts'
import { createServerRole, grantServing, roleOf } from '../platform/db/server-role.ts'
import { hasCluster } from '../platform/postgres/data-dir.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { findRunningPostgres } from '../platform/postgres/find-running.ts'
import { reasonOf, StartupError } from '../platform/postgres/startup-error.ts'

export interface OpenDatabase {
  url: string
  /** Where the data is stored, for messages. */
  place: string
  /** The migrations that were applied when it was opened. */
  migrated: string[]
  close(): Promise<void>
}

/** Neither checked nor migrated yet. */
type Reached = Omit<OpenDatabase, 'migrated'>

/**
 * Opens the operator's PostgreSQL, or starts the embedded one, which runs until it is closed; checks and migrates it.
 */
export function openDatabase(config: Config, say: Say): Promise<OpenDatabase> {
  return config.databaseUrl ? openExternal(config.databaseUrl, config.databaseOwnerUrl, say) : openEmbedded(config, say)
}

/** Migrates as the owner of the database and serves as a role that owns nothing. */
async function openEmbedded(config: Config, say: Say): Promise<OpenDatabase> {
  const { url, ...database } = await embedded(config, say)
  return prepared({ url, ...database }, say, (owner) => createServerRole(owner, url))
}

/** Serves as the user of `url`. Migrates as the same user, or as the owner if the operator configured one. */
async function openExternal(url: string, ownerUrl: string | undefined, say: Say): Promise<OpenDatabase> {
  await checkServer(url, nameOf(url), (client) => checkPooling(client, url))
  if (ownerUrl === undefined) return prepared(external(url), say)
  return prepared(external(ownerUrl), say, async (owner) => {
    await grantServing(owner, await roleOf(url))
    return url
  })
}

/** For a command: the database of the running server, or of its data. A command never creates a database. */
export async function joinDatabase(config: Config, say: Say): Promise<OpenDatabase> {
  if (config.databaseUrl) return openDatabase(config, say)
  await refuseMissing(config)
  const running = await findRunningPostgres(config.dataDir)
  return running ? prepared({ ...running, place: config.dataDir }, say) : openDatabase(config, say)
}

async function refuseMissing({ dataDir }: Config): Promise<void> {
  if (await hasCluster(dataDir)) return
  throw new StartupError(
    `There is no Parley data in ${dataDir}: set DATA_DIR to the folder, or DATABASE_URL to the database, that your server uses. It prints it as "Data:" when it starts.`,
  )
}

/** Migrates the database that a server may be using, or creates it. */
export async function migrateDatabase(config: Config, say: Say): Promise<void> {
  const isNew = !config.databaseUrl && !(await hasCluster(config.dataDir))
  const database = await (isNew ? openDatabase(config, say) : joinDatabase(config, say))
  await database.close()
}

/** The database as its owner, neither checked nor migrated, whether or not a server is running on it. */
export async function reachDatabase(config: Config, say: Say): Promise<Reached> {
  if (!config.databaseUrl) await refuseMissing(config)
  return reach(config, say)
}

/** The migrations that a start would apply, or undefined if there is no database yet. Changes nothing. */
export async function findMissingMigrations(config: Config, say: Say): Promise<string[] | undefined> {
  if (!config.databaseUrl && !(await hasCluster(config.dataDir))) return undefined
  const { url, place, close } = await reach(config, say)
  try {
    await checkServer(url, place, checkAbilities)
    return await asOwner(url, say, findMissing)
  } finally {
    await close()
  }
}

async function reach(config: Config, say: Say): Promise<Reached> {
  return (await reachRunning(config)) ?? embedded(config, say)
}

/** The same, unless it is the embedded database and nothing runs it. */
export async function reachRunning(config: Config): Promise<Reached | undefined> {
  const url = config.databaseOwnerUrl ?? config.databaseUrl
  if (url) return external(url)
  const running = await findRunningPostgres(config.dataDir)
  return running && { ...running, place: config.dataDir }
}

async function asOwner<T>(url: string, say: Say, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = createPool({ url, max: 2, log: say, connectMilliseconds: startMilliseconds })
  return work(pool).finally(() => pool.end())
}

async function embedded({ dataDir, postgresPrograms: systemFolder }: Config, say: Say): Promise<Reached> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: say, systemFolder })
  return { url: postgres.url, place: postgres.dataDir, close: postgres.stop }
}

function external(url: string): Reached {
  return { url, place: nameOf(url), close: async () => {} }
}

/** Without the password, which must not be printed. */
export function nameOf(url: string): string {
  try {
    const urls = urlsOf(url).map((one) => new URL(one))
    return `PostgreSQL at ${urls.map(hostOf).join(', ')}${urls[0]!.pathname}`
  } catch {
    throw new StartupError('DATABASE_URL must look like postgres://user:password@host:5432/database.')
  }
}

function hostOf({ hostname, port, searchParams }: URL): string {
  return `${searchParams.get('host') ?? (hostname || 'localhost')}${port && `:${port}`}`
}

/** Checks and migrates a database. `choose` may create the role to serve as, and returns the URL to serve with. */
async function prepared(
  database: Reached,
  say: Say,
  choose: (owner: pg.Pool) => Promise<string> = async () => database.url,
): Promise<OpenDatabase> {
  try {
    return { ...database, ...(await prepareDatabase(database, say, choose)) }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function prepareDatabase(
  { url, place }: Reached,
  say: Say,
  choose: (owner: pg.Pool) => Promise<string>,
): Promise<Pick<OpenDatabase, 'url' | 'migrated'>> {
  await checkServer(url, place, checkAbilities)
  return asOwner(url, say, async (pool) => {
    const migrated = await migrate(pool)
    if (migrated.length > 0) say(`Brought the database up to date: ${migrated.join(', ')}.`)
    return { url: await choose(pool), migrated }
  }).catch((error) => {
    throw explained(error, place)
  })
}

/** Nobody is served yet: on a busy machine, starting late is better than not at all. */
export const startMilliseconds = 30_000

function explained(error: unknown, place: string): unknown {
  if (!isInsufficientPrivilege((error as Error).cause ?? error)) return error
  return new StartupError(
    `The database user may not create tables in ${place}: make it the owner of that database, or set DATABASE_OWNER_URL to one that is.`,
    { cause: error },
  )
}

async function checkServer(url: string, place: string, check: (client: pg.Client) => Promise<void>): Promise<void> {
  let client: pg.Client | undefined
  try {
    client = await connectToPrimary(url)
    checkServerSettings(await readServerSettings(client))
    await check(client)
  } catch (error) {
    if (error instanceof StartupError || isInsufficientPrivilege(error)) throw explained(error, place)
    throw new StartupError(
      `${place} cannot be used (${connectionReason(error)}): check DATABASE_URL, that PostgreSQL is running, and that neither machine is overloaded.`,
      { cause: error },
    )
  } finally {
    await client?.end().catch(() => {})
  }
}

/** A host name with several IP addresses fails with a list of errors and no message of its own. */
function connectionReason(error: unknown): string {
  return reasonOf(error instanceof AggregateError ? error.errors[0] : error)
}
