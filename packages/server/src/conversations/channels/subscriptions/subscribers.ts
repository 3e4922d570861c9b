import type { SubscriptionObject } from '@parley/api/conversations/subscriptions'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import { column, many } from '../../../platform/db/query.ts'

/** Channels with at least this many subscribers are sent partially to clients that accept it. */
const largeChannelSize = 250
/** Partial lists contain bots and users who were online within this many days. */
const recentDays = 14

/** All subscribers of a channel, or only the relevant ones. */
export type Subscribers = Pick<SubscriptionObject, 'subscribers' | 'partial_subscribers'>

export interface SubscriberSelection {
  channelIds: number[]
  /** A condition on the subscriber `u`, for viewers who may not see all users. */
  visibility: RawBuilder<unknown>
  /** Whether large channels may get a partial list. */
  partial: boolean
}

interface Row {
  channel_id: number
  user_ids: number[]
  is_partial: boolean
}

/**
 * The subscribers of many channels, sorted by id. Reads only an index of subscriptions and not the users table. Users
 * to leave out are read once, regardless of their number of subscriptions.
 */
export async function subscribersOfMany(
  db: Db,
  realmId: number,
  selection: SubscriberSelection,
): Promise<Map<number, Subscribers>> {
  const hidden = await hiddenUsers(db, realmId, selection.visibility)
  const rows = await many<Row>(db)`
    select s.channel_id, ${selection.partial ? partialColumns(realmId) : allColumns}
      from subscriptions s
     where s.realm_id = ${realmId} and s.channel_id = any(${selection.channelIds}::bigint[]) and s.is_active
     group by s.channel_id`
  return new Map(
    rows.map(({ channel_id, user_ids, is_partial }) => {
      const shown = hidden.size > 0 ? user_ids.filter((id) => !hidden.has(id)) : user_ids
      return [channel_id, is_partial ? { partial_subscribers: shown } : { subscribers: shown }]
    }),
  )
}

async function hiddenUsers(db: Db, realmId: number, visibility: RawBuilder<unknown>): Promise<Set<number>> {
  const ids = await column<number>(db)`
    select u.id from users u where u.realm_id = ${realmId} and not (u.is_active and ${visibility})`
  return new Set(ids)
}

const allColumns = sql`array_agg(s.user_id order by s.user_id) as user_ids, false as is_partial`

function partialColumns(realmId: number): RawBuilder<unknown> {
  const recent = sql`
    select u.id from users u left join presence p on p.realm_id = u.realm_id and p.user_id = u.id
     where u.realm_id = ${realmId}
       and (u.bot_type is not null or p.last_connected_time > now() - make_interval(days => ${recentDays}))`
  return sql`
    count(*) >= ${largeChannelSize} as is_partial,
    case when count(*) < ${largeChannelSize} then array_agg(s.user_id order by s.user_id)
         else coalesce(array_agg(s.user_id order by s.user_id) filter (where s.user_id in (${recent})), '{}') end as user_ids`
}
