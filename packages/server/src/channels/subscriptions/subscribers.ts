import type { SubscriptionObject } from '@parley/api/subscriptions'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'

/** Of a channel with this many, a client that asks for some subscribers is told only those who may matter. */
const many = 250
/** Those who were not here for so long matter least. Bots always do. */
const recentDays = 14

/** How a channel's subscribers are told: all of them, or those who matter. */
export type Subscribers = Pick<SubscriptionObject, 'subscribers' | 'partial_subscribers'>

export interface SubscriberSelection {
  channelIds: number[]
  /** A condition on the subscriber `u`, for viewers who may not know of everybody. */
  sight: RawBuilder<unknown>
  /** Whether some subscribers are enough where there are many. */
  partial: boolean
}

interface Row {
  channel_id: number
  user_ids: number[]
  is_partial: boolean
}

/**
 * Who is subscribed to each of a great number of channels, ascending. Read from an index without a look at the users:
 * those to leave out are read by themselves, once, however many channels they are in.
 */
export async function subscribersOfMany(
  db: Db,
  realmId: number,
  wanted: SubscriberSelection,
): Promise<Map<number, Subscribers>> {
  const hidden = await hiddenUsers(db, realmId, wanted.sight)
  const { rows } = await sql<Row>`
    select s.channel_id, ${wanted.partial ? someOfMany(realmId) : everyone}
      from subscriptions s
     where s.realm_id = ${realmId} and s.channel_id = any(${wanted.channelIds}::bigint[]) and s.is_active
     group by s.channel_id`.execute(db)
  return new Map(
    rows.map(({ channel_id, user_ids, is_partial }) => {
      const shown = hidden.size > 0 ? user_ids.filter((id) => !hidden.has(id)) : user_ids
      return [channel_id, is_partial ? { partial_subscribers: shown } : { subscribers: shown }]
    }),
  )
}

async function hiddenUsers(db: Db, realmId: number, sight: RawBuilder<unknown>): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select u.id from users u where u.realm_id = ${realmId} and not (u.is_active and ${sight})`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const everyone = sql`array_agg(s.user_id order by s.user_id) as user_ids, false as is_partial`

function someOfMany(realmId: number): RawBuilder<unknown> {
  const recent = sql`
    select u.id from users u left join presence p on p.realm_id = u.realm_id and p.user_id = u.id
     where u.realm_id = ${realmId}
       and (u.bot_type is not null or p.last_connected_time > now() - make_interval(days => ${recentDays}))`
  return sql`
    count(*) >= ${many} as is_partial,
    case when count(*) < ${many} then array_agg(s.user_id order by s.user_id)
         else coalesce(array_agg(s.user_id order by s.user_id) filter (where s.user_id in (${recent})), '{}') end as user_ids`
}
