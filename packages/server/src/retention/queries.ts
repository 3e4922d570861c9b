import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'

/** A channel, or the direct conversation with this recipient id. */
export interface ExpiredPlace {
  recipient_id: number
  channel_id: number | null
}

/** How long an organization keeps messages, in days, as its row `r` says; -1 for ever. */
export const realmDays = sql`coalesce((r.settings ->> 'message_retention_days')::integer, -1)`

/** Longer than any message is old; the largest numbers that a setting takes are more than a date can bear. */
const longest = 100_000

/** Whether messages sent then are past their time. */
export function isExpired(sent: RawBuilder<unknown>, days: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${days} > 0 and ${sent} < now() - make_interval(days => least(${days}, ${longest}))`
}

/**
 * Channels, archived ones too, and direct conversations whose oldest message is past its time. Only the oldest are
 * looked at: dates follow ids.
 */
export async function findExpiredPlaces(db: Db, realmId: number): Promise<ExpiredPlace[]> {
  const { rows } = await sql<ExpiredPlace>`
    select place.recipient_id, place.channel_id
      from realms r, lateral (
        select c.recipient_id, c.id as channel_id, coalesce(c.message_retention_days, ${realmDays}) as days
          from channels c where c.realm_id = r.id
        union all
        select d.recipient_id, null, ${realmDays} from direct_conversations d where d.realm_id = r.id) place,
        lateral (select date_sent from messages m where m.realm_id = r.id and m.recipient_id = place.recipient_id
                  order by id limit 1) oldest
     where r.id = ${realmId} and ${isExpired(sql`oldest.date_sent`, sql`place.days`)}
     order by place.recipient_id`.execute(db)
  return rows
}
