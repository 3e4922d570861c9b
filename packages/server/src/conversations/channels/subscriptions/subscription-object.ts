import type { ChannelObject } from '@parley/api/conversations/channels'
import type { SubscriptionObject } from '@parley/api/conversations/subscriptions'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column, many } from '../../../platform/db/query.ts'
import { readChannels } from '../queries.ts'
import { type Subscribers, subscribersOfMany } from './subscribers.ts'

/** The personal settings of a subscription. */
export type Personal = Pick<
  SubscriptionObject,
  | 'color'
  | 'is_muted'
  | 'pin_to_top'
  | 'desktop_notifications'
  | 'audible_notifications'
  | 'push_notifications'
  | 'email_notifications'
  | 'wildcard_mentions_notify'
>

export const personalColumns = sql`
  s.color, s.is_muted, s.pin_to_top, s.desktop_notifications, s.audible_notifications, s.push_notifications,
  s.email_notifications, s.wildcard_mentions_notify`

export function subscriptionObject(
  channel: ChannelObject,
  personal: Personal,
  subscribers: Subscribers = {},
): SubscriptionObject {
  return { ...channel, ...subscriptionFields(personal), ...subscribers }
}

/** What a subscription has besides the channel and its subscribers. */
export function subscriptionFields(personal: Personal) {
  return { ...personal, in_home_view: !personal.is_muted }
}

export interface OwnSubscription extends Personal {
  channel_id: number
  is_active: boolean
}

/** All current and former subscriptions of a user. */
export async function readOwnSubscriptions(db: Db, realmId: number, userId: number): Promise<OwnSubscription[]> {
  return many<OwnSubscription>(db)`
    select s.channel_id, s.is_active, ${personalColumns}
      from subscriptions s where s.realm_id = ${realmId} and s.user_id = ${userId}`
}

const noSubscribers: Subscribers = { subscribers: [] }

/** The caller's subscriptions, sorted by channel name. */
export async function readSubscriptions(
  db: Db,
  { realm, id: userId }: Caller,
  includeSubscribers: boolean,
): Promise<SubscriptionObject[]> {
  const own = await readOwnSubscriptions(db, realm.id, userId)
  const active = new Map(own.filter(({ is_active }) => is_active).map((one) => [one.channel_id, one]))
  const ids = [...active.keys()]
  const channels = await readChannels(db, realm, sql`c.id = any(${ids}::bigint[]) and not c.is_archived`)
  const selection = { channelIds: ids, visibility: sql`true`, partial: false }
  const subscribers = includeSubscribers ? await subscribersOfMany(db, realm.id, selection) : undefined
  return channels.map((channel) => {
    const id = channel.stream_id
    return subscriptionObject(
      channel,
      personalOf(active.get(id)!),
      subscribers && (subscribers.get(id) ?? noSubscribers),
    )
  })
}

/** Channels that both are subscribed to, by id. Subscribers see each other, so that this tells nothing new. */
export function readCommonChannels(db: Db, { realm, id }: Caller, otherId: number): Promise<number[]> {
  return column<number>(db)`
    select c.id from channels c
      join subscriptions own on own.realm_id = c.realm_id and own.channel_id = c.id and own.user_id = ${id}
      join subscriptions other on other.realm_id = c.realm_id and other.channel_id = c.id and other.user_id = ${otherId}
     where c.realm_id = ${realm.id} and not c.is_archived and own.is_active and other.is_active
     order by c.id`
}

export function personalOf({ channel_id: _, is_active: __, ...personal }: OwnSubscription): Personal {
  return personal
}
