import type { MessageFlag } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import { loader } from '../../../events/commit/loader.ts'
import type { Audience, Personal } from '../../../events/log.ts'
import type { Tx } from '../../../events/transact.ts'
import { allDone } from '../../../platform/db/pipelined.ts'
import { flagsOf } from '../fetch/message-objects.ts'
import { flagBits } from '../model/flag-bits.ts'
import { isUnreadBy } from '../model/read-state.ts'
import { joinMessage, wasSubscribed } from '../model/received.ts'

interface Asked {
  id: number
  audience: Audience
}

/**
 * Each user's current flags for a message: the most common flags for everyone, and exceptions by user id. Nearly all
 * subscribers of a channel differ only in whether they have read the message, which their read floor says: they are read
 * once for all messages.
 */
export async function readPersonal(tx: Tx, { id, audience }: Asked): Promise<Personal> {
  const { channel = null, users = [] } = audience
  const [special, subscribers] = await allDone([
    readSpecial(
      tx,
      [null, ...users].map((user_id) => ({ id, channel, user_id })),
    ),
    channel === null ? [] : readSubscribers(tx, { channel_id: channel, id }),
  ] as const)
  const isUnread = ({ bucket, thresholds }: FloorGroup) => bucket <= thresholds.indexOf(id)
  return toPersonal(
    special,
    subscribers.map((group) => ({ ...group, is_unread: isUnread(group) })),
  )
}

function toPersonal(special: SpecialGroup[], subscribers: (FloorGroup & { is_unread: boolean })[]): Personal {
  const plainFlags = (is_unread: boolean) =>
    eventFlags({ flags: 0, is_received: true, is_unread, mentions_everybody: special[0]?.mentions_channel ?? false })
  const groups = [
    ...subscribers.map(({ users, is_unread }) => ({ users, flags: plainFlags(is_unread) })),
    ...special.map((group) => ({ users: group.users, flags: eventFlags(group) })),
  ]
  const everyone = (groups.find(({ users }) => users === null) ?? groups[0])?.flags
  if (!everyone) return {}
  // Special users come last: most of them are subscribers too.
  const flagsByUser = new Map(groups.flatMap(({ users, flags }) => (users ?? []).map((user) => [user, flags] as const)))
  const exceptions = [...flagsByUser].filter(([, flags]) => String(flags) !== String(everyone))
  return { everyone, ...(exceptions.length > 0 && { instead: Object.fromEntries(exceptions) }) }
}

interface Flags {
  flags: number
  is_received: boolean
  is_unread: boolean
  mentions_everybody: boolean
}

/** Users who did not receive the message get only `read`, even if the move created flags for them. */
function eventFlags(state: Flags): MessageFlag[] {
  const isNew = state.flags === (flagBits.read | flagBits.historical)
  return state.is_received && !isNew ? flagsOf(state).filter((flag) => flag !== 'wildcard_mentioned') : ['read']
}

interface FloorGroup {
  channel_id: number
  /** How many of the thresholds, which are the ids of the messages, the read floor has reached. */
  bucket: number
  thresholds: number[]
  /** Null for the largest group of the channel. */
  users: number[] | null
}

/** The subscribers of the channels, by which of the messages their read floors have reached. */
const readSubscribers = loader(
  { channel_id: 'bigint', id: 'bigint' },
  ({ realmId }, k) => sql<FloorGroup>`
    with k as materialized (
      select * from ${k}
    ), t as materialized (
      select array(select distinct id from k order by id) as thresholds
    )
    select channel_id, bucket, (select thresholds from t) as thresholds,
           case when row_number() over (partition by channel_id order by cardinality(users) desc) > 1 then users end as users
      from (select channel_id, width_bucket(read_floor, (select thresholds from t)) as bucket, array_agg(user_id) as users
              from subscriptions
             where realm_id = ${realmId} and channel_id = any(array(select channel_id from k)) and is_active
             group by 1, 2) s`,
)

interface SpecialGroup extends Flags {
  mentions_channel: boolean
  users: number[]
}

/**
 * Users whose flags follow from more than their read floor: those with stored flags, the sender, users who subscribed later,
 * and those of the audience who are not subscribers. At least one row per message. The key without a user stands for it. `offset 0` lets each be looked up, because a
 * join might read all subscriptions of the realm.
 */
const readSpecial = loader({ id: 'bigint', channel: 'bigint', user_id: 'bigint' }, ({ realmId }, keys) => {
  const realm = sql`${realmId}::bigint`
  return sql<SpecialGroup>`
    with k as materialized (
      select * from ${keys}
    ), m as materialized (
      select k.place, k.channel, m.id, m.recipient_id, m.channel_id, m.sender_id, m.read_by_sender, m.mentions_channel
        from k ${joinMessage(realm, sql`k.id`)}
       where k.user_id is null
    ), readers as materialized (
      select m.place, c.user_id, s.read_floor as floor
        from m cross join lateral (
          select m.sender_id as user_id
          union
          select f.user_id from message_flags f where f.realm_id = ${realm} and f.message_id = m.id
          union
          select p.user_id from subscription_periods p
           where p.realm_id = ${realm} and p.channel_id = m.channel and p.to_message is null and p.from_message >= m.id) c
        cross join lateral (
          select read_floor from subscriptions
           where realm_id = ${realm} and user_id = c.user_id and channel_id = m.channel and is_active offset 0) s
      union
      select g.place, g.user_id, coalesce(
          (select read_floor from direct_participants
            where realm_id = ${realm} and user_id = g.user_id and recipient_id = m.recipient_id),
          (select read_floor from subscriptions
            where realm_id = ${realm} and user_id = g.user_id and channel_id = m.channel_id and is_active))
        from k g join m on m.place = g.place
       where g.user_id is not null
    ), states as (
      select m.place, r.user_id, m.mentions_channel, coalesce(f.flags, 0) as flags, f.flags is not null as has_record,
             m.channel_id is null or ${wasSubscribed({ realm, user: sql`r.user_id`, channel: sql`m.channel_id` })} as is_covered,
             ${isUnreadBy({ user: sql`r.user_id`, floor: sql`r.floor` })} as is_unread
        from m left join readers r on r.place = m.place
        left join lateral (
          select flags from message_flags
           where realm_id = ${realm} and user_id = r.user_id and message_id = m.id offset 0) f on true
    )
    select place, flags, mentions_channel, has_record or is_covered as is_received, is_unread,
           (mentions_channel and is_covered) or flags & ${sql.lit(flagBits.stream_wildcard_mentioned)} <> 0 as mentions_everybody,
           coalesce(array_agg(user_id) filter (where user_id is not null), '{}') as users
      from states group by 1, 2, 3, 4, 5, 6
     order by cardinality(array_agg(user_id)) desc`
})
