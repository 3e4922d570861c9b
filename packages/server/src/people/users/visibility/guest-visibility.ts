import { roles } from '@parley/api/common'
import type { ServerEvent } from '@parley/api/events'
import { type RawBuilder, sql } from 'kysely'
import { fakeDomain, type Realm } from '../../../callers/realm-state.ts'
import type { Tx } from '../../../events/transact.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many } from '../../../platform/db/query.ts'
import { foundUserColumns } from '../find-users.ts'
import { readProfileData } from '../profile/profile-data.ts'
import { readStatusesOf } from '../profile/read-statuses.ts'
import { unknownUser } from '../queries.ts'
import { type UserRow, userObject } from '../user-object.ts'
import { activeGuests, restrictsGuests } from './visible-users.ts'

/** A guest, and a user who becomes visible or invisible to them. */
export interface Pair {
  guest_id: number
  user_id: number
}

/** A user who subscribes to or unsubscribes from a channel. */
interface SubscriptionChange {
  user_id: number
  channel_id: number
}

/**
 * Guests and the users they see only because of these subscriptions. Call it before subscribing or after unsubscribing.
 * The realm's counter must be locked, so that no other subscription changes.
 */
export async function usersMetBy(db: Db, realm: Realm, changes: SubscriptionChange[]): Promise<Pair[]> {
  if (!restrictsGuests(realm) || changes.length === 0) return []
  const channels = changes.map(({ channel_id }) => channel_id)
  const changeRows = sql`unnest(${changes.map(({ user_id }) => user_id)}::bigint[], ${channels}::bigint[])`
  return withoutSharedConversations(
    db,
    realm,
    sql`
    with changes(user_id, channel_id) as (select * from ${changeRows}),
    subscribed as (
      select user_id, channel_id from subscriptions
       where realm_id = ${realm.id} and is_active and channel_id = any(${channels}::bigint[])
      union select user_id, channel_id from changes
    ),
    guests as (select p.* from subscribed p join users u on u.realm_id = ${realm.id} and u.id = p.user_id and u.role = ${roles.guest})
    select g.user_id as guest_id, p.user_id from changes join guests g using (user_id, channel_id)
      join subscribed p using (channel_id)
    union select g.user_id, m.user_id from guests g join changes m using (channel_id)`,
  )
}

/** Guests and the users they will see only because of a direct conversation that is about to be created. */
export async function usersMetInConversation(db: Db, realm: Realm, participants: UserRow[]): Promise<Pair[]> {
  if (!restrictsGuests(realm) || participants.every(({ role }) => role !== roles.guest)) return []
  const ids = participants.map(({ id }) => id)
  return withoutSharedConversations(
    db,
    realm,
    sql`select g as guest_id, p as user_id from unnest(${ids}::bigint[]) g, unnest(${ids}::bigint[]) p`,
  )
}

/** The pairs that share neither a channel nor a direct conversation. */
async function withoutSharedConversations(db: Db, { id }: Realm, pairs: RawBuilder<unknown>): Promise<Pair[]> {
  return many<Pair>(db)`
    select pair.guest_id, pair.user_id from (${pairs}) pair
      join users g on g.realm_id = ${id} and g.id = pair.guest_id and g.role = ${roles.guest} and g.is_active
      join users u on u.realm_id = ${id} and u.id = pair.user_id and u.bot_type is null
     where pair.guest_id <> pair.user_id
       and not exists (
         select 1 from subscriptions a join subscriptions b using (realm_id, channel_id)
          where a.realm_id = ${id} and a.user_id = pair.guest_id and a.is_active
            and b.user_id = pair.user_id and b.is_active)
       and not exists (
         select 1 from direct_participants a join direct_participants b using (realm_id, recipient_id)
          where a.realm_id = ${id} and a.user_id = pair.guest_id and b.user_id = pair.user_id)
     order by pair.user_id, pair.guest_id`
}

/** Emits to guests the users who become visible to them. */
export async function emitGainedUsers(tx: Tx, realm: Realm, pairs: Pair[]): Promise<void> {
  if (pairs.length === 0) return
  const guests = guestsByUser(pairs)
  const ids = [...guests.keys()]
  const rows = await many<UserRow>(tx.db)`
    select ${foundUserColumns} from users u
     where u.realm_id = ${tx.realmId} and u.id = any(${ids}::bigint[]) order by u.id`
  const profiles = await readProfileData(tx.db, tx.realmId, ids)
  const view = { viewer: { id: 0, role: roles.guest }, realmHost: fakeDomain(realm), clientGravatar: false }
  for (const row of rows) {
    const person = { ...userObject(row, view), profile_data: profiles.get(row.id) ?? {} }
    tx.emit({ type: 'realm_user', op: 'add', person }, { users: guests.get(row.id)! })
  }
  const statuses = await readStatusesOf(tx.db, tx.realmId, sql`u.is_active and u.id = any(${ids}::bigint[])`)
  for (const [user_id, status] of statuses)
    tx.emit({ type: 'user_status', user_id, ...status }, { users: guests.get(user_id)! })
}

/** Emits to guests that users are no longer visible to them. */
export function emitLostUsers(tx: Tx, realm: Realm, pairs: Pair[]): void {
  for (const [user_id, users] of guestsByUser(pairs)) {
    const { full_name, ...placeholder } = unknownUser(user_id, { realm })
    tx.emit({ type: 'realm_user', op: 'remove', person: { user_id, full_name } }, { users })
    tx.emit(placeholderEvent({ full_name, ...placeholder }), { users })
  }
}

/** Restricted guests get a placeholder for a new user, because they share no channel with them yet. */
export async function emitUnknownUser(tx: Tx, realm: Realm, { id, bot_type }: UserRow): Promise<void> {
  if (bot_type !== null || !restrictsGuests(realm)) return
  const users = await activeGuests(tx.db, realm.id)
  if (users.length > 0)
    tx.emit(placeholderEvent(unknownUser(id, { realm })), { users: users.filter((one) => one !== id) })
}

/** Marked as a placeholder: only clients that expect a complete user list receive it. */
function placeholderEvent(person: ReturnType<typeof unknownUser>): ServerEvent {
  return Object.assign({ type: 'realm_user', op: 'add', person } as const, { placeholder: true })
}

function guestsByUser(pairs: Pair[]): Map<number, number[]> {
  const guests = Map.groupBy(pairs, ({ user_id }) => user_id)
  return new Map([...guests].map(([user, rows]) => [user, rows.map(({ guest_id }) => guest_id)]))
}
