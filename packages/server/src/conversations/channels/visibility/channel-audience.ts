import { isAdmin, isGuest } from '@parley/api/permissions'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Audience } from '../../../events/log.ts'
import { isGuestUser } from '../../../organization/groups/role-conditions.ts'
import { restrictsGuests } from '../../../people/users/visibility/visible-users.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many } from '../../../platform/db/query.ts'
import { type Channel, viewingPermissions } from '../access.ts'

/** By channel id, the users who can see a private channel because they hold a permission in it. */
export type Holders = Map<number, Set<number>>

/** Reads the permission holders of the private channels. Guests never hold such a permission. */
export async function readHolders(db: Db, realmId: number, channels: Channel[]): Promise<Holders> {
  const privateChannels = channels.filter(({ invite_only }) => invite_only)
  if (privateChannels.length === 0) return new Map()
  const rows = await many<{ root: number; user_ids: number[] }>(db)`
    with recursive below(root, group_id) as (
      select distinct g, g from unnest(${privateChannels.flatMap(grantingGroups)}::bigint[]) g
      union
      select b.root, s.subgroup_id
        from below b join group_subgroups s on s.realm_id = ${realmId} and s.group_id = b.group_id
    )
    select b.root, array_agg(distinct m.user_id) as user_ids
      from below b
      join group_members m on m.realm_id = ${realmId} and m.group_id = b.group_id
      join users u on u.realm_id = m.realm_id and u.id = m.user_id and u.is_active and not ${isGuestUser}
     group by b.root`
  const members = new Map(rows.map(({ root, user_ids }) => [root, user_ids]))
  return new Map(
    privateChannels.map((channel) => [
      channel.id,
      new Set(grantingGroups(channel).flatMap((id) => members.get(id) ?? [])),
    ]),
  )
}

function grantingGroups(channel: Channel): number[] {
  return viewingPermissions.map((name) => channel[name])
}

/** All users who can see the channel. */
export function viewerAudience(channel: Channel, holders: Holders): Audience {
  if (channel.is_web_public) return { realm: 'everyone' }
  if (!channel.invite_only) return { realm: 'members', channel: channel.id }
  return { admins: true, channel: channel.id, users: [...(holders.get(channel.id) ?? [])] }
}

/** The viewers who may see the channel's subscribers. Guests who are not subscribed may be restricted. */
export function peerAudience(realm: Realm, channel: Channel, holders: Holders): Audience {
  if (channel.is_web_public && restrictsGuests(realm)) return { realm: 'members', channel: channel.id }
  return viewerAudience(channel, holders)
}

/** Whether the user can see the channel without being subscribed. */
export function seesUnsubscribed(user: { id: number; role: number }, channel: Channel, holders: Holders): boolean {
  if (channel.is_web_public) return true
  if (!channel.invite_only) return !isGuest(user)
  return isAdmin(user) || holders.get(channel.id)!.has(user.id)
}
