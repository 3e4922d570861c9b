import { channelPermissionNames } from '@parley/api/conversations/channels'
import { groupPermissionNames } from '@parley/api/organization/groups'
import { type RawBuilder, sql } from 'kysely'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { columnOf, many } from '../../platform/db/query.ts'

/** A reference to a group, which prevents its deactivation. */
export type Usage =
  | { type: 'subgroup'; supergroup_ids: number[] }
  | { type: 'realm'; settings: string[] }
  | { type: 'channel'; channel_id: number; settings: string[] }
  | { type: 'user_group'; group_id: number; settings: string[] }

/**
 * Finds references to a group: in other groups, and in settings, directly or through an unnamed group. Those in settings
 * of archived channels and deactivated groups count only if `includeInactive` is set.
 */
export async function findUsages(
  db: Db,
  realmId: number,
  group: number,
  { includeInactive = false } = {},
): Promise<Usage[]> {
  const supergroups = await many<{ id: number; name: string | null; deactivated: boolean }>(db)`
    select g.id, g.name, g.deactivated from group_subgroups s join user_groups g on g.realm_id = s.realm_id and g.id = s.group_id
     where s.realm_id = ${realmId} and s.subgroup_id = ${group} order by g.id`
  const named = supergroups.filter(({ name, deactivated }) => name !== null && !deactivated)
  const values = [group, ...supergroups.filter(({ name }) => name === null).map(({ id }) => id)]
  return [
    ...(named.length > 0 ? [{ type: 'subgroup' as const, supergroup_ids: named.map(({ id }) => id) }] : []),
    ...(await usedByRealm(db, realmId, values)),
    ...(await usedByChannels(db, realmId, values, includeInactive)),
    ...(await usedByGroups(db, realmId, group, values, includeInactive)),
  ]
}

async function usedByRealm(db: Db, realmId: number, values: number[]): Promise<Usage[]> {
  const used = db.selectFrom('realm_permissions').where(matches({ realm_id: realmId, group_id: values }))
  const settings = await columnOf(used.select('setting').orderBy('setting'))
  return settings.length > 0 ? [{ type: 'realm', settings }] : []
}

async function usedByChannels(db: Db, realmId: number, values: number[], archivedToo: boolean): Promise<Usage[]> {
  const rows = await many<{ id: number; settings: string[] }>(db)`
    select c.id, ${settingsAmong(channelPermissionNames, values)} as settings from channels c
     where c.realm_id = ${realmId} and (${archivedToo} or not c.is_archived) and ${anyAmong(channelPermissionNames, values)}
     order by c.id`
  return rows.map(({ id, settings }) => ({ type: 'channel', channel_id: id, settings }))
}

async function usedByGroups(
  db: Db,
  realmId: number,
  group: number,
  values: number[],
  deactivatedToo: boolean,
): Promise<Usage[]> {
  const rows = await many<{ id: number; settings: string[] }>(db)`
    select c.id, ${settingsAmong(groupPermissionNames, values)} as settings from user_groups c
     where c.realm_id = ${realmId} and c.name is not null and (${deactivatedToo} or not c.deactivated) and c.id <> ${group}
       and ${anyAmong(groupPermissionNames, values)}
     order by c.id`
  return rows.map(({ id, settings }) => ({ type: 'user_group', group_id: id, settings }))
}

/** The names of the settings of the row `c` that have one of the values. */
function settingsAmong(names: readonly string[], values: number[]): RawBuilder<string[]> {
  const each = names.map((name) => sql`case when ${among(name, values)} then ${name} end`)
  return sql`array_remove(array[${sql.join(each)}]::text[], null)`
}

function anyAmong(names: readonly string[], values: number[]): RawBuilder<boolean> {
  return sql`(${sql.join(
    names.map((name) => among(name, values)),
    sql` or `,
  )})`
}

function among(name: string, values: number[]): RawBuilder<boolean> {
  return sql`${sql.ref(`c.${name}`)} = any(${values}::bigint[])`
}
