import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { joinDatabase } from '../database.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import type { Realm } from '../realms/state.ts'
import { closeContext, createContext } from '../start.ts'

/** Does something in the database of DATABASE_URL or DATA_DIR, also while a server runs on it. */
export async function withContext<T>(work: (ctx: Context) => Promise<T>): Promise<T> {
  const config = { ...readConfig('production'), poolSize: 4 }
  await using resources = new AsyncDisposableStack()
  const database = await joinDatabase(config, (line) => console.error(line))
  resources.defer(database.close)
  const ctx = await createContext(config, database.url)
  resources.defer(() => closeContext(ctx))
  return await work(ctx)
}

/** The organization meant: the named one, or the only one there is. */
export async function findRealm(ctx: Context, stringId: string | undefined): Promise<Realm> {
  const realms = await ctx.db.selectFrom('realms').select(['id', 'string_id']).orderBy('id').execute()
  const matching = realms.filter(({ string_id }) => stringId === undefined || string_id === stringId)
  if (matching.length === 1) return (await ctx.realms.get(matching[0]!.id)).realm
  throw new StartupError(
    whichRealm(
      stringId,
      realms.map(({ string_id }) => string_id),
    ),
  )
}

function whichRealm(wanted: string | undefined, there: string[]): string {
  if (there.length === 0) return 'There is no organization yet: make one with "npm run parley -- realm create --help".'
  if (wanted === undefined) return `There are several organizations: name one with --realm (${there.join(', ')}).`
  return `There is no organization "${wanted}", only ${there.join(', ')}.`
}
