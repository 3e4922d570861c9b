import { sql } from 'kysely'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Position, Tx } from '../../../events/transact.ts'
import { emitLostUsers, usersMetBy } from '../../../people/users/visibility/guest-visibility.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Channel } from '../access.ts'
import { peerAudience, readHolders, seesUnsubscribed } from '../visibility/channel-audience.ts'

export interface Departure {
  users: { id: number; role: number }[]
  /** Must be locked (lockChannels). */
  channels: Channel[]
}

/** The users who were unsubscribed from a channel. */
export interface Unsubscribed {
  channel: Channel
  removed: number[]
}

/** Finds which of the users are subscribed to which of the channels, and locks these subscriptions. */
export async function lockUnsubscribe(tx: Tx, { users, channels }: Departure): Promise<Unsubscribed[]> {
  const user_id = users.map(({ id }) => id)
  const channel_id = channels.map(({ id }) => id)
  const rows = await tx.db
    .selectFrom('subscriptions')
    .select(['user_id', 'channel_id'])
    .where(matches({ realm_id: tx.realmId, user_id, channel_id, is_active: true }))
    .orderBy('user_id')
    .orderBy('channel_id')
    .forNoKeyUpdate()
    .execute()
  const byChannel = Map.groupBy(rows, ({ channel_id }) => channel_id)
  return channels.flatMap((channel) => {
    const removed = byChannel.get(channel.id)?.map(({ user_id }) => user_id)
    return removed ? [{ channel, removed }] : []
  })
}

/** Ends locked subscriptions. Unread messages in the channels count as read. */
export async function unsubscribeUsers(
  tx: Tx,
  realm: Realm,
  { users }: Departure,
  left: Unsubscribed[],
): Promise<void> {
  if (left.length === 0) return
  const position = await tx.position()
  await endSubscriptions(tx, position, left)
  await emitUnsubscribed(tx, realm, { users, left, position })
  const pairs = left.flatMap(({ channel, removed }) => removed.map((user_id) => ({ user_id, channel_id: channel.id })))
  emitLostUsers(tx, realm, await usersMetBy(tx.db, realm, pairs))
}

async function endSubscriptions(tx: Tx, { event, message }: Position, left: Unsubscribed[]): Promise<void> {
  const pairs = left.flatMap(({ channel, removed }) => removed.map((user) => [user, channel.id] as const))
  const pair = sql`unnest(${pairs.map(([user]) => user)}::bigint[], ${pairs.map(([, channel]) => channel)}::bigint[])
                   as pair(user_id, channel_id)`
  await sql`
    update subscriptions s set is_active = false, read_floor = ${message} from ${pair}
     where s.realm_id = ${tx.realmId} and s.user_id = pair.user_id and s.channel_id = pair.channel_id`.execute(tx.db)
  await sql`
    update subscription_periods p set to_event = ${event}, to_message = ${message} from ${pair}
     where p.realm_id = ${tx.realmId} and p.user_id = pair.user_id and p.channel_id = pair.channel_id
       and p.to_event is null`.execute(tx.db)
}

interface UnsubscribeResult {
  users: Departure['users']
  left: Unsubscribed[]
  position: Position
}

/** Emits the ended subscriptions, and hides the channels from users who can no longer see them. */
async function emitUnsubscribed(tx: Tx, realm: Realm, { users, left, position }: UnsubscribeResult): Promise<void> {
  tx.emitInternal({
    access: true,
    left: left.map(({ channel, removed }) => ({
      channel_id: channel.id,
      user_ids: removed,
      to_event: position.event,
    })),
  })
  emitRemovedSubscriptions(tx, left)
  const channels = left.map(({ channel }) => channel)
  const holders = await readHolders(tx.db, realm.id, channels)
  for (const { channel, removed } of left) {
    const removedIds = new Set(removed)
    const losingAccess = users.filter((user) => removedIds.has(user.id) && !seesUnsubscribed(user, channel, holders))
    const stream_id = channel.id
    if (losingAccess.length > 0)
      tx.emit(
        { type: 'stream', op: 'delete', stream_ids: [stream_id], streams: [{ stream_id }] },
        { users: losingAccess.map(({ id }) => id) },
      )
    // A single user already knows; of several, each must learn about the others.
    const excluded = removed.length > 1 ? losingAccess.map(({ id }) => id) : removed
    tx.emit(
      { type: 'subscription', op: 'peer_remove', stream_ids: [stream_id], user_ids: removed },
      { ...peerAudience(realm, channel, holders), except: excluded },
    )
  }
}

/** Emits one event per set of users who unsubscribed from the same channels. */
function emitRemovedSubscriptions(tx: Tx, left: Unsubscribed[]): void {
  const channelsOf = new Map<number, Channel[]>()
  for (const { channel, removed } of left)
    for (const user of removed) channelsOf.set(user, [...(channelsOf.get(user) ?? []), channel])
  const byChannels = Map.groupBy(channelsOf, ([, channels]) => channels.map(({ id }) => id).join())
  for (const entries of byChannels.values()) {
    const subscriptions = entries[0]![1].map(({ id, name }) => ({ stream_id: id, name }))
    tx.emit({ type: 'subscription', op: 'remove', subscriptions }, { users: entries.map(([user]) => user) })
  }
}
