import { sql } from 'kysely'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Database } from '../../platform/db/pool.ts'
import type { Decided } from './decide.ts'

export type Way = 'push' | 'email'

/** What became of a notification. What still waits is in the tables of deliveries. */
export interface TrailEntry {
  user_id: number
  message_id: number
  /** The browser of a push. */
  target_id?: number
  outcome: 'sent' | 'dropped' | 'failed' | 'removed'
  /** Why the message notifies, or why not. */
  reason: string | null
  /** What else support needs. Never text of a message. */
  detail: string | null
}

const maxDetail = 200

/** Adds to the trail. With what it belongs to in one statement: `with done as (delete …) ${recording(…)}`. */
export function recording(realmId: number, way: Way, entries: TrailEntry[]): Fragment {
  const values = <T>(read: (entry: TrailEntry) => T) => entries.map(read)
  return sql`
    insert into notification_trail (realm_id, user_id, message_id, way, target_id, outcome, reason, detail)
    select ${realmId}::bigint, t.user_id, t.message_id, ${way}, t.target_id, t.outcome, t.reason, t.detail
      from unnest(${values(({ user_id }) => user_id)}::bigint[], ${values(({ message_id }) => message_id)}::bigint[],
                  ${values(({ target_id }) => target_id ?? 0)}::bigint[], ${values(({ outcome }) => outcome)}::text[],
                  ${values(({ reason }) => reason)}::text[], ${values(({ detail }) => detail?.slice(0, maxDetail) ?? null)}::text[])
           as t(user_id, message_id, target_id, outcome, reason, detail)
     where t.message_id > 0
     order by t.user_id, t.message_id
    on conflict (realm_id, user_id, message_id, way, target_id, outcome)
    do update set reason = excluded.reason, detail = excluded.detail, at = now(), ended_at = null`
}

/** Why a message is not worth a notification in one way. `decided` is undefined if the user cannot read it any more. */
export function dropped(way: Way, decided: Decided | undefined): Pick<TrailEntry, 'outcome' | 'reason' | 'detail'> {
  if (!decided) return { outcome: 'dropped', reason: 'gone', detail: null }
  const { reason, isKeptSilent, [way]: wanted } = decided.decision
  const isSetting = wanted === undefined && (isKeptSilent || isCause(reason))
  return { outcome: 'dropped', reason, detail: isSetting ? 'setting' : null }
}

const causes = new Set(['direct', 'mentioned', 'alertWord', 'everyone', 'followed', 'channel'])

function isCause(reason: string): boolean {
  return causes.has(reason)
}

const keptDays = 14
const rowsAtOnce = 10_000

/** In parts, so that no transaction is long. The index by time is one of block ranges: it costs writers nothing. */
export async function deleteOldTrail(db: Database): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from notification_trail where ctid = any(array(
        select ctid from notification_trail where at < now() - make_interval(days => ${keptDays}) limit ${rowsAtOnce}))`.execute(
      db,
    )
    if (Number(numAffectedRows) < rowsAtOnce) break
  }
  // What waited for the next notification of a browser, which did not come.
  await sql`
    delete from web_push_deliveries d where d.verb = 'remove' and d.due_at = 'infinity'
       and not exists (select from notification_trail t join web_push_subscriptions w on w.realm_id = t.realm_id and w.user_id = t.user_id
                        where t.realm_id = d.realm_id and w.id = d.subscription_id and t.message_id = d.message_id)`.execute(
    db,
  )
}
