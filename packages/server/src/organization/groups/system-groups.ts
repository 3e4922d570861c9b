import { type Role, roles } from '@parley/api/common'
import { realmGroupSettings, type SystemGroupName, systemGroupNames } from '@parley/api/permission-settings'
import type { Database } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'

/** The group whose direct members are the users of a role. */
export function groupOfRole(role: Role): SystemGroupName {
  const names: Record<Role, SystemGroupName> = {
    [roles.owner]: 'role:owners',
    [roles.admin]: 'role:administrators',
    [roles.moderator]: 'role:moderators',
    [roles.member]: 'role:members',
    [roles.guest]: 'role:everyone',
  }
  return names[role]
}

const descriptions: Record<SystemGroupName, string> = {
  'role:nobody': 'Nobody',
  'role:owners': 'Owners of this organization',
  'role:administrators': 'Administrators of this organization, including owners',
  'role:moderators': 'Moderators of this organization, including administrators',
  'role:fullmembers': 'Members who have been here for the waiting period, including moderators',
  'role:members': 'Members of this organization, not including guests',
  'role:everyone': 'Everyone in this organization, including guests',
  'role:internet': 'Everyone on the Internet',
}

/** Each of these contains the previous one. */
const nested: SystemGroupName[] = systemGroupNames.filter((name) => name !== 'role:nobody')

type GroupIds = Partial<Record<SystemGroupName, number>>

/** Creates the system groups of a new realm, and gives every realm permission its default group. */
export async function createSystemGroups(
  db: Database,
  realmId: number,
  kept: GroupIds = {},
): Promise<Record<SystemGroupName, number>> {
  const ids = await insertGroups(db, realmId, kept)
  await db
    .insertInto('group_subgroups')
    .values(
      nested
        .slice(1)
        .map((name, index) => ({ realm_id: realmId, group_id: ids[name], subgroup_id: ids[nested[index]!] })),
    )
    .execute()
  await db
    .insertInto('realm_permissions')
    .values(
      Object.entries(realmGroupSettings).map(([setting, declared]) => ({
        realm_id: realmId,
        setting,
        group_id: ids[declared.default],
      })),
    )
    .execute()
  return ids
}

/** The permissions of system groups belong to `role:nobody`, which is the first of them. */
async function insertGroups(db: Database, realmId: number, kept: GroupIds): Promise<Record<SystemGroupName, number>> {
  const rows = await many<{ name: SystemGroupName; id: number }>(db)`
    with fresh as materialized (
      select name, description, place, coalesce(kept, nextval(pg_get_serial_sequence('user_groups', 'id'))) as id
        from unnest(${[...systemGroupNames]}::text[], ${systemGroupNames.map((name) => descriptions[name])}::text[],
                    ${systemGroupNames.map((name) => kept[name] ?? null)}::bigint[])
             with ordinality as n(name, description, kept, place)
    ), nobody as (select id from fresh where name = 'role:nobody')
    insert into user_groups (id, realm_id, name, description, is_system_group, can_add_members_group, can_join_group,
                             can_leave_group, can_manage_group, can_mention_group, can_remove_members_group)
    select fresh.id, ${realmId}, fresh.name, fresh.description, true, nobody.id, nobody.id, nobody.id, nobody.id, nobody.id, nobody.id
      from fresh, nobody order by place
    returning name, id`
  return Object.fromEntries(rows.map(({ name, id }) => [name, id])) as Record<SystemGroupName, number>
}

/** The system groups that users of this role are direct members of. */
export function directGroupsOf(role: Role, isFullMember: boolean): SystemGroupName[] {
  const own = groupOfRole(role)
  return role === roles.member && isFullMember ? [own, 'role:fullmembers'] : [own]
}
