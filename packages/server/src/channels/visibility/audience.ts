import { sql } from 'kysely'
import type { Audience } from '../../events/log.ts'
import { isAdmin, isGuest } from '../../groups/permission.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Realm } from '../../realms/state.ts'
import { restrictsGuests } from '../../users/visible-users.ts'
import type { Channel } from '../access.ts'

/** People whose permission in a private channel lets them know of it. */
export type Holders = Map<number, Set<number>>

/** For each private channel, the people who may know of it through a permission: guests never do. */
export async function readHolders(db: Db, realmId: number, channels: Channel[]): Promise<Holders> {
  const asked = channels.filter(({ invite_only }) => invite_only)
  if (asked.length === 0) return new Map()
  const { rows } = await sql<{ root: number; user_ids: number[] }>`
    with recursive below(root, group_id) as (
      select distinct g, g from unnest(${asked.flatMap(grantingGroups)}::bigint[]) g
      union
      select b.root, s.subgroup_id
        from below b join group_subgroups s on s.realm_id = ${realmId} and s.group_id = b.group_id
    )
    select b.root, array_agg(distinct m.user_id) as user_ids
      from below b
      join group_members m on m.realm_id = ${realmId} and m.group_id = b.group_id
      join users u on u.id = m.user_id and u.is_active and u.role < 600
     group by b.root`.execute(db)
  const members = new Map(rows.map(({ root, user_ids }) => [root, user_ids]))
  return new Map(
    asked.map((channel) => [channel.id, new Set(grantingGroups(channel).flatMap((id) => members.get(id) ?? []))]),
  )
}

function grantingGroups(channel: Channel): number[] {
  return [channel.can_administer_channel_group, channel.can_add_subscribers_group, channel.can_subscribe_group]
}

/** Everybody who may know of the channel. */
export function viewerAudience(channel: Channel, holders: Holders): Audience {
  if (channel.is_web_public) return { realm: 'everyone' }
  if (!channel.invite_only) return { realm: 'members', channel: channel.id }
  return { admins: true, channel: channel.id, users: [...(holders.get(channel.id) ?? [])] }
}

/** Those of them who may know who is in it: people in the channel know each other, other guests perhaps nobody. */
export function peerAudience(realm: Realm, channel: Channel, holders: Holders): Audience {
  if (channel.is_web_public && restrictsGuests(realm)) return { realm: 'members', channel: channel.id }
  return viewerAudience(channel, holders)
}

/** Whether somebody knows of the channel without being subscribed to it. */
export function seesUnsubscribed(person: { id: number; role: number }, channel: Channel, holders: Holders): boolean {
  if (channel.is_web_public) return true
  if (!channel.invite_only) return !isGuest(person)
  return isAdmin(person) || holders.get(channel.id)!.has(person.id)
}
