import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'

/** A channel, or the direct conversation with this recipient id. */
export interface ExpiredPlace {
  recipient_id: number
  channel_id: number | null
}

/** The retention period in days of the realm row `r`; -1 for unlimited. */
export const realmDays = sql`coalesce((r.settings ->> 'message_retention_days')::integer, -1)`

/** Older than any message. Caps the setting, whose largest values overflow a date. */
const maxDays = 100_000

/** Whether messages sent at this time have expired. */
export function isExpired(sent: RawBuilder<unknown>, days: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${days} > 0 and ${sent} < now() - make_interval(days => least(${days}, ${maxDays}))`
}

/**
 * Channels, including archived ones, and direct conversations whose oldest message has expired. The message with the
 * lowest id is the oldest, because dates follow ids.
 */
export async function findExpiredPlaces(db: Db, realmId: number): Promise<ExpiredPlace[]> {
  return many<ExpiredPlace>(db)`
    select place.recipient_id, place.channel_id
      from realms r, lateral (
        select c.recipient_id, c.id as channel_id, coalesce(c.message_retention_days, ${realmDays}) as days
          from channels c where c.realm_id = r.id
        union all
        select d.recipient_id, null, ${realmDays} from direct_conversations d where d.realm_id = r.id) place,
        lateral (select date_sent from messages m where m.realm_id = r.id and m.recipient_id = place.recipient_id
                  order by id limit 1) oldest
     where r.id = ${realmId} and ${isExpired(sql`oldest.date_sent`, sql`place.days`)}
     order by place.recipient_id`
}

/** How many messages a period of so many days would delete: in a channel, or wherever the organization's period holds. */
export async function countExpired(
  db: Db,
  realmId: number,
  days: number,
  channel?: { recipient_id: number },
): Promise<number> {
  const places = channel
    ? sql`select ${channel.recipient_id}::bigint`
    : sql`select recipient_id from channels where realm_id = ${realmId} and message_retention_days is null
          union all select recipient_id from direct_conversations where realm_id = ${realmId}`
  const { count } = await one<{ count: number }>(db)`
    select count(*) as count from messages
     where realm_id = ${realmId} and recipient_id in (${places}) and ${isExpired(sql`date_sent`, sql`${days}::integer`)}`
  return count
}
