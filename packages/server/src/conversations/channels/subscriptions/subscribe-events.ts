import type { ChannelObject } from '@parley/api/conversations/channels'
import { sql } from 'kysely'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Position, Tx } from '../../../events/transact.ts'
import { many } from '../../../platform/db/query.ts'
import type { Channel } from '../access.ts'
import { readChannels, readSubscribers } from '../queries.ts'
import {
  type Holders,
  peerAudience,
  readHolders,
  seesUnsubscribed,
  viewerAudience,
} from '../visibility/channel-audience.ts'
import { type Personal, personalColumns, subscriptionObject } from './subscription-object.ts'

/** The users to subscribe and the channels. The channels must be locked (lockChannels) or new. */
export interface Joining {
  users: { id: number; role: number }[]
  channels: Channel[]
  /** The subset of `channels` that this transaction created. */
  created: Channel[]
  /** Requested colors, by channel id. */
  colors: Map<number, string>
}

/** The result for one channel. */
export interface Joined {
  channel: Channel
  added: number[]
  already: number[]
}

interface SubscribeResult {
  joining: Joining
  joined: Joined[]
  position: Position
}

/** Emits events about new channels and subscriptions. Subscribers receive theirs before their peers do. */
export async function emitSubscribed(tx: Tx, realm: Realm, result: SubscribeResult): Promise<void> {
  const { joining, joined, position } = result
  const changed = joined.filter(({ added }) => added.length > 0)
  tx.emitInternal({
    access: true,
    joined: changed.map(({ channel, added }) => ({
      channel_id: channel.id,
      user_ids: added,
      from_event: position.event,
    })),
  })
  const objects = await objectsOf(tx, realm, result)
  const holders = await readHolders(tx.db, realm.id, joining.channels)
  for (const { id, ...channel } of joining.created)
    tx.emit({ type: 'stream', op: 'create', streams: [objects.get(id)!] }, viewerAudience({ id, ...channel }, holders))
  for (const one of changed) emitDiscoveredChannel(tx, result, one, objects, holders)
  await emitSubscriptions(tx, changed, objects)
  for (const { channel, added } of changed)
    tx.emit(
      { type: 'subscription', op: 'peer_add', stream_ids: [channel.id], user_ids: added },
      { ...peerAudience(realm, channel, holders), except: added },
    )
}

/** A created channel starts with a notice. Its id is known, because nobody else can send before this commits. */
async function objectsOf(
  tx: Tx,
  realm: Realm,
  { joining, position }: SubscribeResult,
): Promise<Map<number, ChannelObject>> {
  const ids = joining.channels.map(({ id }) => id)
  const objects = await readChannels(tx.db, realm, sql`c.id = any(${ids}::bigint[])`)
  const first = new Map(joining.created.map(({ id }, index) => [id, position.message + 1 + index]))
  return new Map(
    objects.map((one) => [
      one.stream_id,
      { ...one, first_message_id: first.get(one.stream_id) ?? one.first_message_id },
    ]),
  )
}

/** Emits an existing channel to new subscribers who could not see it before. */
function emitDiscoveredChannel(
  tx: Tx,
  { joining }: SubscribeResult,
  { channel, added }: Joined,
  objects: Map<number, ChannelObject>,
  holders: Holders,
): void {
  if (joining.created.includes(channel)) return
  const isAdded = new Set(added)
  const users = joining.users
    .filter((user) => isAdded.has(user.id) && !seesUnsubscribed(user, channel, holders))
    .map(({ id }) => id)
  if (users.length > 0) tx.emit({ type: 'stream', op: 'create', streams: [objects.get(channel.id)!] }, { users })
}

interface OwnRow extends Personal {
  user_id: number
  channel_id: number
}

/** Emits one event per set of identical subscriptions: when many users are added, most of theirs are identical. */
async function emitSubscriptions(tx: Tx, changed: Joined[], objects: Map<number, ChannelObject>): Promise<void> {
  const subscribers = await readSubscribers(
    tx.db,
    tx.realmId,
    changed.map(({ channel }) => channel.id),
  )
  const identical = new Map<string, { rows: OwnRow[]; users: number[] }>()
  for (const [user, rows] of await readNewRows(tx, changed)) {
    const key = JSON.stringify(rows.map(({ user_id: _, ...row }) => row))
    const known = identical.get(key)
    if (known) known.users.push(user)
    else identical.set(key, { rows, users: [user] })
  }
  for (const { rows, users } of identical.values()) {
    const subscriptions = rows.map(({ user_id: _, channel_id, ...personal }) =>
      subscriptionObject(objects.get(channel_id)!, personal, { subscribers: subscribers.get(channel_id) ?? [] }),
    )
    tx.emit({ type: 'subscription', op: 'add', subscriptions }, { users })
  }
}

async function readNewRows(tx: Tx, changed: Joined[]): Promise<Map<number, OwnRow[]>> {
  const pairs = changed.flatMap(({ channel, added }) => added.map((user) => [user, channel.id] as const))
  const rows = await many<OwnRow>(tx.db)`
    select s.user_id, s.channel_id, ${personalColumns}
      from unnest(${pairs.map(([user]) => user)}::bigint[], ${pairs.map(([, channel]) => channel)}::bigint[])
           as pair(user_id, channel_id)
      join subscriptions s on s.realm_id = ${tx.realmId} and s.user_id = pair.user_id and s.channel_id = pair.channel_id
     order by s.user_id, s.channel_id`
  return Map.groupBy(rows, ({ user_id }) => user_id)
}
