import type { GroupSettingValue } from '@parley/api/common'
import type { GroupSettingDeclaration, SystemGroupName } from '@parley/api/permission-settings'
import type { Realm } from '../../callers/realm-state.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { columnOf, many } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** The members and subgroups of an unnamed group. */
export type UnnamedGroup = Exclude<GroupSettingValue, number>

interface SettingParams {
  setting: string
  declared: GroupSettingDeclaration
  value: GroupSettingValue
}

/** Throws unless the setting may have the value. Returns it in its simplest form. */
export async function checkSettingValue(db: Database, realm: Realm, params: SettingParams): Promise<GroupSettingValue> {
  const value = simplest(realm, params.value)
  checkOnlySystemGroups(realm, params, value)
  if (typeof value === 'number') {
    await checkGroups(db, realm, [value])
    checkSystemGroup(realm, params, value)
    return value
  }
  await checkGroups(db, realm, value.direct_subgroups)
  checkSubgroups(realm, params, value.direct_subgroups)
  await checkMembers(db, realm, value.direct_members)
  return value
}

/** An empty group becomes `role:nobody`, and a single subgroup becomes that group. */
export function simplest(realm: Realm, value: GroupSettingValue): GroupSettingValue {
  if (typeof value === 'number') return value
  const direct_members = ascending(value.direct_members)
  const direct_subgroups = ascending(value.direct_subgroups)
  if (direct_members.length > 0 || direct_subgroups.length > 1) return { direct_members, direct_subgroups }
  return direct_subgroups[0] ?? realm.systemGroups['role:nobody']
}

function ascending(ids: number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}

/**
 * Locks the groups, so that none is deactivated before the setting refers to it. System groups cannot be deactivated.
 */
async function checkGroups(db: Database, realm: Realm, ids: number[]): Promise<void> {
  const system = new Set<number>(Object.values(realm.systemGroups))
  const customGroups = ids.filter((id) => !system.has(id))
  if (customGroups.length === 0) return
  const rows = await db
    .selectFrom('user_groups')
    .select('id')
    .where(matches({ realm_id: realm.id, id: customGroups, deactivated: false }))
    .where('name', 'is not', null)
    .orderBy('id')
    .forShare()
    .execute()
  if (rows.length < customGroups.length) throw new ApiError('Invalid user group')
}

export async function checkMembers(db: Db, realm: Pick<Realm, 'id'>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const active = matches({ realm_id: realm.id, id: ids, is_active: true, is_system_bot: false })
  const found = new Set(await columnOf(db.selectFrom('users').select('id').where(active)))
  const missing = ids.find((id) => !found.has(id))
  if (missing !== undefined) throw new ApiError(`Invalid user ID: ${missing}`)
}

function checkOnlySystemGroups(
  { systemGroups }: Realm,
  { setting, declared: { onlySystemGroups } }: SettingParams,
  value: GroupSettingValue,
): void {
  if (!onlySystemGroups) return
  if (!Object.values(systemGroups).some((id) => id === value))
    throw new ApiError(`'${setting}' must be a system group.`, 'SYSTEM_GROUP_REQUIRED', {
      fields: { setting_name: setting },
    })
  if (!onlySystemGroups.some((name) => systemGroups[name] === value))
    throw new ApiError(`'${setting}' cannot be given to this group.`)
}

function checkSystemGroup({ systemGroups }: Realm, { setting, declared }: SettingParams, id: number): void {
  const forbidden: SystemGroupName[] = ['role:internet']
  if (!declared.allowsEveryone) forbidden.push('role:everyone')
  if (!declared.allowsNobody) forbidden.push('role:nobody')
  if (declared.refuses) forbidden.push(declared.refuses)
  const refused = forbidden.find((name) => systemGroups[name] === id)
  if (refused) throw new ApiError(`'${setting}' cannot be given to '${refused}'.`)
}

/** A permission that excludes everyone also excludes unnamed groups that contain everyone. */
function checkSubgroups({ systemGroups }: Realm, { setting, declared }: SettingParams, ids: number[]): void {
  const tooLarge: SystemGroupName[] = declared.allowsEveryone ? ['role:internet'] : ['role:internet', 'role:everyone']
  const refused = tooLarge.find((name) => ids.includes(systemGroups[name]))
  if (refused) throw new ApiError(`'${setting}' cannot be given to '${refused}'.`)
}

/** The API form of groups that settings refer to: ids of named groups, members and subgroups of unnamed ones. */
export async function readSettingValues(
  db: Db,
  realmId: number,
  groupIds: Iterable<number>,
): Promise<(groupId: number) => GroupSettingValue> {
  const rows = await many<UnnamedGroup & { id: number }>(db)`
    with unnamed as materialized (
      select id from user_groups
       where realm_id = ${realmId} and id = any(${[...new Set(groupIds)]}::bigint[]) and name is null
    ), members as (
      select m.group_id, array_agg(m.user_id order by m.user_id) as ids
        from unnamed n join group_members m on m.realm_id = ${realmId} and m.group_id = n.id
        join users u on u.realm_id = m.realm_id and u.id = m.user_id and u.is_active
       group by m.group_id
    ), subgroups as (
      select s.group_id, array_agg(s.subgroup_id order by s.subgroup_id) as ids
        from unnamed n join group_subgroups s on s.realm_id = ${realmId} and s.group_id = n.id
       group by s.group_id
    )
    select n.id, coalesce(m.ids, '{}') as direct_members, coalesce(s.ids, '{}') as direct_subgroups
      from unnamed n left join members m on m.group_id = n.id left join subgroups s on s.group_id = n.id`
  const unnamed = new Map(rows.map(({ id, ...value }) => [id, value]))
  return (groupId) => unnamed.get(groupId) ?? groupId
}
