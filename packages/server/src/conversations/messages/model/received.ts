import { sql } from 'kysely'
import type { Fragment, Operand } from '../../../platform/db/fragment.ts'

/** A user and a channel, for conditions on messages with the alias `m`. */
export interface Recipient {
  realm: Operand
  user: Operand
  channel: Operand
}

/**
 * The message with an id of another row, as `m`. `offset 0` lets it be looked up: while PostgreSQL takes a realm for small, a
 * join would read all of its messages.
 */
export function joinMessage(realm: Operand, id: Fragment): Fragment {
  return sql`cross join lateral (select * from messages where realm_id = ${realm} and id = ${id} offset 0) m`
}

/** Whether `m` was sent during the subscription period `p`. */
export const sentDuringPeriod: Fragment = sql`(p.from_message < m.id and (p.to_message is null or m.id <= p.to_message))`

/** Whether the user was subscribed to the channel when `m` was sent. */
export function wasSubscribed({ realm, user, channel }: Recipient): Fragment {
  return sql`exists (
    select 1 from subscription_periods p
     where p.realm_id = ${realm} and p.user_id = ${user} and p.channel_id = ${channel} and ${sentDuringPeriod})`
}

/** The ids of messages sent while the user was subscribed, as a multirange: for many messages of one user. */
export function subscribedRanges({ realm, user, channel }: Recipient): Fragment {
  return sql`coalesce((
    select range_agg(int8range(p.from_message, p.to_message, '(]')) from subscription_periods p
     where p.realm_id = ${realm} and p.user_id = ${user} and p.channel_id = ${channel}), '{}')`
}

/** Whether the user received the channel message `m`: by subscription, or with a row in `message_flags`. */
export function wasReceived(recipient: Recipient): Fragment {
  return sql`(${wasSubscribed(recipient)} or exists (
    select 1 from message_flags f
     where f.realm_id = ${recipient.realm} and f.user_id = ${recipient.user} and f.message_id = m.id))`
}
