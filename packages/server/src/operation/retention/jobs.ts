import { type Commits, transactIn } from '../../context.ts'
import { column } from '../../platform/db/query.ts'
import { expireSome } from './actions.ts'
import { type ExpiredPlace, findExpiredPlaces } from './queries.ts'

type RetentionDeps = Commits

/** The next run continues, so that other jobs get their turn. */
const maxMilliseconds = 60_000

/** Deletes messages older than the retention period of their channel or organization, in small batches. */
export async function deleteExpiredMessages(ctx: RetentionDeps, milliseconds = maxMilliseconds): Promise<void> {
  const deadline = performance.now() + milliseconds
  for (const realmId of await findRealms(ctx))
    for (const place of await findExpiredPlaces(ctx.db, realmId))
      if (!(await deleteExpiredIn(ctx, realmId, place, deadline))) return
}

/** In random order, so that a large realm does not always delay the others. */
async function findRealms({ db }: RetentionDeps): Promise<number[]> {
  return column<number>(db)`
    select r.id from realms r
     where not r.deactivated
       and (coalesce((r.settings ->> 'message_retention_days')::integer, -1) > 0
            or exists (select 1 from channels c where c.realm_id = r.id and c.message_retention_days > 0))
     order by random()`
}

/** Returns false if time ran out. */
async function deleteExpiredIn(
  ctx: RetentionDeps,
  realmId: number,
  place: ExpiredPlace,
  deadline: number,
): Promise<boolean> {
  for (;;) {
    if (performance.now() >= deadline) return false
    if (!(await transactIn(ctx, realmId, (tx) => expireSome(tx, place)))) return true
  }
}
