import { roles } from '@parley/api/common'
import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { many } from '../../platform/db/query.ts'

interface ChangedMember {
  user_id: number
  is_active: boolean
}

/** Updates the full members: members whose accounts are at least as old, in whole days, as the waiting period. */
export async function syncFullMembers(tx: Tx, { systemGroups }: Realm, threshold: number): Promise<void> {
  const group_id = systemGroups['role:fullmembers']
  const isFull = sql`extract(epoch from now() - u.date_joined) >= ${threshold}::bigint * 86400`
  const added = await many<ChangedMember>(tx.db)`
    with added as (
      insert into group_members (realm_id, group_id, user_id)
      select u.realm_id, ${group_id}, u.id from users u
       where u.realm_id = ${tx.realmId} and u.role = ${roles.member} and not u.is_system_bot and ${isFull}
      on conflict do nothing returning user_id
    ) select a.user_id, u.is_active from added a join users u on u.realm_id = ${tx.realmId} and u.id = a.user_id order by 1`
  const removed = await many<ChangedMember>(tx.db)`
    delete from group_members m using users u
     where m.realm_id = ${tx.realmId} and m.group_id = ${group_id}
       and u.realm_id = m.realm_id and u.id = m.user_id and not ${isFull}
    returning m.user_id, u.is_active`
  emitMembers(tx, 'add_members', group_id, added)
  emitMembers(tx, 'remove_members', group_id, removed)
}

/** Clients do not see deactivated users as members of groups. */
function emitMembers(tx: Tx, op: 'add_members' | 'remove_members', group_id: number, changed: ChangedMember[]): void {
  const user_ids = changed.filter(({ is_active }) => is_active).map(({ user_id }) => user_id)
  if (user_ids.length === 0) return
  user_ids.sort((a, b) => a - b)
  tx.emit({ type: 'user_group', op, group_id, user_ids }, { realm: 'everyone' }, { access: true })
}
