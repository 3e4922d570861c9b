import { type RawBuilder, sql } from 'kysely'
import type { Commits } from '../../context.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { columnOf, many, maybeOne, one } from '../../platform/db/query.ts'
import { endQueues } from './registration.ts'

type EndQueuesDeps = Commits

/** Seconds of tolerance: waiting clients are touched at every heartbeat, and touches are stored with a delay. */
const margin = 120
const queueBatchSize = 500
const eventBatchSize = 5000
/** Recent events are kept even if acknowledged, for clients that poll again and for processes that lag behind. */
const keptMinutes = 15
const maxEventsBehind = 1_000_000
const reconnectSeconds = 660

/** False shortly after an outage, so that clients can reconnect before their queues count as idle. */
export async function waitForClients(db: Db): Promise<boolean> {
  const { had_time } = await one<{ had_time: boolean }>(db)`
    select exists (select from processes
                    where serves and seen_at > now() - interval '1 minute'
                      and since < now() - make_interval(secs => ${reconnectSeconds})) as had_time`
  return had_time
}

/** Ends queues that were idle for longer than their lifetime. */
export async function endIdleQueues(ctx: EndQueuesDeps): Promise<void> {
  await endAll(ctx, sql`q.last_seen < now() - make_interval(secs => q.lifetime_seconds + ${margin})`)
}

/** Deletes old events that all queues have acknowledged, in all realms. Ends queues that are too far behind. */
export async function trimEvents(ctx: EndQueuesDeps, maxBehind = maxEventsBehind): Promise<void> {
  await endQueuesBehind(ctx, maxBehind)
  const untrimmed = ctx.db.selectFrom('realm_counters').select('realm_id').whereRef('trimmed_event', '<', 'last_event')
  for (const realmId of await columnOf(untrimmed)) while ((await trimBatch(ctx.db, realmId)) === eventBatchSize);
  await trimEpochs(ctx.db)
}

/** Counts the events themselves, because their numbers jump where an epoch begins. */
async function endQueuesBehind(ctx: EndQueuesDeps, maxBehind: number): Promise<void> {
  const realms = await many<{ realm_id: number; oldest: number | null }>(ctx.db)`
    select c.realm_id, (select seq from events e where e.realm_id = c.realm_id
                         order by seq desc offset ${maxBehind} limit 1) as oldest
      from realm_counters c
     where exists (select from queues q
                    where q.realm_id = c.realm_id and q.acknowledged_event < c.last_event - ${maxBehind}::bigint)`
  for (const { realm_id, oldest } of realms)
    if (oldest !== null) await endAll(ctx, sql`q.realm_id = ${realm_id} and q.acknowledged_event < ${oldest}`)
}

/** An epoch that all queues have entered is of no use. Processes that have not noticed it are given an hour. */
async function trimEpochs(db: Database): Promise<void> {
  await sql`
    delete from log_epochs e
     where begun_at < now() - interval '1 hour'
       and not exists (select from queues q where q.realm_id = e.realm_id and q.epoch < e.epoch)`.execute(db)
}

async function endAll(ctx: EndQueuesDeps, condition: RawBuilder<unknown>): Promise<void> {
  for (let found = queueBatchSize; found === queueBatchSize; ) {
    const rows = await many<{ realm_id: number; ids: string[] }>(ctx.db)`
      select realm_id, array_agg(id) as ids from (
        select q.id, q.realm_id from queues q join realm_counters c on c.realm_id = q.realm_id
         where ${condition} limit ${queueBatchSize}) as ending
       group by realm_id`
    for (const { realm_id, ids } of rows) await endQueues(ctx, realm_id, ids)
    found = rows.reduce((sum, { ids }) => sum + ids.length, 0)
  }
}

/** A webhook that is paused after three days of failures finds what happened since for a week in total. */
const keptDaysOfPaused = 4

/** The last event that all outgoing webhooks have read; null if there is none. They cannot make the log longer than a queue can. */
const firstForWebhooks = sql`
  (select min(greatest(w.last_event, c.last_event - ${maxEventsBehind}::bigint)) from webhook_cursors w
     join bot_services s on s.realm_id = w.realm_id and s.bot_id = w.bot_id
     join users u on u.realm_id = w.realm_id and u.id = w.bot_id
    where w.realm_id = c.realm_id and u.is_active
      and (s.paused_at is null or s.paused_at > now() - make_interval(days => ${keptDaysOfPaused})))`

/**
 * Deletes the oldest events, without leaving gaps. Keeps the last event that each queue acknowledged, because its client
 * may have seen only some of its wire events. Locks the counter last, because sends wait for that lock.
 */
async function trimBatch(db: Database, realmId: number): Promise<number> {
  const row = await maybeOne<{ removed: number }>(db)`
    with oldest as (
      select seq, created_at < now() - make_interval(mins => ${keptMinutes}) as is_old from events
       where realm_id = ${realmId}
         and seq <= (select least(c.last_event, (select min(acknowledged_event) - 1 from queues where realm_id = ${realmId}),
                                  ${firstForWebhooks})
                       from realm_counters c where c.realm_id = ${realmId})
       order by seq limit ${eventBatchSize}
    ), deleted as (
      delete from events using oldest
       where events.realm_id = ${realmId} and events.seq = oldest.seq
         and events.seq < coalesce((select min(seq) from oldest where not is_old), 9e18::bigint)
      returning events.seq
    )
    update realm_counters set trimmed_event = greatest(trimmed_event, (select max(seq) from deleted))
     where realm_id = ${realmId} and exists (select from deleted)
    returning (select count(*) from deleted) as removed`
  return row?.removed ?? 0
}
