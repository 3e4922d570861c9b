import { groupPermissionNames, type UserGroup } from '@parley/api/organization/groups'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { column, many } from '../../platform/db/query.ts'
import { unixSeconds } from '../../platform/text.ts'
import { groupsWithin } from './nested-groups.ts'
import { readSettingValues } from './setting-value.ts'

type GroupPermission = (typeof groupPermissionNames)[number]
type GroupRow = Omit<UserGroup, GroupPermission | 'date_created'> &
  Record<GroupPermission, number> & { date_created: Date | null }

/** The realm's named groups, sorted by id. Deactivated users stay members, but are not listed. */
export async function listUserGroups(
  db: Db,
  realmId: number,
  { includeDeactivated }: { includeDeactivated: boolean },
): Promise<UserGroup[]> {
  return readGroups(db, realmId, sql`not g.deactivated or ${includeDeactivated}`)
}

export async function readGroup(db: Db, realmId: number, id: number): Promise<UserGroup> {
  const [group] = await readGroups(db, realmId, sql`g.id = ${id}`)
  return group!
}

async function readGroups(db: Db, realmId: number, which: RawBuilder<unknown>): Promise<UserGroup[]> {
  const rows = await many<GroupRow>(db)`
    select g.id, g.name, g.description, g.is_system_group, g.creator_id, g.date_created, g.deactivated,
           ${sql.join(groupPermissionNames.map((name) => sql.ref(`g.${name}`)))},
           coalesce(m.ids, '{}') as members,
           array(select s.subgroup_id from group_subgroups s
                  where s.realm_id = g.realm_id and s.group_id = g.id order by 1) as direct_subgroup_ids
      from user_groups g
      left join (select m.group_id, array_agg(m.user_id order by m.user_id) as ids
                   from group_members m join users u on u.realm_id = m.realm_id and u.id = m.user_id and u.is_active
                  where m.realm_id = ${realmId} group by m.group_id) m on m.group_id = g.id
     where g.realm_id = ${realmId} and g.name is not null and (${which})
     order by g.id`
  return withPermissions(db, realmId, rows)
}

async function withPermissions(db: Db, realmId: number, rows: GroupRow[]): Promise<UserGroup[]> {
  const ids = rows.flatMap((row) => groupPermissionNames.map((name) => row[name]))
  const shown = await readSettingValues(db, realmId, ids)
  return rows.map((row) => ({
    ...row,
    date_created: row.date_created && unixSeconds(row.date_created),
    ...(Object.fromEntries(groupPermissionNames.map((name) => [name, shown(row[name])])) as Pick<
      UserGroup,
      GroupPermission
    >),
  }))
}

/** The active members of a group, sorted by id. */
export async function readMembers(db: Db, realmId: number, group: number, directOnly: boolean): Promise<number[]> {
  return column<number>(db)`
    select distinct m.user_id as id from group_members m join users u on u.realm_id = m.realm_id and u.id = m.user_id and u.is_active
     where m.realm_id = ${realmId} and m.group_id in (${withinOf(realmId, group, directOnly)}) order by 1`
}

/** The subgroups of a group, sorted by id, without the group itself. */
export async function readSubgroups(db: Db, realmId: number, group: number, directOnly: boolean): Promise<number[]> {
  return column<number>(db)`
    select distinct subgroup_id as id from group_subgroups
     where realm_id = ${realmId} and group_id in (${withinOf(realmId, group, directOnly)}) order by 1`
}

/** The group itself and, unless `directOnly`, all groups inside it. */
function withinOf(realmId: number, group: number, directOnly: boolean): RawBuilder<number> {
  return directOnly ? sql`${group}::bigint` : groupsWithin(realmId, [group])
}
