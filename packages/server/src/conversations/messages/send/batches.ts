import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { isRefusal } from '../../../platform/db/db-errors.ts'
import type { Database } from '../../../platform/db/pool.ts'
import { OutcomeUnknown } from '../../../platform/http/api-error.ts'

/** What happened to a message of a batch. */
export interface SentRow {
  ordinal: number
  status: 'sent' | 'repeated' | 'stale' | 'superseded'
  /** Null if `stale` or `superseded`. */
  message_id: number | null
  /** Null unless `sent`, and if the message was found after its answer was lost. */
  seq: number | null
  topic_id: number | null
  topic_name: string | null
  /** The beginning of the event's JSON, with the fields that only the database knows; null if `seq` is. */
  event_head: string | null
}

/** A number that is not greater than the last one becomes null, which the column refuses: the whole batch fails. */
const store = `
  with sent as materialized (
    select * from send_messages($3, $4)
  ), recorded as (
    insert into send_batches as last (committer, number, message_ids)
    select $1, $2, array_agg(case status when 'sent' then message_id end order by ordinal) from sent
        on conflict (committer) do update
       set number = case when last.number < excluded.number then excluded.number end,
           message_ids = excluded.message_ids, written_at = excluded.written_at
  )
  select * from sent`

/** Waits for a batch that is still being stored. Affects no row if it was stored. */
const giveUp = `
  insert into send_batches as last (committer, number) values ($1, $2)
      on conflict (committer) do update set number = excluded.number, message_ids = null
   where last.number < excluded.number`

/** A message that this batch did not store is stale: sending it again does not duplicate it. */
const readStored = `
  select (o.ordinal - 1)::integer as ordinal,
         case when o.message_id is null then 'stale' when m.id is null then 'repeated' else 'sent' end as status,
         o.message_id, null::bigint as seq, m.topic_id, coalesce(m.topic_spelling, t.name) as topic_name, null as event_head
    from send_batches b, unnest(b.message_ids, $3::bigint[]) with ordinality as o(message_id, realm_id, ordinal)
    left join messages m on m.realm_id = o.realm_id and m.id = o.message_id
    left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
   where b.committer = $1 and b.number = $2`

const retryMilliseconds = 250

/** Stores batches of messages. If the answer is lost, finds out what happened instead of storing them again. */
export class Batches {
  readonly #pool: pg.Pool
  readonly #committer = randomUUID()
  readonly #patienceMilliseconds: number
  #number = 0

  constructor(pool: pg.Pool, patienceMilliseconds = 10_000) {
    this.#pool = pool
    this.#patienceMilliseconds = patienceMilliseconds
  }

  async store(realmIds: number[], batch: string, realmOfEach: () => number[]): Promise<SentRow[]> {
    const client = await this.#pool.connect()
    const id = [this.#committer, ++this.#number]
    const deadline = performance.now() + this.#patienceMilliseconds
    try {
      const { rows } = await client.query<SentRow>({ name: 'store', text: store, values: [...id, realmIds, batch] })
      client.release()
      return rows
    } catch (error) {
      client.release(!isRefusal(error))
      if (isRefusal(error)) throw error
      return this.#findOut(id, realmOfEach(), deadline, error)
    }
  }

  /** Returns what was stored. Throws the error if it is certain that nothing was, and never will be. */
  async #findOut(id: unknown[], realms: number[], deadline: number, error: unknown): Promise<SentRow[]> {
    for (;;) {
      try {
        const { rowCount } = await this.#pool.query(giveUp, id)
        if (rowCount === 1) break
        return (await this.#pool.query<SentRow>(readStored, [...id, realms])).rows
      } catch {
        if (performance.now() > deadline) throw new OutcomeUnknown()
        await sleep(retryMilliseconds)
      }
    }
    throw error
  }
}

/** Deletes what processes that no longer run have left behind. */
export async function deleteOldBatches(db: Database): Promise<void> {
  await sql`delete from send_batches where written_at < now() - interval '1 day'`.execute(db)
}
