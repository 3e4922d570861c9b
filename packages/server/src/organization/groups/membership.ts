import type { ServerEvent } from '@parley/api/events'
import type { GroupPermission } from '@parley/api/permissions'
import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { checkActive, checkMayChange, type Group, type GroupActor, type GroupEditor } from './access.ts'
import { checkSubgroups } from './creation.ts'
import { groupsWithin } from './nested-groups.ts'
import { checkMembers } from './setting-value.ts'

/** The members and subgroups to add to and remove from a group. */
export interface MembershipChange {
  add: number[]
  delete: number[]
  add_subgroups: number[]
  delete_subgroups: number[]
}

/** Throws unless the actor may make the change. Joining and leaving a group have permissions of their own. */
export function checkMembershipChange(actor: GroupActor, group: Group, change: MembershipChange): void {
  if (Object.values(change).every((list: number[]) => list.length === 0))
    throw new ApiError('Nothing to do. Specify at least one change.')
  const isOwn = (list: number[]) => list.length === 1 && list[0] === actor.id
  const needs: [number[], GroupPermission[]][] = [
    [change.add, isOwn(change.add) ? ['can_add_members_group', 'can_join_group'] : ['can_add_members_group']],
    [
      change.delete,
      isOwn(change.delete) ? ['can_remove_members_group', 'can_leave_group'] : ['can_remove_members_group'],
    ],
    [change.add_subgroups, ['can_add_members_group']],
    [change.delete_subgroups, []],
  ]
  for (const [list, permissions] of needs) if (list.length > 0) checkMayChange(actor, group, ...permissions)
  checkActive(group)
}

/** Changes the members and subgroups of a group, completely or not at all. Groups must be locked (lockGroups). */
export async function changeMembership(
  tx: Tx,
  actor: GroupEditor,
  group: Group,
  change: MembershipChange,
): Promise<void> {
  await addMembers(tx, group, change.add)
  await removeMembers(tx, group, change.delete)
  await addSubgroups(tx, actor, group, change.add_subgroups)
  await removeSubgroups(tx, group, change.delete_subgroups)
  await tx.audit(actor.id, 'group_members_changed', { group_id: group.id, ...change })
}

async function addMembers(tx: Tx, { id: group_id }: Group, user_ids: number[]): Promise<void> {
  if (user_ids.length === 0) return
  await checkMembers(tx.db, { id: tx.realmId }, user_ids)
  const { numAffectedRows } = await sql`
    insert into group_members (realm_id, group_id, user_id)
    select ${tx.realmId}, ${group_id}, unnest(${user_ids}::bigint[]) on conflict do nothing`.execute(tx.db)
  if (Number(numAffectedRows) < user_ids.length)
    throw new ApiError('Some of these users are already members of this group.')
  emit(tx, { type: 'user_group', op: 'add_members', group_id, user_ids })
}

async function removeMembers(tx: Tx, { id: group_id }: Group, user_ids: number[]): Promise<void> {
  if (user_ids.length === 0) return
  await checkMembers(tx.db, { id: tx.realmId }, user_ids)
  const removed = matches({ realm_id: tx.realmId, group_id, user_id: user_ids })
  const { numDeletedRows } = await tx.db.deleteFrom('group_members').where(removed).executeTakeFirstOrThrow()
  if (numDeletedRows < user_ids.length) throw new ApiError('Some of these users are not members of this group.')
  emit(tx, { type: 'user_group', op: 'remove_members', group_id, user_ids })
}

async function addSubgroups(
  tx: Tx,
  { realm }: Pick<GroupEditor, 'realm'>,
  { id: group_id }: Group,
  ids: number[],
): Promise<void> {
  if (ids.length === 0) return
  await checkSubgroups(tx.db, realm, ids)
  const { numAffectedRows } = await sql`
    insert into group_subgroups (realm_id, group_id, subgroup_id)
    select ${tx.realmId}, ${group_id}, unnest(${ids}::bigint[]) on conflict do nothing`.execute(tx.db)
  if (Number(numAffectedRows) < ids.length)
    throw new ApiError('Some of these groups are already subgroups of this group.')
  if (await isInside(tx.db, tx.realmId, group_id, ids)) throw new ApiError('A group cannot be inside itself.')
  emit(tx, { type: 'user_group', op: 'add_subgroups', group_id, direct_subgroup_ids: ids })
}

async function removeSubgroups(tx: Tx, { id: group_id }: Group, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const removed = matches({ realm_id: tx.realmId, group_id, subgroup_id: ids })
  const { numDeletedRows } = await tx.db.deleteFrom('group_subgroups').where(removed).executeTakeFirstOrThrow()
  if (numDeletedRows < ids.length) throw new ApiError('Some of these groups are not subgroups of this group.')
  emit(tx, { type: 'user_group', op: 'remove_subgroups', group_id, direct_subgroup_ids: ids })
}

/** Whether the group is one of the others or inside one of them, at any depth. */
async function isInside(db: Db, realmId: number, group: number, others: number[]): Promise<boolean> {
  const { yes } = await one<{ yes: boolean }>(db)`
    select ${group}::bigint in (${groupsWithin(realmId, others)}) as yes`
  return yes
}

function emit(tx: Tx, event: Extract<ServerEvent, { type: 'user_group' }>): void {
  tx.emit(event, { realm: 'everyone' }, { access: true })
}

/**
 * Changes memberships of deactivated users. Nothing is emitted: they are not listed as members, and a reactivation emits
 * the memberships they have then.
 */
export async function changeInactiveMembers(
  tx: Tx,
  group_id: number,
  change: Pick<MembershipChange, 'add' | 'delete'>,
): Promise<void> {
  if (change.add.length + change.delete.length === 0) return
  await sql`insert into group_members (realm_id, group_id, user_id)
            select ${tx.realmId}, ${group_id}, unnest(${change.add}::bigint[]) on conflict do nothing`.execute(tx.db)
  const removed = matches({ realm_id: tx.realmId, group_id, user_id: change.delete })
  await tx.db.deleteFrom('group_members').where(removed).execute()
}
