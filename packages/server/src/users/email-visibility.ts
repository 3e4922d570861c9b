import { roles } from '@parley/api/common'
import type { Audience } from '../events/log.ts'
import type { Db } from '../platform/db/pool.ts'
import { column, many } from '../platform/db/query.ts'
import type { Realm } from '../realms/state.ts'
import { foundUserColumns } from './find-users.ts'
import { admittedRole, type UserRow } from './user-object.ts'
import { usersWhoSee, visibilityAudience } from './visible-users.ts'

/** Everyone who may see the user's real email. */
export async function emailAudience(db: Db, realm: Realm, user: UserRow): Promise<Audience> {
  const admitted = user.bot_type === null ? admittedRole(user.email_address_visibility) : roles.guest
  if (admitted === roles.guest) return visibilityAudience(db, realm, user)
  if (admitted === roles.member) return { realm: 'members', users: [user.id] }
  if (admitted === roles.moderator) return { users: [user.id, ...(await moderators(db, realm))] }
  return admitted === roles.admin ? { admins: true, users: [user.id] } : { users: [user.id] }
}

async function moderators(db: Db, { id }: Realm): Promise<number[]> {
  return column<number>(db)`
    select id from users where realm_id = ${id} and is_active and not is_system_bot and role <= ${roles.moderator}`
}

/** Users who see the user's real email with visibility setting `by`, but not with `not`. */
export async function admittedOnlyBy(
  db: Db,
  realm: Realm,
  userId: number,
  { by, not }: { by: number; not: number },
): Promise<number[]> {
  const upTo = admittedRole(by)
  const above = admittedRole(not)
  if (upTo <= above) return []
  const viewers = new Set(await usersWhoSee(db, realm, userId, Number.MAX_SAFE_INTEGER))
  const ids = await column<number>(db)`
    select id from users
     where realm_id = ${realm.id} and is_active and id <> ${userId} and role > ${above} and role <= ${upTo}
     order by id`
  return ids.filter((id) => viewers.has(id))
}

/** Users whose real emails the viewer sees in role `as`, but not in role `not`. */
export async function emailsSeenOnlyAs(
  db: Db,
  realmId: number,
  viewerId: number,
  { as, not }: { as: number; not: number },
): Promise<UserRow[]> {
  if (as >= not) return []
  const visibilities = [1, 2, 3, 4, 5].filter((one) => as <= admittedRole(one) && not > admittedRole(one))
  return many<UserRow>(db)`
    select ${foundUserColumns} from users u
     where realm_id = ${realmId} and bot_type is null and id <> ${viewerId}
       and coalesce((settings ->> 'email_address_visibility')::integer, 1) = any(${visibilities}::integer[])
     order by id`
}
