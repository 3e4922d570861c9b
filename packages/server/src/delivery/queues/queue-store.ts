import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database, Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import type { Queue, QueueOptions } from './queue.ts'

/** A queue in the current epoch of its log. */
export interface FoundQueue extends Queue {
  /** The last event that exists in all epochs since the last poll; null if that was in the current one. */
  last_common_event: number | null
}

/** Most clients register with the same options, so that what they receive can be serialized once for all of them. */
const optionsInUse = new LRUCache<string, QueueOptions>({ max: 1000 })

function sharedOptions(options: QueueOptions): QueueOptions {
  const key = JSON.stringify(options)
  const known = optionsInUse.get(key)
  if (known) return known
  optionsInUse.set(key, options)
  return options
}

/** Queues with equal options have the same object. */
export async function findQueues(db: Db, ids: string[]): Promise<(FoundQueue | undefined)[]> {
  const rows = await many<FoundQueue>(db)`
    select q.id, q.realm_id, q.user_id, q.start_event, q.lifetime_seconds, q.options, c.epoch,
           (select min(after_event) from log_epochs e where e.realm_id = q.realm_id and e.epoch > q.epoch) as last_common_event
      from queues q join realm_counters c on c.realm_id = q.realm_id
     where q.id = any(${ids}::text[])`
  const byId = new Map(rows.map((row) => [row.id, { ...row, options: sharedOptions(row.options) }]))
  return ids.map((id) => byId.get(id))
}

/** Stores that the clients of these queues have seen no event that was lost before this epoch. */
export async function confirmQueues(db: Database, queues: FoundQueue[]): Promise<undefined[]> {
  await sql`
    update queues q set epoch = confirmed.epoch
      from unnest(${queues.map(({ id }) => id)}::text[], ${queues.map(({ epoch }) => epoch)}::bigint[]) as confirmed(id, epoch)
     where q.id = confirmed.id`.execute(db)
  return queues.map(() => undefined)
}

/** Stores, in one batch, that queues are in use and which events their clients have acknowledged. */
export async function touchQueues(db: Database, touches: [id: string, seq: number][]): Promise<void> {
  await sql`
    update queues q set last_seen = now(), acknowledged_event = greatest(q.acknowledged_event, t.seq)
      from unnest(${touches.map(([id]) => id)}::text[], ${touches.map(([, seq]) => seq)}::bigint[]) as t(id, seq)
     where q.id = t.id`.execute(db)
}

export async function readTrimmed(db: Db, realmId: number): Promise<{ trimmed_event: number; last_event: number }> {
  return db
    .selectFrom('realm_counters')
    .select(['trimmed_event', 'last_event'])
    .where('realm_id', '=', realmId)
    .executeTakeFirstOrThrow()
}
