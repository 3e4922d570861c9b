import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { column, columnOf } from '../../platform/db/query.ts'
import type { UnnamedGroup } from './setting-value.ts'

/** Creates unnamed groups, each the value of a single setting. Returns their ids in order. */
export async function createUnnamedGroups(tx: Tx, realm: Realm, groups: UnnamedGroup[]): Promise<number[]> {
  const nobody = realm.systemGroups['role:nobody']
  const foundIds = await column<number>(tx.db)`
    insert into user_groups (realm_id, can_add_members_group, can_join_group, can_leave_group, can_manage_group,
                             can_mention_group, can_remove_members_group)
    select ${realm.id}::bigint, n.id, n.id, n.id, n.id, n.id, n.id
      from generate_series(1, ${groups.length}), (select ${nobody}::bigint as id) n
    returning id`
  const ids = foundIds.sort((a, b) => a - b)
  await insertMembers(tx, ids, groups)
  await insertSubgroups(tx, ids, groups)
  return ids
}

/** Deletes those of the groups that are unnamed, after their settings got other values. */
export async function dropUnnamedGroups(tx: Tx, ids: number[]): Promise<void> {
  const realm_id = tx.realmId
  const groups = tx.db.selectFrom('user_groups').where(matches({ realm_id, id: ids, name: null }))
  const unnamed = await columnOf(groups.select('id'))
  if (unnamed.length === 0) return
  const inGroups = matches({ realm_id, group_id: unnamed })
  await tx.db.deleteFrom('group_members').where(inGroups).execute()
  await tx.db.deleteFrom('group_subgroups').where(inGroups).execute()
  const areUnnamed = matches({ realm_id, id: unnamed })
  await tx.db.deleteFrom('user_groups').where(areUnnamed).execute()
}

async function insertMembers(tx: Tx, ids: number[], groups: UnnamedGroup[]): Promise<void> {
  const rows = groups.flatMap(({ direct_members }, index) => direct_members.map((user) => [ids[index]!, user] as const))
  await sql`
    insert into group_members (realm_id, group_id, user_id)
    select ${tx.realmId}, * from unnest(${rows.map(([group]) => group)}::bigint[], ${rows.map(([, user]) => user)}::bigint[])`.execute(
    tx.db,
  )
}

async function insertSubgroups(tx: Tx, ids: number[], groups: UnnamedGroup[]): Promise<void> {
  const rows = groups.flatMap(({ direct_subgroups }, index) =>
    direct_subgroups.map((sub) => [ids[index]!, sub] as const),
  )
  await sql`
    insert into group_subgroups (realm_id, group_id, subgroup_id)
    select ${tx.realmId}, * from unnest(${rows.map(([group]) => group)}::bigint[], ${rows.map(([, sub]) => sub)}::bigint[])`.execute(
    tx.db,
  )
}
