import { roles } from '@parley/api/common'
import type { UserObject } from '@parley/api/people/users'
import { type RawBuilder, sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many, maybeOne } from '../../platform/db/query.ts'
import { emailKey } from '../../platform/emails.ts'
import { mapYielding } from '../../platform/event-loop.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { foundUserColumns, idOfFakeEmail } from './find-users.ts'
import type { ProfileData } from './profile/profile-data.ts'
import { deliveryEmail, type UserRow, unknownAvatar, userObject } from './user-object.ts'
import { isVisibleUser } from './visibility/visible-users.ts'

/** Options for the user objects in a response. */
export interface Showing {
  clientGravatar: boolean
  /** Profile data by user id; null if not requested. */
  profiles: Map<number, ProfileData> | null
}

export class NoSuchUser extends ApiError {
  constructor() {
    super('No such user')
  }
}

/** All users visible to the caller, ordered by id, without system bots. */
export async function listUsers(db: Db, caller: Caller, showing: Showing): Promise<UserObject[]> {
  const rows = await visibleUsers(db, caller, sql`not u.is_system_bot`)
  return mapYielding(rows, (row) => shownUser(row, caller, showing))
}

/** A user by id. A hidden user fails exactly like one that does not exist. */
export async function accessUser(db: Db, caller: Caller, id: number): Promise<UserRow> {
  const [row] = await visibleUsers(db, caller, sql`u.id = ${id} and not u.is_system_bot`)
  if (!row) throw new NoSuchUser()
  return row
}

/** A user by id, without a viewer. */
export async function findUser(db: Db, realmId: number, id: number): Promise<UserRow | undefined> {
  return maybeOne<UserRow>(db)`
    select ${foundUserColumns} from users u where u.realm_id = ${realmId} and u.id = ${id} and not u.is_system_bot`
}

/** A user by their real email, if the caller may see it, or by their fake email. */
export async function accessUserByEmail(db: Db, caller: Caller, email: string): Promise<UserRow> {
  const key = emailKey(email)
  const id = idOfFakeEmail(caller, email) ?? null
  const rows = await visibleUsers(
    db,
    caller,
    sql`(u.email_key = ${key} or u.id = ${id}::bigint) and not u.is_system_bot`,
  )
  const row = rows.find((one) => one.id === id || deliveryEmail(one, caller) !== null)
  if (!row) throw new NoSuchUser()
  return row
}

async function visibleUsers(db: Db, caller: Caller, which: RawBuilder<unknown>): Promise<UserRow[]> {
  return many<UserRow>(db)`
    select ${foundUserColumns} from users u
     where u.realm_id = ${caller.realm_id} and ${which} and ${isVisibleUser(caller)}
     order by u.id`
}

export function shownUser(
  row: UserRow,
  viewer: Pick<Caller, 'id' | 'role' | 'realm'>,
  { clientGravatar, profiles }: Showing,
): UserObject {
  const user = userObject(row, { viewer, realmHost: fakeDomain(viewer.realm), clientGravatar })
  return profiles && !user.is_bot ? { ...user, profile_data: profiles.get(row.id) ?? {} } : user
}

/** The placeholder for a hidden user, for clients that expect a complete user list. */
export function unknownUser(id: number, { realm }: Pick<Caller, 'realm'>): UserObject {
  const row: UserRow = {
    id,
    email: '',
    full_name: 'Unknown user',
    role: roles.member,
    is_active: true,
    bot_type: null,
    bot_owner_id: null,
    is_system_bot: false,
    date_joined: new Date(0),
    timezone: '',
    avatar_source: 'G',
    avatar_version: 1,
    avatar_path: null,
    email_address_visibility: 4,
  }
  const view = { viewer: { id: 0, role: roles.guest }, realmHost: fakeDomain(realm), clientGravatar: false }
  return { ...userObject(row, view), avatar_url: unknownAvatar, profile_data: {} }
}
