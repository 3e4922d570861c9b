import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { column } from '../../platform/db/query.ts'
import type { LockedAccount } from './account-access.ts'
import { restrictedGuests, visibilityAudience } from './visibility/visible-users.ts'

/**
 * Deactivates an account and its bots. Subscriptions and group memberships are kept but ignored, so that a
 * reactivation restores them. The incoming hooks of the bots end: their URLs must not work again one day.
 */
export async function deactivate(tx: Tx, { actor, target, botIds }: LockedAccount): Promise<void> {
  await setActive(tx, [...botIds, target.id], false)
  await tx.db
    .deleteFrom('hooks')
    .where(matches({ realm_id: tx.realmId, bot_id: [...botIds, target.id] }))
    .execute()
  tx.emitInternal({ access: true })
  for (const user of [...botIds.map((id) => ({ id, bot_type: 1 })), target])
    await emitActivity(tx, actor.realm, user, false)
  await notifyRestrictedGuests(tx, actor.realm, target.id)
}

/** Reactivates an account and emits its group memberships. */
export async function reactivate(tx: Tx, realm: Realm, user: { id: number; bot_type: number | null }): Promise<void> {
  await setActive(tx, [user.id], true)
  tx.emitInternal({ access: true })
  await emitActivity(tx, realm, user, true)
  for (const group_id of await groupsOf(tx, user.id))
    tx.emit({ type: 'user_group', op: 'add_members', group_id, user_ids: [user.id] }, { realm: 'everyone' })
}

async function setActive(tx: Tx, ids: number[], is_active: boolean): Promise<void> {
  const users = matches({ realm_id: tx.realmId, id: ids })
  await tx.db.updateTable('users').set({ is_active }).where(users).execute()
}

async function emitActivity(
  tx: Tx,
  realm: Realm,
  user: { id: number; bot_type: number | null },
  is_active: boolean,
): Promise<void> {
  tx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: user.id, is_active } },
    await visibilityAudience(tx.db, realm, user),
  )
}

/** Clients that know the user remove them from groups themselves; restricted guests know only the id and need events. */
async function notifyRestrictedGuests(tx: Tx, realm: Realm, userId: number): Promise<void> {
  const users = await restrictedGuests(tx.db, realm, userId)
  if (users.length === 0) return
  for (const group_id of await groupsOf(tx, userId))
    tx.emit({ type: 'user_group', op: 'remove_members', group_id, user_ids: [userId] }, { users })
}

/** The named groups that the user is a direct member of. */
async function groupsOf(tx: Tx, userId: number): Promise<number[]> {
  return column<number>(tx.db)`
    select g.id from group_members m join user_groups g on g.realm_id = m.realm_id and g.id = m.group_id
     where m.realm_id = ${tx.realmId} and m.user_id = ${userId} and g.name is not null
     order by g.id`
}
