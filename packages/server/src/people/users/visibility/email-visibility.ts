import { roles } from '@parley/api/common'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Audience } from '../../../events/log.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { columnOf, many } from '../../../platform/db/query.ts'
import { foundUserColumns } from '../find-users.ts'
import { admittedRole, type UserRow } from '../user-object.ts'
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
  const active = matches({ realm_id: id, is_active: true, is_system_bot: false })
  return columnOf(db.selectFrom('users').select('id').where(active).where('role', '<=', roles.moderator))
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
  const others = db
    .selectFrom('users')
    .where(matches({ realm_id: realm.id, is_active: true }))
    .where('id', '!=', userId)
  const ids = await columnOf(others.select('id').where('role', '>', above).where('role', '<=', upTo).orderBy('id'))
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
