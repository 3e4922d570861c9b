import { type GroupPermission, type GroupPermissions, type Member, mayInGroup } from '@parley/api/permissions'
import type { Realm } from '../../callers/realm-state.ts'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import type { Db } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** The columns of a named group that permission checks need. */
export interface Group extends GroupPermissions {
  id: number
  name: string
  description: string
  is_system_group: boolean
  deactivated: boolean
}

/** The user who changes groups, with what decides whether they may. */
export type GroupActor = Member & GroupEditor

/** Who changes groups. The id is null for identity providers. */
export interface GroupEditor {
  id: number | null
  realm: Realm
}

export class InvalidGroup extends ApiError {
  constructor() {
    super('Invalid user group')
  }
}

/**
 * Serializes changes of groups in a realm, because two concurrent changes could together create a cycle. Locks the
 * `role:nobody` group, because every realm has it.
 */
export async function lockGroups(tx: Tx, { systemGroups }: Realm): Promise<void> {
  await lockRow(tx, 'user_groups', systemGroups['role:nobody'])
}

/** Locks a group, so that no setting starts to refer to it. */
export async function lockGroup(tx: Tx, id: number): Promise<void> {
  await lockRow(tx, 'user_groups', id)
}

/** A named group of the realm. All users may see all groups. */
export async function accessGroup(db: Db, realmId: number, id: number): Promise<Group> {
  const row = await maybeOne<Group>(db)`
    select id, name, description, is_system_group, deactivated, can_add_members_group, can_join_group, can_leave_group,
           can_manage_group, can_mention_group, can_remove_members_group
      from user_groups where realm_id = ${realmId} and id = ${id} and name is not null`
  if (!row) throw new InvalidGroup()
  return row
}

/** Throws unless the group can be changed and the actor holds one of the permissions in it. */
export function checkMayChange(actor: GroupActor, group: Group, ...permissions: GroupPermission[]): void {
  if (group.is_system_group || !mayInGroup(actor, group, ...permissions)) throw new ApiError('Insufficient permission')
}

export function checkActive({ deactivated }: Group): void {
  if (deactivated) throw new ApiError('User group is deactivated.')
}
