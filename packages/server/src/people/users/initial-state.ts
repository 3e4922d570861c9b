import { roles } from '@parley/api/common'
import type { UserObject } from '@parley/api/people/users'
import { isAdmin, isGuest, mayInRealm } from '@parley/api/permissions'
import { apiEmail } from '../../callers/api-email.ts'
import type { Caller } from '../../callers/caller.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import { many } from '../../platform/db/query.ts'
import { mapYielding } from '../../platform/event-loop.ts'
import { JsonText } from '../../platform/json-text.ts'
import type { Snapshot } from '../../snapshot.ts'
import { foundUserColumns } from './find-users.ts'
import { readProfileData } from './profile/profile-data.ts'
import { shownUser, unknownUser } from './queries.ts'
import { avatarUrl, deliveryEmail, type UserRow, withPublicEmail } from './user-object.ts'
import { isVisibleUser, seesAllUsers } from './visibility/visible-users.ts'

/** A user as it stands in the list of users. */
interface ListedUser {
  id: number
  object: JsonText
  visible: boolean
  is_active: boolean
}

interface UserList {
  people: ListedUser[]
  systemBots: JsonText[]
}

export async function userState(snapshot: Snapshot): Promise<object> {
  const { caller, capabilities } = snapshot
  const { people, systemBots } = await readUserList(snapshot)
  const placeholders = !capabilities.user_list_incomplete
  const own = await ownObject(snapshot)
  const objectOf = ({ id, object }: ListedUser) => (id === caller.id ? (own ?? object) : object)
  return {
    // Users hidden from the caller are listed as placeholders, unless the client accepts an incomplete list.
    realm_users: people.filter(({ is_active, visible }) => (visible ? is_active : placeholders)).map(objectOf),
    realm_non_active_users: people.filter(({ is_active, visible }) => !is_active && visible).map(objectOf),
    cross_realm_bots: systemBots,
    ...ownAccount(caller),
  }
}

/**
 * All users as the caller sees them, except that the caller may stand in it as others see them. Callers of one role who see
 * all users see the same.
 */
async function readUserList(snapshot: Snapshot): Promise<UserList> {
  const { caller, clientGravatar } = snapshot
  if (!seesAllUsers(caller)) return loadUserList(snapshot)
  return snapshot.shared(`users ${caller.role} ${clientGravatar}`, () => loadUserList(snapshot), userListSize)
}

async function loadUserList({ db, caller, clientGravatar }: Snapshot): Promise<UserList> {
  const { realm_id, realm, role } = caller
  const rows = await many<UserRow & { visible: boolean }>(db)`
    select ${foundUserColumns}, ${isVisibleUser(caller)} as visible from users u
     where u.realm_id = ${realm_id} order by u.id`
  const profiles = await readProfileData(db, realm_id)
  const viewer = { id: nobody, role, realm }
  const listed = (row: UserRow & { visible: boolean }): ListedUser => {
    const user = row.visible ? shownUser(row, viewer, { clientGravatar, profiles }) : unknownUser(row.id, caller)
    return { id: row.id, object: listedObject(user), visible: row.visible, is_active: row.is_active }
  }
  const systemBot = (row: UserRow) => JsonText.of(shownUser(row, viewer, { clientGravatar: false, profiles: null }))
  return {
    people: await mapYielding(
      rows.filter(({ is_system_bot }) => !is_system_bot),
      listed,
    ),
    systemBots: rows.filter(({ is_system_bot }) => is_system_bot).map(systemBot),
  }
}

/** The id of a viewer who is none of the users, so that a shared list contains nobody's own view of themselves. */
const nobody = 0

function listedObject({ is_active: _, ...user }: UserObject): JsonText {
  return JsonText.of(user)
}

function userListSize({ people }: UserList): number {
  return people.reduce((sum, { object }) => sum + object.text.length + 100, 0)
}

/** Users see their own email and avatar even if others do not. Undefined if others of their role see the same. */
async function ownObject({ db, caller, clientGravatar }: Snapshot): Promise<JsonText | undefined> {
  if (deliveryEmail(rowOf(caller), { id: nobody, role: caller.role }) !== null) return undefined
  const profiles = await readProfileData(db, caller.realm_id, [caller.id])
  return listedObject(shownUser(rowOf(caller), caller, { clientGravatar, profiles }))
}

function rowOf(caller: Caller): UserRow {
  const { email_address_visibility } = caller.settings
  return { ...caller, email_address_visibility, is_system_bot: false }
}

/** The caller's own account, at the top level of the response. */
function ownAccount(caller: Caller) {
  const realmHost = fakeDomain(caller.realm)
  const row = rowOf(caller)
  const own = withPublicEmail(row)
  return {
    user_id: row.id,
    email: apiEmail(row, realmHost),
    delivery_email: row.email,
    full_name: row.full_name,
    avatar_source: row.avatar_source,
    avatar_url: avatarUrl(own, realmHost),
    avatar_url_medium: avatarUrl(own, realmHost, 'medium'),
    is_admin: isAdmin(row),
    is_owner: row.role === roles.owner,
    is_moderator: row.role === roles.moderator,
    is_guest: isGuest(row),
    ...ownPermissions(caller),
  }
}

function ownPermissions(caller: Caller) {
  const { realm } = caller
  const can_create_public_streams = mayInRealm(caller, realm, 'can_create_public_channel_group')
  const can_create_private_streams = mayInRealm(caller, realm, 'can_create_private_channel_group')
  const can_create_web_public_streams =
    realm.settings.enable_spectator_access && mayInRealm(caller, realm, 'can_create_web_public_channel_group')
  return {
    can_create_streams: can_create_public_streams || can_create_private_streams || can_create_web_public_streams,
    can_create_public_streams,
    can_create_private_streams,
    can_create_web_public_streams,
    can_invite_others_to_realm: mayInRealm(caller, realm, 'can_invite_users_group'),
  }
}
