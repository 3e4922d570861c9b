import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Db } from '../platform/db/pool.ts'
import { endQueues } from './registration.ts'

type Ending = Pick<Context, 'db' | 'follower' | 'wake' | 'log'>

/** A waiting client is noted at every heartbeat, and the note written down some seconds later. */
const margin = 120
const queuesAtOnce = 500
const eventsAtOnce = 5000
/** However far everybody has come: for clients that ask again, and for processes that lag behind. */
const keptMinutes = 15
const furthestBehind = 1_000_000
const timeToComeBack = 660

/** Time in which nobody served does not count against a client: afterwards everybody has a while to come back. */
export async function waitForClients(db: Db): Promise<boolean> {
  const { rows } = await sql<{ had_time: boolean }>`
    select exists (select from processes
                    where serves and seen_at > now() - interval '1 minute'
                      and since < now() - make_interval(secs => ${timeToComeBack})) as had_time`.execute(db)
  return rows[0]!.had_time
}

/** Ends queues whose clients have not been seen for longer than they asked for. */
export async function endIdleQueues(ctx: Ending): Promise<void> {
  await endAll(ctx, sql`q.last_seen < now() - make_interval(secs => q.lifetime_seconds + ${margin})`)
}

/** Removes what every living queue has been given, once it is some minutes old, from the logs of all realms. */
export async function trimEvents(ctx: Ending, furthest = furthestBehind): Promise<void> {
  await endAll(ctx, sql`q.acknowledged_event < c.last_event - ${furthest}::bigint`)
  const { rows } = await sql<{ realm_id: number }>`
    select realm_id from realm_counters where trimmed_event < last_event`.execute(ctx.db)
  for (const { realm_id } of rows) while ((await trimSome(ctx.db, realm_id)) === eventsAtOnce);
}

async function endAll(ctx: Ending, condition: RawBuilder<unknown>): Promise<void> {
  for (let found = queuesAtOnce; found === queuesAtOnce; ) {
    const { rows } = await sql<{ realm_id: number; ids: string[] }>`
      select realm_id, array_agg(id) as ids from (
        select q.id, q.realm_id from queues q join realm_counters c on c.realm_id = q.realm_id
         where ${condition} limit ${queuesAtOnce}) as ending
       group by realm_id`.execute(ctx.db)
    for (const { realm_id, ids } of rows) await endQueues(ctx, realm_id, ids)
    found = rows.reduce((sum, { ids }) => sum + ids.length, 0)
  }
}

/**
 * Removes the oldest events, always a whole beginning of the log. The last event that a queue was given stays: its
 * client may have seen only a part of what that became. The counter is locked at the very end, for sends wait for it.
 */
async function trimSome(db: Db, realmId: number): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with oldest as (
      select seq, created_at < now() - make_interval(mins => ${keptMinutes}) as is_old from events
       where realm_id = ${realmId}
         and seq <= (select coalesce((select min(acknowledged_event) - 1 from queues where realm_id = ${realmId}), last_event)
                       from realm_counters where realm_id = ${realmId})
       order by seq limit ${eventsAtOnce}
    ), gone as (
      delete from events using oldest
       where events.realm_id = ${realmId} and events.seq = oldest.seq
         and events.seq < coalesce((select min(seq) from oldest where not is_old), 9e18::bigint)
      returning events.seq
    )
    update realm_counters set trimmed_event = greatest(trimmed_event, (select max(seq) from gone))
     where realm_id = ${realmId} and exists (select from gone)
    returning (select count(*) from gone) as removed`.execute(db)
  return rows[0]?.removed ?? 0
}
