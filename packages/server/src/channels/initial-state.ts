import type { ChannelObject } from '@parley/api/channels'
import { lookup } from '@parley/api/lookup'
import type { SubscriptionObject } from '@parley/api/subscriptions'
import { sql } from 'kysely'
import { isGuest } from '../groups/permission.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Caller } from '../users/caller.ts'
import { isVisibleUser } from '../users/visible-users.ts'
import { readChannels, readDefaultChannelIds } from './queries.ts'
import { type Subscribers, subscribersOfMany } from './subscriptions/subscribers.ts'
import {
  type OwnSubscription,
  personalOf,
  readOwnSubscriptions,
  subscriptionObject,
} from './subscriptions/subscription-object.ts'
import { isVisibleTo } from './visibility/conditions.ts'

export async function channelState(snapshot: Snapshot): Promise<object> {
  return { streams: await visibleChannels(snapshot) }
}

export async function defaultChannelState({ db, caller }: Snapshot): Promise<object> {
  return { realm_default_streams: isGuest(caller) ? [] : await readDefaultChannelIds(db, caller.realm_id) }
}

export async function subscriptionState(snapshot: Snapshot): Promise<object> {
  const { db, caller, capabilities } = snapshot
  const channels = await visibleChannels(snapshot)
  const own = await readOwnSubscriptions(db, caller.realm_id, caller.id)
  const subscribersOf = await readRequestedSubscribers(snapshot, channels)
  const inherit = capabilities.notification_settings_null
    ? (one: OwnSubscription) => one
    : withInheritedSettings(caller)
  return groupBySubscription(channels, new Map(own.map((one) => [one.channel_id, inherit(one)])), subscribersOf)
}

/** Two parts of the snapshot list the same channels; this reads them once. */
const channelReads = new WeakMap<Snapshot, Promise<ChannelObject[]>>()

function visibleChannels(snapshot: Snapshot): Promise<ChannelObject[]> {
  const known = channelReads.get(snapshot)
  if (known) return known
  const { db, caller, capabilities } = snapshot
  const condition = capabilities.archived_channels
    ? isVisibleTo(caller)
    : sql`not c.is_archived and ${isVisibleTo(caller)}`
  const channels = readChannels(db, caller.realm, condition)
  channelReads.set(snapshot, channels)
  return channels
}

type SubscribersOf = (channelId: number) => Subscribers

async function readRequestedSubscribers(
  { db, caller, includeSubscribers }: Snapshot,
  channels: ChannelObject[],
): Promise<SubscribersOf> {
  if (!includeSubscribers) return () => ({})
  const known = await subscribersOfMany(db, caller.realm_id, {
    channelIds: channels.map(({ stream_id }) => stream_id),
    visibility: isVisibleUser(caller),
    partial: includeSubscribers === 'partial',
  })
  return (channelId) => known.get(channelId) ?? { subscribers: [] }
}

/** Older clients cannot inherit settings, so they get the inherited values. */
function withInheritedSettings({ settings }: Caller): (own: OwnSubscription) => OwnSubscription {
  const setting = (name: string) => lookup(settings, name) as boolean
  return (own) => ({
    ...own,
    desktop_notifications: own.desktop_notifications ?? setting('enable_stream_desktop_notifications'),
    audible_notifications: own.audible_notifications ?? setting('enable_stream_audible_notifications'),
    push_notifications: own.push_notifications ?? setting('enable_stream_push_notifications'),
    email_notifications: own.email_notifications ?? setting('enable_stream_email_notifications'),
  })
}

function groupBySubscription(
  channels: ChannelObject[],
  own: Map<number, OwnSubscription>,
  subscribersOf: SubscribersOf,
) {
  const subscriptions: SubscriptionObject[] = []
  const unsubscribed: SubscriptionObject[] = []
  const never_subscribed: object[] = []
  for (const channel of channels) {
    const mine = own.get(channel.stream_id)
    const subscribers = subscribersOf(channel.stream_id)
    if (!mine) never_subscribed.push({ ...channel, ...subscribers })
    else
      (mine.is_active ? subscriptions : unsubscribed).push(subscriptionObject(channel, personalOf(mine), subscribers))
  }
  return { subscriptions, unsubscribed, never_subscribed }
}
