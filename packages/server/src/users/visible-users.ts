import { roles } from '@parley/api/common'
import { type RawBuilder, sql } from 'kysely'
import type { Audience } from '../events/log.ts'
import { isGuest, type Member, mayInRealm } from '../groups/permission.ts'
import type { Db } from '../platform/db/pool.ts'
import type { Realm } from '../realms/state.ts'

type Viewer = Member & { id: number; realm: Realm }

/** An organization may let its guests see only those they have to do with. */
export function seesAllUsers(viewer: Viewer): boolean {
  return !isGuest(viewer) || mayInRealm(viewer, viewer.realm, 'can_access_all_users_group')
}

/** Whether there are guests who do not see everybody. */
export function restrictsGuests({ permissions, systemGroups }: Realm): boolean {
  return permissions.can_access_all_users_group !== systemGroups['role:everyone']
}

/** Whether the viewer may know of the user `u`. Everybody may know of bots. */
export function isVisibleUser(viewer: Viewer): RawBuilder<boolean> {
  if (seesAllUsers(viewer)) return sql`true`
  return sql`(u.bot_type is not null or u.id = ${viewer.id} or u.id in (${acquaintances(viewer.realm.id, viewer.id)}))`
}

/** Active accounts that may know of a person, at most `limit` of them. */
export async function usersWhoSee(db: Db, realm: Realm, userId: number, limit: number): Promise<number[]> {
  const sees = restrictsGuests(realm)
    ? sql`(u.role <> ${roles.guest} or u.id = ${userId} or u.id in (${acquaintances(realm.id, userId)}))`
    : sql`true`
  const { rows } = await sql<{ id: number }>`
    select u.id from users u
     where u.realm_id = ${realm.id} and u.is_active and not u.is_system_bot and ${sees}
     order by u.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Everybody who may know of a user, as a rule where that is possible. */
export async function visibilityAudience(
  db: Db,
  realm: Realm,
  { id, bot_type }: { id: number; bot_type: number | null },
): Promise<Audience> {
  if (bot_type !== null || !restrictsGuests(realm)) return { realm: 'everyone' }
  return {
    realm: 'members',
    users: [id, ...(await guestsWho(db, realm.id, sql`u.id in (${acquaintances(realm.id, id)})`))],
  }
}

/** Guests who may not know of a user, in an organization that limits them. */
export async function restrictedGuests(db: Db, realm: Realm, userId: number): Promise<number[]> {
  if (!restrictsGuests(realm)) return []
  return guestsWho(db, realm.id, sql`u.id <> ${userId} and u.id not in (${acquaintances(realm.id, userId)})`)
}

export function activeGuests(db: Db, realmId: number): Promise<number[]> {
  return guestsWho(db, realmId, sql`true`)
}

async function guestsWho(db: Db, realmId: number, condition: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select u.id from users u
     where u.realm_id = ${realmId} and u.is_active and u.role = ${roles.guest} and ${condition} order by u.id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** The ids of those who share a channel or a direct conversation with somebody. */
function acquaintances(realmId: number, userId: number) {
  return sql`
    select other.user_id from subscriptions own
      join subscriptions other on other.realm_id = own.realm_id and other.channel_id = own.channel_id and other.is_active
     where own.realm_id = ${realmId} and own.user_id = ${userId} and own.is_active
    union all
    select unnest(c.user_ids) from direct_participants p
      join direct_conversations c on c.recipient_id = p.recipient_id and c.realm_id = p.realm_id
     where p.realm_id = ${realmId} and p.user_id = ${userId}`
}
