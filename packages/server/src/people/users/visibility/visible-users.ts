import { roles } from '@parley/api/common'
import { isGuest, type Member, mayInRealm } from '@parley/api/permissions'
import { type RawBuilder, sql } from 'kysely'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Audience } from '../../../events/log.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'

export type Viewer = Member & { id: number; realm: Realm }

/** An organization can restrict guests to the users who share a channel or direct conversation with them. */
export function seesAllUsers(viewer: Viewer): boolean {
  return !isGuest(viewer) || mayInRealm(viewer, viewer.realm, 'can_access_all_users_group')
}

/** Whether guests see only some of the users. */
export function restrictsGuests({ permissions, systemGroups }: Realm): boolean {
  return permissions.can_access_all_users_group !== systemGroups['role:everyone']
}

/** Whether the user `u` is visible to the viewer. Bots are visible to everyone. */
export function isVisibleUser(viewer: Viewer): RawBuilder<boolean> {
  if (seesAllUsers(viewer)) return sql`true`
  return sql`(u.bot_type is not null or u.id = ${viewer.id} or u.id in (${sharedConversationUsers(viewer.realm.id, viewer.id)}))`
}

/** Active accounts that can see the user, at most `limit` of them. */
export async function usersWhoSee(db: Db, realm: Realm, userId: number, limit: number): Promise<number[]> {
  const sees = restrictsGuests(realm)
    ? sql`(u.role <> ${roles.guest} or u.id = ${userId} or u.id in (${sharedConversationUsers(realm.id, userId)}))`
    : sql`true`
  return column<number>(db)`
    select u.id from users u
     where u.realm_id = ${realm.id} and u.is_active and not u.is_system_bot and ${sees}
     order by u.id limit ${limit}`
}

/** Everyone who can see the user, as a rule instead of a list of ids where possible. */
export async function visibilityAudience(
  db: Db,
  realm: Realm,
  { id, bot_type }: { id: number; bot_type: number | null },
): Promise<Audience> {
  if (bot_type !== null || !restrictsGuests(realm)) return { realm: 'everyone' }
  return {
    realm: 'members',
    users: [id, ...(await findGuests(db, realm.id, sql`u.id in (${sharedConversationUsers(realm.id, id)})`))],
  }
}

/** Guests who cannot see the user. */
export async function restrictedGuests(db: Db, realm: Realm, userId: number): Promise<number[]> {
  if (!restrictsGuests(realm)) return []
  return findGuests(db, realm.id, sql`u.id <> ${userId} and u.id not in (${sharedConversationUsers(realm.id, userId)})`)
}

export function activeGuests(db: Db, realmId: number): Promise<number[]> {
  return findGuests(db, realmId, sql`true`)
}

async function findGuests(db: Db, realmId: number, condition: RawBuilder<unknown>): Promise<number[]> {
  return column<number>(db)`
    select u.id from users u
     where u.realm_id = ${realmId} and u.is_active and u.role = ${roles.guest} and ${condition} order by u.id`
}

/** The ids of users who share a channel or a direct conversation with this user. */
function sharedConversationUsers(realmId: number, userId: number) {
  return sql`
    select other.user_id from subscriptions own
      join subscriptions other on other.realm_id = own.realm_id and other.channel_id = own.channel_id and other.is_active
     where own.realm_id = ${realmId} and own.user_id = ${userId} and own.is_active
    union all
    select unnest(c.user_ids) from direct_participants p
      join direct_conversations c on c.recipient_id = p.recipient_id and c.realm_id = p.realm_id
     where p.realm_id = ${realmId} and p.user_id = ${userId}`
}
