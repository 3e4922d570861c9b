import type { ContextOptions } from '../boot/create-context.ts'
import { joinDatabase, type OpenDatabase, startMilliseconds } from '../boot/open-database.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { type Origin, runFrom } from '../events/origin.ts'
import { createDatabase, createPool, type Database } from '../platform/db/pool.ts'
import { commandName } from '../platform/installation.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'

/** Reads from the database of DATABASE_URL or DATA_DIR. Faster than `withContext`, which loads the whole server. */
export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  await using resources = new AsyncDisposableStack()
  const database = await open(resources)
  const pool = createPool({ url: database.url, max: 2, log: console.error, connectMilliseconds: startMilliseconds })
  resources.defer(() => pool.end())
  return await work(createDatabase(pool))
}

const fromCommand: Origin = { via: 'command', credential_id: null, ip_address: null }

/** Opens the database of DATABASE_URL or DATA_DIR, whether or not a server is running on it. */
export async function withContext<T>(
  work: (ctx: Context, database: OpenDatabase) => Promise<T>,
  options: Pick<ContextOptions, 'anySecret'> = {},
): Promise<T> {
  await using resources = new AsyncDisposableStack()
  // Loaded first: it keeps this thread busy, and a connection that waits for it could run into its time limit.
  const { closeContext, createContext } = await import('../boot/create-context.ts')
  const database = await open(resources)
  const timing = { connectMilliseconds: startMilliseconds, ...options }
  const ctx = await createContext({ ...readConfig('production'), poolSize: 4 }, database.url, timing)
  resources.defer(() => closeContext(ctx))
  return await runFrom(
    () => fromCommand,
    () => work(ctx, database),
  )
}

async function open(resources: AsyncDisposableStack): Promise<OpenDatabase> {
  const database = await joinDatabase(readConfig('production'), (line) => console.error(line))
  resources.defer(database.close)
  return database
}

/** The organization with this string id, or the only one. */
export async function findRealm(db: Database, stringId: string | undefined): Promise<{ id: number; name: string }> {
  const realms = await db.selectFrom('realms').select(['id', 'name', 'string_id']).orderBy('id').execute()
  const [realm, ...others] = realms.filter(({ string_id }) => stringId === undefined || string_id === stringId)
  if (realm && others.length === 0) return realm
  throw new StartupError(
    whichRealm(
      stringId,
      realms.map(({ string_id }) => string_id),
    ),
  )
}

function whichRealm(stringId: string | undefined, existing: string[]): string {
  if (existing.length === 0)
    return `There is no organization yet: create one with "${commandName} realm create --help".`
  if (stringId === undefined)
    return `There are several organizations: choose one with --realm (${existing.join(', ')}).`
  return `There is no organization "${stringId}"; the organizations are: ${existing.join(', ')}.`
}
