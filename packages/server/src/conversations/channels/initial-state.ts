import { lookup } from '@parley/api/lookup'
import { isGuest } from '@parley/api/permissions'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { isVisibleUser, seesAllUsers } from '../../people/users/visibility/visible-users.ts'
import { JsonText, withFields } from '../../platform/json-text.ts'
import type { Snapshot } from '../../snapshot.ts'
import { readDefaultGroups } from './default-groups/queries.ts'
import { readChannels, readDefaultChannelIds, readVisibleIds } from './queries.ts'
import { type Subscribers, subscribersOfMany } from './subscriptions/subscribers.ts'
import {
  type OwnSubscription,
  personalOf,
  readOwnSubscriptions,
  subscriptionFields,
} from './subscriptions/subscription-object.ts'
import { isVisibleTo } from './visibility/conditions.ts'

export async function channelState(snapshot: Snapshot): Promise<object> {
  return { streams: (await visibleChannels(snapshot)).map(({ object }) => object) }
}

export async function defaultChannelState({ db, caller }: Snapshot): Promise<object> {
  return { realm_default_streams: isGuest(caller) ? [] : await readDefaultChannelIds(db, caller.realm_id) }
}

export async function defaultGroupState({ db, caller }: Snapshot): Promise<object> {
  return { realm_default_stream_groups: isGuest(caller) ? [] : await readDefaultGroups(db, caller.realm_id) }
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

/** A channel that is visible to the caller, serialized. */
interface ListedChannel {
  id: number
  object: JsonText
}

/** Two parts of the snapshot list the same channels; this reads them once. */
const channelReads = new WeakMap<Snapshot, Promise<ListedChannel[]>>()

function visibleChannels(snapshot: Snapshot): Promise<ListedChannel[]> {
  const channels = channelReads.get(snapshot) ?? readVisibleChannels(snapshot)
  channelReads.set(snapshot, channels)
  return channels
}

/** Which channels the caller may see is never cached, only what they look like. */
async function readVisibleChannels(snapshot: Snapshot): Promise<ListedChannel[]> {
  const { db, caller, capabilities } = snapshot
  const isVisible = isVisibleTo(caller)
  const condition = capabilities.archived_channels ? isVisible : sql`not c.is_archived and ${isVisible}`
  const all = await sharedChannels(snapshot)
  const quiet = all.flatMap(({ id, whenActive }) => (whenActive ? [id] : []))
  const { visible, active } = await readVisibleIds(db, caller.realm_id, condition, quiet)
  const [visibleIds, activeIds] = [new Set(visible), new Set(active)]
  return all
    .filter(({ id }) => visibleIds.has(id))
    .map((channel) => (activeIds.has(channel.id) ? { id: channel.id, object: channel.whenActive! } : channel))
}

/** A channel that was not recently active when it was loaded also has the form that a new message gives it. */
interface SharedChannel extends ListedChannel {
  whenActive?: JsonText
}

function sharedChannels(snapshot: Snapshot): Promise<SharedChannel[]> {
  return snapshot.shared('channels', () => loadChannels(snapshot), channelsSize)
}

/** All channels, sorted by name. A new first message is an event about the channel, so it is loaded again. */
async function loadChannels({ db, caller }: Snapshot): Promise<SharedChannel[]> {
  const channels = await readChannels(db, caller.realm, sql`true`)
  return channels.map((channel) => ({
    id: channel.stream_id,
    object: JsonText.of(channel),
    ...(!channel.is_recently_active && { whenActive: JsonText.of({ ...channel, is_recently_active: true }) }),
  }))
}

function channelsSize(channels: SharedChannel[]): number {
  const length = (object?: JsonText) => object?.text.length ?? 0
  return channels.reduce((sum, { object, whenActive }) => sum + length(object) + length(whenActive) + 100, 0)
}

type SubscribersOf = (channelId: number) => Subscribers

async function readRequestedSubscribers(snapshot: Snapshot, channels: ListedChannel[]): Promise<SubscribersOf> {
  const { caller, includeSubscribers } = snapshot
  if (!includeSubscribers) return () => ({})
  const partial = includeSubscribers === 'partial'
  const known =
    seesAllUsers(caller) && !partial
      ? await sharedSubscribers(snapshot)
      : await loadSubscribers(snapshot, channels, partial)
  return (channelId) => known.get(channelId) ?? { subscribers: [] }
}

type SubscriberLists = Map<number, Subscribers>

/** Of all channels, for callers who see all users. Partial lists depend on who was online recently. */
async function sharedSubscribers(snapshot: Snapshot): Promise<SubscriberLists> {
  const channels = await sharedChannels(snapshot)
  return snapshot.shared('subscribers', () => loadSubscribers(snapshot, channels, false), subscribersSize)
}

function subscribersSize(lists: SubscriberLists): number {
  return [...lists.values()].reduce((sum, { subscribers }) => sum + 8 * subscribers!.length + 200, 0)
}

function loadSubscribers({ db, caller }: Snapshot, channels: ListedChannel[], partial: boolean) {
  const channelIds = channels.map(({ id }) => id)
  return subscribersOfMany(db, caller.realm_id, { channelIds, visibility: isVisibleUser(caller), partial })
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
  channels: ListedChannel[],
  own: Map<number, OwnSubscription>,
  subscribersOf: SubscribersOf,
) {
  const subscriptions: JsonText[] = []
  const unsubscribed: JsonText[] = []
  const never_subscribed: JsonText[] = []
  for (const { id, object } of channels) {
    const mine = own.get(id)
    const subscribers = subscribersOf(id)
    if (!mine) never_subscribed.push(withFields(object, subscribers))
    else
      (mine.is_active ? subscriptions : unsubscribed).push(
        withFields(object, { ...subscriptionFields(personalOf(mine)), ...subscribers }),
      )
  }
  return { subscriptions, unsubscribed, never_subscribed }
}
