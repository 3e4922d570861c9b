import { sql } from 'kysely'
import type { Database, Db } from '../platform/db/pool.ts'
import { many } from '../platform/db/query.ts'
import type { Queue } from './queue.ts'

export async function findQueues(db: Db, ids: string[]): Promise<(Queue | undefined)[]> {
  const rows = await many<Queue>(db)`
    select id, realm_id, user_id, start_event, lifetime_seconds, options from queues
     where id = any(${ids}::text[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
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
