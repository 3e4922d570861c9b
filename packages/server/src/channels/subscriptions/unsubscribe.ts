import { sql } from 'kysely'
import type { Position, Tx } from '../../events/transact.ts'
import type { Realm } from '../../realms/state.ts'
import { emitLostUsers, usersMetBy } from '../../users/guest-visibility.ts'
import type { Channel } from '../access.ts'
import { peerAudience, readHolders, seesUnsubscribed } from '../visibility/audience.ts'

export interface Leaving {
  people: { id: number; role: number }[]
  /** Locked (lockChannels). */
  channels: Channel[]
}

/** Who was unsubscribed from a channel. */
export interface Left {
  channel: Channel
  removed: number[]
}

/** Finds out who of the people are in which of the channels, and holds them there until the transaction ends. */
export async function lockUnsubscribe(tx: Tx, { people, channels }: Leaving): Promise<Left[]> {
  const { rows } = await sql<{ user_id: number; channel_id: number }>`
    select user_id, channel_id from subscriptions
     where realm_id = ${tx.realmId} and is_active and user_id = any(${people.map(({ id }) => id)}::bigint[])
       and channel_id = any(${channels.map(({ id }) => id)}::bigint[])
     order by user_id, channel_id for no key update`.execute(tx.db)
  const byChannel = Map.groupBy(rows, ({ channel_id }) => channel_id)
  return channels.flatMap((channel) => {
    const removed = byChannel.get(channel.id)?.map(({ user_id }) => user_id)
    return removed ? [{ channel, removed }] : []
  })
}

/** Ends subscriptions that were locked. What is unread there counts as read from now on. */
export async function unsubscribeUsers(tx: Tx, realm: Realm, { people }: Leaving, left: Left[]): Promise<void> {
  if (left.length === 0) return
  const position = await tx.position()
  await endSubscriptions(tx, position, left)
  await tellOfLeaving(tx, realm, { people, left, position })
  const pairs = left.flatMap(({ channel, removed }) => removed.map((user_id) => ({ user_id, channel_id: channel.id })))
  emitLostUsers(tx, realm, await usersMetBy(tx.db, realm, pairs))
}

async function endSubscriptions(tx: Tx, { event, message }: Position, left: Left[]): Promise<void> {
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

interface Happening {
  people: Leaving['people']
  left: Left[]
  position: Position
}

/** Tells those who left, and takes the channel from the sight of those who no longer may know of it. */
async function tellOfLeaving(tx: Tx, realm: Realm, { people, left, position }: Happening): Promise<void> {
  tx.emitInternal({
    access: true,
    left: left.map(({ channel, removed }) => ({
      channel_id: channel.id,
      user_ids: removed,
      to_event: position.event,
    })),
  })
  tellLeavers(tx, left)
  const channels = left.map(({ channel }) => channel)
  const holders = await readHolders(tx.db, realm.id, channels)
  for (const { channel, removed } of left) {
    const gone = new Set(removed)
    const blind = people.filter((person) => gone.has(person.id) && !seesUnsubscribed(person, channel, holders))
    const stream_id = channel.id
    if (blind.length > 0)
      tx.emit(
        { type: 'stream', op: 'delete', stream_ids: [stream_id], streams: [{ stream_id }] },
        { users: blind.map(({ id }) => id) },
      )
    // One who leaves alone knows it; of several who leave at once each must hear of the others.
    const untold = removed.length > 1 ? blind.map(({ id }) => id) : removed
    tx.emit(
      { type: 'subscription', op: 'peer_remove', stream_ids: [stream_id], user_ids: removed },
      { ...peerAudience(realm, channel, holders), except: untold },
    )
  }
}

/** One event for all who left the same channels. */
function tellLeavers(tx: Tx, left: Left[]): void {
  const channelsOf = new Map<number, Channel[]>()
  for (const { channel, removed } of left)
    for (const user of removed) channelsOf.set(user, [...(channelsOf.get(user) ?? []), channel])
  const alike = Map.groupBy(channelsOf, ([, channels]) => channels.map(({ id }) => id).join())
  for (const people of alike.values()) {
    const subscriptions = people[0]![1].map(({ id, name }) => ({ stream_id: id, name }))
    tx.emit({ type: 'subscription', op: 'remove', subscriptions }, { users: people.map(([user]) => user) })
  }
}
