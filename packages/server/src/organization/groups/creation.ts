import type { GroupSettingValue } from '@parley/api/common'
import type { ParamsOf } from '@parley/api/operation'
import { type createUserGroup, groupPermissionNames } from '@parley/api/organization/groups'
import { userGroupSettings } from '@parley/api/permission-settings'
import type { GroupPermission, GroupPermissions } from '@parley/api/permissions'
import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { checkSharedLimit } from '../realms/snapshot-limits.ts'
import { type GroupEditor, InvalidGroup } from './access.ts'
import { createUnnamedGroups } from './actions.ts'
import { checkFreeName, checkGroupName } from './group-names.ts'
import { readGroup } from './queries.ts'
import { checkMembers, checkSettingValue } from './setting-value.ts'

type NewGroup = ParamsOf<typeof createUserGroup>

/** Creates a named group. Its creator may manage it and add members, but is a member only if listed. */
export async function createGroup(tx: Tx, actor: GroupEditor, params: NewGroup): Promise<number> {
  const members = [...new Set(params.members)]
  await checkMembers(tx.db, actor.realm, members)
  checkGroupName(params.name)
  const values = await permissionsOf(tx.db, actor, params)
  await checkFreeName(tx.db, actor.realm.id, params.name)
  const subgroups = [...new Set(params.subgroups ?? [])]
  await checkSubgroups(tx.db, actor.realm, subgroups)
  const id = await insertGroup(tx, actor, params, await storedPermissions(tx, actor.realm, values))
  await checkSharedLimit(tx, 'user_groups', actor.id)
  await insertContents(tx, id, members, subgroups)
  await emitGroup(tx, actor.realm, id, subgroups)
  await tx.audit(actor.id, 'group_created', { group_id: id })
  return id
}

async function permissionsOf(
  db: Database,
  { id, realm }: GroupEditor,
  params: NewGroup,
): Promise<Record<GroupPermission, GroupSettingValue>> {
  const values: Record<string, GroupSettingValue> = {}
  for (const setting of groupPermissionNames) {
    const declared = userGroupSettings[setting]
    const fallback = 'creator' in declared && id !== null ? { direct_members: [id], direct_subgroups: [] } : undefined
    const value = params[setting] ?? fallback ?? realm.systemGroups[declared.default]
    values[setting] = await checkSettingValue(db, realm, { setting, declared, value })
  }
  return values as Record<GroupPermission, GroupSettingValue>
}

async function storedPermissions(
  tx: Tx,
  realm: Realm,
  values: Record<GroupPermission, GroupSettingValue>,
): Promise<GroupPermissions> {
  const stored: Partial<GroupPermissions> = {}
  for (const setting of groupPermissionNames) {
    const value = values[setting]
    stored[setting] = typeof value === 'number' ? value : (await createUnnamedGroups(tx, realm, [value]))[0]!
  }
  return stored as GroupPermissions
}

/** Throws unless all are named, active groups, which may be used as subgroups. System groups may be too. */
export async function checkSubgroups(db: Db, { id }: Realm, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const active = matches({ realm_id: id, id: ids, deactivated: false })
  const rows = await db.selectFrom('user_groups').select('id').where(active).where('name', 'is not', null).execute()
  if (rows.length < ids.length) throw new InvalidGroup()
}

async function insertGroup(
  tx: Tx,
  { id, realm }: GroupEditor,
  { name, description }: NewGroup,
  permissions: GroupPermissions,
): Promise<number> {
  const values = { realm_id: realm.id, name, description, creator_id: id, date_created: new Date(), ...permissions }
  const row = await tx.db.insertInto('user_groups').values(values).returning('id').executeTakeFirstOrThrow()
  return row.id
}

async function insertContents(tx: Tx, group: number, members: number[], subgroups: number[]): Promise<void> {
  await sql`insert into group_members (realm_id, group_id, user_id)
            select ${tx.realmId}, ${group}, unnest(${members}::bigint[])`.execute(tx.db)
  await sql`insert into group_subgroups (realm_id, group_id, subgroup_id)
            select ${tx.realmId}, ${group}, unnest(${subgroups}::bigint[])`.execute(tx.db)
}

/** Emits the group first and then its subgroups. */
async function emitGroup(tx: Tx, realm: Realm, id: number, subgroups: number[]): Promise<void> {
  const group = { ...(await readGroup(tx.db, realm.id, id)), direct_subgroup_ids: [] }
  tx.emit({ type: 'user_group', op: 'add', group }, { realm: 'everyone' }, { access: true })
  if (subgroups.length > 0)
    tx.emit(
      { type: 'user_group', op: 'add_subgroups', group_id: id, direct_subgroup_ids: subgroups },
      { realm: 'everyone' },
    )
}
