import { type RawBuilder, sql } from 'kysely'

/** Ids of these groups and of all groups inside them, at any depth. */
export function groupsWithin(realmId: number, groups: number[]): RawBuilder<number> {
  return sql`
    with recursive below(id) as (
      select unnest(${groups}::bigint[])
      union
      select s.subgroup_id from below b join group_subgroups s on s.realm_id = ${realmId} and s.group_id = b.id
    ) select id from below`
}

/** Ids of these groups and of all groups that contain them, at any depth. */
export function groupsContaining(realmId: number, groups: number[]): RawBuilder<number> {
  return sql`
    with recursive above(id) as (
      select unnest(${groups}::bigint[])
      union
      select s.group_id from above a join group_subgroups s on s.realm_id = ${realmId} and s.subgroup_id = a.id
    ) select id from above`
}

/** Ids of the users in these groups or in groups inside them. */
export function usersWithin(realmId: number, groups: number[]): RawBuilder<number> {
  return sql`
    select m.user_id from group_members m
     where m.realm_id = ${realmId} and m.group_id in (${groupsWithin(realmId, groups)})`
}
