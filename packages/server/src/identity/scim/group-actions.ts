import { loadState } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { accessGroup, type Group, type GroupEditor, lockGroup, lockGroups } from '../../organization/groups/access.ts'
import { createGroup } from '../../organization/groups/creation.ts'
import { changeInactiveMembers } from '../../organization/groups/membership.ts'
import { deactivateGroup, updateGroup } from '../../organization/groups/update-group.ts'
import { findUsages } from '../../organization/groups/usage.ts'
import { matches } from '../../platform/db/matches.ts'
import { many } from '../../platform/db/query.ts'
import { changeGroupMembers } from '../accounts/change-group-members.ts'
import { applyToGroup, type WantedGroup } from './group-changes.ts'
import { findScimGroup, type ScimGroup } from './group-queries.ts'
import type { Change } from './patch.ts'
import { conflict, NoSuchResource, ScimError } from './scim-error.ts'
import { isScimUser } from './user-queries.ts'

export async function createScimGroup(tx: Tx, changes: Change[]): Promise<number> {
  const wanted = applyToGroup({ members: new Set() }, changes)
  const actor = await lockedGroups(tx)
  const name = nameOf(wanted)
  await checkNameFree(tx, name)
  const { active, inactive } = await membersIn(tx, wanted.members)
  const id = await createGroup(tx, actor, { name, description: '', members: active })
  await changeInactiveMembers(tx, id, { add: inactive, delete: [] })
  await storeExternalId(tx, id, wanted.externalId ?? null)
  return id
}

/** Makes a group what the provider says. Bots are none of its business, and stay. */
export async function replaceScimGroup(tx: Tx, id: number, changes: Change[]): Promise<void> {
  await save(tx, await accessScimGroup(tx, id), applyToGroup({ members: new Set() }, changes))
}

export async function patchScimGroup(tx: Tx, id: number, changes: Change[]): Promise<void> {
  const found = await accessScimGroup(tx, id)
  const { name, external_id, members } = found.before
  const current = { displayName: name, externalId: external_id, members: new Set(members!.map((one) => one.id)) }
  await save(tx, found, applyToGroup(current, changes))
}

/** A group that a permission refers to stays: without it, nobody would have the permission. */
export async function deleteScimGroup(tx: Tx, id: number): Promise<void> {
  const { actor, group } = await accessScimGroup(tx, id)
  await lockGroup(tx, id)
  if ((await findUsages(tx.db, tx.realmId, id)).length > 0)
    throw new ScimError('The group is used in permissions. Remove it there first.', 'mutability')
  await deactivateGroup(tx, actor, group)
}

interface Found {
  actor: GroupEditor
  group: Group
  before: ScimGroup
}

async function lockedGroups(tx: Tx): Promise<GroupEditor> {
  const { realm } = await loadState(tx.db, tx.realmId)
  await lockGroups(tx, realm)
  return { id: null, realm }
}

async function accessScimGroup(tx: Tx, id: number): Promise<Found> {
  const actor = await lockedGroups(tx)
  const before = await findScimGroup(tx.db, tx.realmId, id)
  if (!before) throw new NoSuchResource()
  return { actor, group: await accessGroup(tx.db, tx.realmId, id), before }
}

function nameOf({ displayName }: WantedGroup): string {
  if (!displayName) throw new ScimError('displayName is required.', 'invalidValue')
  return displayName
}

async function checkNameFree(tx: Tx, name: string): Promise<void> {
  const same = tx.db.selectFrom('user_groups').where(matches({ realm_id: tx.realmId, name }))
  const other = await same.select('deactivated').executeTakeFirst()
  if (other) throw conflict(`There is a ${other.deactivated ? 'deactivated ' : ''}group with this name already.`)
}

async function save(tx: Tx, { actor, group, before }: Found, wanted: WantedGroup): Promise<void> {
  const name = nameOf(wanted)
  if (name !== group.name) {
    await checkNameFree(tx, name)
    await updateGroup(tx, actor, group, { name })
  }
  if ((wanted.externalId ?? null) !== before.external_id) await storeExternalId(tx, group.id, wanted.externalId ?? null)
  await saveMembers(tx, actor, group, before, wanted)
}

async function saveMembers(tx: Tx, actor: GroupEditor, group: Group, before: ScimGroup, { members }: WantedGroup) {
  const current = new Set(before.members!.map(({ id }) => id))
  const added = await membersIn(tx, members.difference(current))
  const removed = await membersIn(tx, current.difference(members))
  if (added.active.length + removed.active.length > 0) {
    const moved = { add: added.active, delete: removed.active }
    await changeGroupMembers(tx, actor, group, { ...moved, add_subgroups: [], delete_subgroups: [] })
  }
  await changeInactiveMembers(tx, group.id, { add: added.inactive, delete: removed.inactive })
}

/** Throws if one of them is not a user that the provider can know. */
async function membersIn(tx: Tx, ids: Set<number>): Promise<{ active: number[]; inactive: number[] }> {
  const rows = await many<{ id: number; is_active: boolean }>(tx.db)`
    select u.id, u.is_active from users u left join provisioned_users p on p.realm_id = u.realm_id and p.user_id = u.id
     where u.realm_id = ${tx.realmId} and u.id = any(${[...ids]}::bigint[]) and ${isScimUser} order by u.id`
  const missing = ids.difference(new Set(rows.map(({ id }) => id)))
  if (missing.size > 0) throw new ScimError(`There is no user ${[...missing][0]}.`, 'invalidValue')
  const idsWhere = (isActive: boolean) => rows.filter((row) => row.is_active === isActive).map(({ id }) => id)
  return { active: idsWhere(true), inactive: idsWhere(false) }
}

async function storeExternalId(tx: Tx, group_id: number, external_id: string | null): Promise<void> {
  const named = { realm_id: tx.realmId, group_id }
  if (external_id === null) return void (await tx.db.deleteFrom('provisioned_groups').where(matches(named)).execute())
  await tx.db
    .insertInto('provisioned_groups')
    .values({ ...named, external_id })
    .onConflict((existing) => existing.columns(['realm_id', 'group_id']).doUpdateSet({ external_id }))
    .execute()
}
