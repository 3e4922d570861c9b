import { sql } from 'kysely'
import { type Context, transactIn } from '../context.ts'
import { expireSome } from './actions.ts'
import { type ExpiredPlace, findExpiredPlaces } from './queries.ts'

type Deleting = Pick<Context, 'db' | 'follower' | 'wake' | 'log'>

/** What is left is for the next run, so that other work has its turn. */
const mostMilliseconds = 60_000

/** Deletes messages that are older than their channel, or their organization, keeps them: a few at a time. */
export async function deleteExpiredMessages(ctx: Deleting, milliseconds = mostMilliseconds): Promise<void> {
  const until = performance.now() + milliseconds
  for (const realmId of await findRealms(ctx))
    for (const place of await findExpiredPlaces(ctx.db, realmId))
      if (!(await emptyPlace(ctx, realmId, place, until))) return
}

/** In any order, so that a large one does not always come before the others. */
async function findRealms({ db }: Deleting): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select r.id from realms r
     where not r.deactivated
       and (coalesce((r.settings ->> 'message_retention_days')::integer, -1) > 0
            or exists (select 1 from channels c where c.realm_id = r.id and c.message_retention_days > 0))
     order by random()`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whether it was done in time. */
async function emptyPlace(ctx: Deleting, realmId: number, place: ExpiredPlace, until: number): Promise<boolean> {
  for (;;) {
    if (performance.now() >= until) return false
    if (!(await transactIn(ctx, realmId, (tx) => expireSome(tx, place)))) return true
  }
}
