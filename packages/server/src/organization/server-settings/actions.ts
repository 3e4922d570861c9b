import { sql } from 'kysely'
import { type Commits, transactIn } from '../../context.ts'
import { settingsChannel } from '../../events/following/wake.ts'
import type { Database } from '../../platform/db/pool.ts'
import type { ServerSettings } from './queries.ts'

/** All processes notice within moments, and the clients of all organizations get an event. */
export async function setMaintenance(ctx: Commits, maintenance: string | null): Promise<void> {
  await updateSettings(ctx, { maintenance })
  const realms = await ctx.db.selectFrom('realms').select('id').execute()
  for (const { id } of realms)
    await transactIn(ctx, id, async (tx) =>
      tx.emit({ type: 'server_maintenance', text: maintenance }, { realm: 'everyone' }),
    )
}

export function setRateLimit(ctx: Commits, rate_limit: number | null): Promise<void> {
  return updateSettings(ctx, { rate_limit })
}

function updateSettings({ db }: Commits, changed: Partial<ServerSettings>): Promise<void> {
  return db.transaction().execute((trx) => storeSettings(trx, changed))
}

/** All processes read them again after the commit. */
export async function storeSettings(db: Database, changed: Partial<ServerSettings>): Promise<void> {
  await db.updateTable('server_settings').set(changed).execute()
  await sql`select pg_notify(${settingsChannel}, '')`.execute(db)
}
