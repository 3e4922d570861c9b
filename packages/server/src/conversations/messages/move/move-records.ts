import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Channel } from '../../channels/access.ts'
import { flagBits } from '../model/flag-bits.ts'
import { isAboveFloor, isUnreadBy } from '../model/read-state.ts'
import { subscribedRanges, wasSubscribed } from '../model/received.ts'

const bits = {
  read: sql.lit(flagBits.read),
  unread: sql.lit(flagBits.unread),
  historical: sql.lit(flagBits.historical),
  received: sql.lit(flagBits.received),
  wildcardMentioned: sql.lit(flagBits.stream_wildcard_mentioned),
  /** The bits that a move sets. Other bits, which users may change concurrently, stay as they are. */
  state: sql.lit(flagBits.read | flagBits.unread | flagBits.historical | flagBits.received),
}

/** Messages that move from one channel to another. */
export interface Moved {
  from: Channel
  to: Channel
  ids: number[]
  /** Users who cannot read the new channel. */
  lost: number[]
}

/**
 * Updates the flags of all users for messages that move to another channel.
 * - Subscribers of the new channel keep the read state of messages they received, whatever the two read floors are.
 * - Messages they did not receive become read history. If the new channel's history is protected, they get a row in
 *   `message_flags`, which grants access.
 * - Subscribers of the old channel who are not subscribed to the new one lose their rows, as do users who cannot read
 *   the new channel.
 */
export async function moveRecords(tx: Tx, moved: Moved): Promise<void> {
  await keepWildcardMentions(tx, moved)
  await keepReadState(tx, moved)
  await deleteFlags(tx, moved)
}

/** A channel wildcard mention stays one for the users who were subscribed when it was sent, and for nobody else. */
async function keepWildcardMentions(tx: Tx, { from, to, ids }: Moved): Promise<void> {
  await sql`
    with mentioning as (
      update messages set mentions_channel = false
       where realm_id = ${tx.realmId} and id = any(${ids}::bigint[]) and mentions_channel returning id
    )
    insert into message_flags (realm_id, user_id, message_id, flags)
    select ${tx.realmId}, r.user_id, m.id, ${bits.wildcardMentioned} from mentioning m cross join (${subscribers(tx, to)}) r
     where ${isCovered(tx, from)}
     order by r.user_id, m.id
    on conflict (realm_id, user_id, message_id) do update set flags = message_flags.flags | excluded.flags`.execute(
    tx.db,
  )
}

function subscribers(tx: Tx, { id }: Channel): Fragment {
  return sql`select user_id from subscriptions where realm_id = ${tx.realmId} and channel_id = ${id} and is_active`
}

/**
 * The subscribers of the new channel, with their read floors. Scalar subqueries, because joins are slow until the tables
 * have been analyzed: each reader would be compared with every other.
 */
function readers(tx: Tx, { from, to }: Moved): Fragment {
  const ofReader = sql`realm_id = n.realm_id and user_id = n.user_id`
  const since = sql`(select from_message from subscription_periods where ${ofReader} and channel_id = n.channel_id and to_message is null)`
  return sql`
    select n.user_id, n.read_floor as floor, ${to.history_public_to_subscribers ? sql`null::bigint` : since} as from_message,
           (select read_floor from subscriptions where ${ofReader} and channel_id = ${from.id} and is_active) as old_floor
      from subscriptions n
     where n.realm_id = ${tx.realmId} and n.channel_id = ${to.id} and n.is_active`
}

/** Whether the reader `r` was subscribed to the channel when `m` was sent. */
function isCovered(tx: Tx, { id }: Channel): Fragment {
  return wasSubscribed({ realm: tx.realmId, user: sql`r.user_id`, channel: id })
}

/** The messages of the channel that the user `u` was subscribed for. Cheaper than isCovered for each message. */
function rangesOf(tx: Tx, { id }: Channel): Fragment {
  return subscribedRanges({ realm: tx.realmId, user: sql`u.user_id`, channel: id })
}

/**
 * The pairs of a reader `r` and a message `m` whose flags may change: messages above one of the read floors, messages
 * with flags and, if history is protected, messages sent before the reader subscribed. Most readers have read most
 * messages, so there are few pairs.
 */
function pairs({ to }: Moved): Fragment {
  const early = to.history_public_to_subscribers ? sql`false` : sql`m.id <= r.from_message`
  return sql`
    select r.*, m.* from moved m join readers r on m.id > least(r.floor, r.old_floor) or ${early}
    union
    select r.*, m.* from moved m join marks f on f.message_id = m.id join readers r on r.user_id = f.user_id`
}

/**
 * Sets the flags that keep the read state. The messages and their flags are materialized first: otherwise the planner
 * reads all unread and flagged messages of the readers.
 */
async function keepReadState(tx: Tx, moved: Moved): Promise<void> {
  const { from, to, ids } = moved
  const user = sql`r.user_id`
  const newcomer = to.history_public_to_subscribers
    ? sql`case when is_above then ${bits.historical} | ${bits.read} else 0 end`
    : sql`case when is_above then ${bits.read} else 0 end`
  await sql`
    with readers as (${readers(tx, moved)}
    ), moved as materialized (
      select id, sender_id, read_by_sender from messages where realm_id = ${tx.realmId} and id = any(${ids}::bigint[])
    ), marks as materialized (
      select user_id, message_id, flags from message_flags
       where realm_id = ${tx.realmId} and message_id = any(${ids}::bigint[])
    ), pairs as materialized (${pairs(moved)}),
    covered as materialized (
      select u.user_id, ${rangesOf(tx, from)} as before, ${rangesOf(tx, to)} as now
        from (select distinct user_id from pairs) u
    ), states as (
      select r.user_id, r.id, coalesce(f.flags, 0) as flags,
             f.message_id is not null or r.id <@ c.before as was_received,
             r.id <@ c.now as is_covered,
             ${isUnreadBy({ user, floor: sql`r.old_floor` })} as was_unread,
             ${isAboveFloor({ user, floor: sql`r.floor` })} as is_above
        from pairs r
        join covered c on c.user_id = r.user_id
        cross join lateral (select r.id, r.sender_id, r.read_by_sender) m
        left join marks f on f.user_id = r.user_id and f.message_id = r.id
    ), decided as (
      select user_id, id, flags as before,
             case when was_received
                  then flags & ~(${bits.read} | ${bits.unread})
                       | case when was_unread and not is_above then ${bits.unread}
                              when is_above and not was_unread then ${bits.read} else 0 end
                  else ${newcomer} end
             | case when is_covered or not (was_received or ${!to.history_public_to_subscribers}::boolean)
                    then 0 else ${bits.received} end as flags
        from states
    )
    insert into message_flags (realm_id, user_id, message_id, flags)
    select ${tx.realmId}, user_id, id, flags from decided where flags <> before
     order by user_id, id
    on conflict (realm_id, user_id, message_id)
    do update set flags = (message_flags.flags & ~${bits.state}) | (excluded.flags & ${bits.state})`.execute(tx.db)
}

async function deleteFlags(tx: Tx, { from, to, ids, lost }: Moved): Promise<void> {
  await sql`
    delete from message_flags f
     where f.realm_id = ${tx.realmId} and f.message_id = any(${ids}::bigint[])
       and (f.user_id = any(${lost}::bigint[])
            or exists (select 1 from subscriptions s where s.realm_id = f.realm_id and s.user_id = f.user_id
                          and s.channel_id = ${from.id}))
       and not exists (select 1 from subscriptions n where n.realm_id = f.realm_id and n.user_id = f.user_id
                          and n.channel_id = ${to.id} and n.is_active)`.execute(tx.db)
}
