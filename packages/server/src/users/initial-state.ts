import { roles } from '@parley/api/common'
import type { UserObject } from '@parley/api/users'
import { isAdmin, isGuest, mayInRealm } from '../groups/permission.ts'
import { many } from '../platform/db/query.ts'
import { mapYielding } from '../platform/event-loop.ts'
import { webPublicChannelsEnabled } from '../realms/server-state.ts'
import { fakeDomain } from '../realms/state.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Caller } from './caller.ts'
import { foundUserColumns } from './find-users.ts'
import { type ProfileData, readProfileData } from './profile-data.ts'
import { shownUser, unknownUser } from './queries.ts'
import { apiEmail, avatarUrl, type UserRow, withPublicEmail } from './user-object.ts'
import { isVisibleUser } from './visible-users.ts'

type ListedUser = UserRow & { visible: boolean }

export async function userState(snapshot: Snapshot): Promise<object> {
  const rows = await readUsers(snapshot)
  const profiles = await readProfileData(snapshot.db, snapshot.caller.realm_id)
  const people = rows.filter(({ is_system_bot }) => !is_system_bot)
  const self = rows.find(({ id }) => id === snapshot.caller.id)!
  const placeholders = !snapshot.capabilities.user_list_incomplete
  const show = (row: ListedUser) => listed(row, snapshot, profiles)
  return {
    // Users hidden from the caller are listed as placeholders, unless the client accepts an incomplete list.
    realm_users: await mapYielding(
      people.filter(({ is_active, visible }) => (visible ? is_active : placeholders)),
      show,
    ),
    realm_non_active_users: await mapYielding(
      people.filter(({ is_active, visible }) => !is_active && visible),
      show,
    ),
    cross_realm_bots: rows.filter(({ is_system_bot }) => is_system_bot).map((row) => systemBot(row, snapshot)),
    ...ownAccount(self, snapshot.caller),
  }
}

async function readUsers({ db, caller }: Snapshot): Promise<ListedUser[]> {
  return many<ListedUser>(db)`
    select ${foundUserColumns}, ${isVisibleUser(caller)} as visible from users u
     where u.realm_id = ${caller.realm_id} order by u.id`
}

function listed(
  row: ListedUser,
  { caller, clientGravatar }: Snapshot,
  profiles: Map<number, ProfileData>,
): Omit<UserObject, 'is_active'> {
  const user = row.visible ? shownUser(row, caller, { clientGravatar, profiles }) : unknownUser(row.id, caller)
  const { is_active: _, ...rest } = user
  return rest
}

function systemBot(row: UserRow, { caller }: Snapshot): UserObject {
  return shownUser(row, caller, { clientGravatar: false, profiles: null })
}

/** The caller's own account, at the top level of the response. */
function ownAccount(row: UserRow, caller: Caller) {
  const realmHost = fakeDomain(caller.realm)
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
    webPublicChannelsEnabled && mayInRealm(caller, realm, 'can_create_web_public_channel_group')
  return {
    can_create_streams: can_create_public_streams || can_create_private_streams || can_create_web_public_streams,
    can_create_public_streams,
    can_create_private_streams,
    can_create_web_public_streams,
    can_invite_others_to_realm: mayInRealm(caller, realm, 'can_invite_users_group'),
  }
}
