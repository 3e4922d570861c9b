import { sql } from 'kysely'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Position, Tx } from '../../../events/transact.ts'
import { emitGainedUsers, usersMetBy } from '../../../people/users/visibility/guest-visibility.ts'
import { matches } from '../../../platform/db/matches.ts'
import { many } from '../../../platform/db/query.ts'
import type { Channel } from '../access.ts'
import { pickColor } from './colors.ts'
import { emitSubscribed, type Joined, type Joining } from './subscribe-events.ts'

interface KnownSubscription {
  user_id: number
  channel_id: number
  is_active: boolean
  color: string
}

/**
 * Subscribes users to channels. Resubscribing restores the user's previous settings. Messages sent before the
 * subscription count as read. The caller must then send the first message of each created channel, in the order of
 * `created`.
 */
export async function subscribeUsers(tx: Tx, realm: Realm, joining: Joining): Promise<Joined[]> {
  const known = await lockSubscriptions(tx, joining)
  const joined = joining.channels.map((channel) => partition(channel, joining, known))
  if (joining.created.length === 0 && joined.every(({ added }) => added.length === 0)) return joined
  const colors = await chooseColors(tx, joining, joined, known)
  const position = await tx.position()
  const pairs = joined.flatMap(({ channel, added }) => added.map((user_id) => ({ user_id, channel_id: channel.id })))
  const met = await usersMetBy(tx.db, realm, pairs)
  await storeSubscriptions(tx, position, joined, colors)
  await emitGainedUsers(tx, realm, met)
  await emitSubscribed(tx, realm, { joining, joined, position })
  return joined
}

/** Locked before the realm's counter, in the same order as when marking messages as read. */
async function lockSubscriptions(
  tx: Tx,
  { users, channels }: Pick<Joining, 'users' | 'channels'>,
): Promise<Map<string, KnownSubscription>> {
  const user_id = users.map(({ id }) => id)
  const channel_id = channels.map(({ id }) => id)
  const rows = await tx.db
    .selectFrom('subscriptions')
    .select(['user_id', 'channel_id', 'is_active', 'color'])
    .where(matches({ realm_id: tx.realmId, user_id, channel_id }))
    .orderBy('user_id')
    .orderBy('channel_id')
    .forNoKeyUpdate()
    .execute()
  return new Map(rows.map((row) => [pairKey(row.user_id, row.channel_id), row]))
}

function pairKey(userId: number, channelId: number): string {
  return `${userId} ${channelId}`
}

function partition(channel: Channel, { users }: Joining, known: Map<string, KnownSubscription>): Joined {
  const isIn = ({ id }: { id: number }) => known.get(pairKey(id, channel.id))?.is_active === true
  return {
    channel,
    added: users.filter((person) => !isIn(person)).map(({ id }) => id),
    already: users.filter(isIn).map(({ id }) => id),
  }
}

async function chooseColors(
  tx: Tx,
  { users, colors }: Joining,
  joined: Joined[],
  known: Map<string, KnownSubscription>,
): Promise<Map<string, string>> {
  const used = await usedColors(tx, users)
  const chosen = new Map<string, string>()
  for (const { channel, added } of joined) {
    for (const userId of added) {
      const key = pairKey(userId, channel.id)
      const earlier = known.get(key)?.color ?? colors.get(channel.id)
      chosen.set(key, earlier ?? pickColor(used.get(userId)!, channel.recipient_id))
    }
  }
  return chosen
}

async function usedColors(tx: Tx, users: Joining['users']): Promise<Map<number, Set<string>>> {
  const ids = users.map(({ id }) => id)
  const rows = await many<{ user_id: number; colors: string[] }>(tx.db)`
    select user_id, array_agg(distinct color) as colors from subscriptions
     where realm_id = ${tx.realmId} and user_id = any(${ids}::bigint[]) group by user_id`
  const used = new Map(ids.map((id) => [id, new Set<string>()]))
  for (const { user_id, colors } of rows) used.set(user_id, new Set(colors))
  return used
}

async function storeSubscriptions(
  tx: Tx,
  { event, message }: Position,
  joined: Joined[],
  colors: Map<string, string>,
): Promise<void> {
  const pairs = joined.flatMap(({ channel, added }) => added.map((userId) => ({ userId, channelId: channel.id })))
  const users = pairs.map(({ userId }) => userId)
  const channels = pairs.map(({ channelId }) => channelId)
  await sql`
    insert into subscriptions (realm_id, user_id, channel_id, is_active, color, read_floor)
    select ${tx.realmId}, user_id, channel_id, true, color, ${message}
      from unnest(${users}::bigint[], ${channels}::bigint[],
                  ${pairs.map(({ userId, channelId }) => colors.get(pairKey(userId, channelId))!)}::text[])
           as pair(user_id, channel_id, color)
    on conflict (realm_id, user_id, channel_id) do update set is_active = true, read_floor = excluded.read_floor`.execute(
    tx.db,
  )
  await sql`
    insert into subscription_periods (realm_id, user_id, channel_id, from_event, from_message)
    select ${tx.realmId}, user_id, channel_id, ${event}, ${message}
      from unnest(${users}::bigint[], ${channels}::bigint[]) as pair(user_id, channel_id)`.execute(tx.db)
}
