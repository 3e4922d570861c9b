import { lookup } from '@parley/api/lookup'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { accessGroup, lockGroups } from '../../organization/groups/access.ts'
import { many } from '../../platform/db/query.ts'
import { changeGroupMembers } from '../accounts/change-group-members.ts'

/**
 * Brings the user's memberships in line with the groups at the provider. Only groups that the operator has mapped change;
 * groups that do not exist here are left out.
 */
export async function syncGroups(
  tx: Tx,
  realm: Realm,
  userId: number,
  mapping: Record<string, string>,
  claimed: string[],
): Promise<void> {
  const wanted = new Set(claimed.map((name) => lookup(mapping, name)))
  const mapped = [...new Set(Object.values(mapping))]
  const groups = await many<{ id: number; name: string; is_member: boolean }>(tx.db)`
    select g.id, g.name,
           exists (select 1 from group_members m where m.group_id = g.id and m.user_id = ${userId}) as is_member
      from user_groups g
     where g.realm_id = ${realm.id} and g.name = any(${mapped}::text[]) and not g.is_system_group and not g.deactivated
     order by g.id`
  const changed = groups.filter(({ name, is_member }) => wanted.has(name) !== is_member)
  if (changed.length === 0) return
  await lockGroups(tx, realm)
  for (const { id, is_member } of changed) {
    const moved = is_member ? { add: [], delete: [userId] } : { add: [userId], delete: [] }
    const change = { ...moved, add_subgroups: [], delete_subgroups: [] }
    await changeGroupMembers(tx, { id: userId, realm }, await accessGroup(tx.db, realm.id, id), change)
  }
}
