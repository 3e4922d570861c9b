import { lookup } from '@parley/api/lookup'
import type { ParamsOf } from '@parley/api/operation'
import { type GroupChange, groupPermissionNames, type updateUserGroup } from '@parley/api/organization/groups'
import { userGroupSettings } from '@parley/api/permission-settings'
import type { GroupPermission } from '@parley/api/permissions'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Group, GroupEditor } from './access.ts'
import { checkFreeName, checkGroupName } from './group-names.ts'
import { type Changed, changeSettings, deleteFormerGroups, type GroupSettingChange } from './setting-change.ts'

type UpdateParams = ParamsOf<typeof updateUserGroup>

/** Updates a group, deactivated or not. Groups must be locked (lockGroups). */
export async function updateGroup(tx: Tx, actor: GroupEditor, group: Group, params: UpdateParams): Promise<void> {
  if (Object.values(params).every((value) => value === undefined)) throw new ApiError('No new data supplied')
  const texts = await changedTexts(tx, group, params)
  const permissions = await changeSettings(tx, actor.realm, permissionChanges(group, params))
  if (Object.keys(texts).length + permissions.length === 0) return
  await tx.db
    .updateTable('user_groups')
    .set({ ...texts, ...stored(permissions) })
    .where(matches({ realm_id: tx.realmId, id: group.id }))
    .execute()
  await deleteFormerGroups(tx, permissions)
  emitUpdate(tx, group, { ...texts, ...shown(permissions) })
  const before = {
    ...Object.fromEntries(Object.keys(texts).map((name) => [name, lookup(group, name)])),
    ...Object.fromEntries(permissions.map((changed) => [changed.setting, changed.before])),
  }
  const after = { ...texts, ...shown(permissions) }
  await tx.audit(actor.id, 'group_updated', { group_id: group.id }, { before, after })
}

async function changedTexts(
  tx: Tx,
  group: Group,
  { name, description }: UpdateParams,
): Promise<Pick<GroupChange, 'name' | 'description'>> {
  const isRenamed = name !== undefined && name !== group.name
  if (isRenamed) {
    checkGroupName(name)
    await checkFreeName(tx.db, tx.realmId, name)
  }
  return {
    ...(isRenamed && { name }),
    ...(description !== undefined && description !== group.description && { description }),
  }
}

function permissionChanges(group: Group, params: UpdateParams): GroupSettingChange<GroupPermission>[] {
  return groupPermissionNames.flatMap((setting) => {
    const change = params[setting]
    return change ? [{ setting, declared: userGroupSettings[setting], current: group[setting], change }] : []
  })
}

function stored(changed: Changed<GroupPermission>[]): Partial<Record<GroupPermission, number>> {
  return Object.fromEntries(changed.map(({ setting, group }) => [setting, group]))
}

function shown(changed: Changed<GroupPermission>[]): Pick<GroupChange, GroupPermission> {
  return Object.fromEntries(changed.map(({ setting, value }) => [setting, value]))
}

function emitUpdate(tx: Tx, { id, deactivated }: Group, changed: GroupChange): void {
  // Not sent to clients: delivery/queues/wire-events.ts drops the event for clients without support for deactivated groups.
  const hint = deactivated && { of_deactivated_group: true }
  const event = { type: 'user_group', op: 'update', group_id: id, data: changed } as const
  tx.emit(Object.assign(event, hint), { realm: 'everyone' }, { access: true })
}

export async function deactivateGroup(tx: Tx, actor: GroupEditor, { id }: Group): Promise<void> {
  await tx.db
    .updateTable('user_groups')
    .set({ deactivated: true })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  const event = { type: 'user_group', op: 'update', group_id: id, data: { deactivated: true } } as const
  tx.emit(event, { realm: 'everyone' }, { access: true })
  await tx.audit(actor.id, 'group_deactivated', { group_id: id })
}
