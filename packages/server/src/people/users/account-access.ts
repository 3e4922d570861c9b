import { roles } from '@parley/api/common'
import { checkAccess, reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import { loadState, type Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { many, one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessUser, findUser, NoSuchUser } from './queries.ts'
import type { UserRow } from './user-object.ts'

/** Who changes an account. The id is null for the server, identity providers and the command line. */
export interface AccountActor {
  id: number | null
  realm: Realm
}

/** An account to be changed, locked until the transaction ends. */
export interface LockedAccount<Actor extends AccountActor = AccountActor> {
  actor: Actor
  target: UserRow
  /** The account's active bots. */
  botIds: number[]
  isOnlyOwner: boolean
}

/** The actor is the user who changes it, reloaded in this transaction. */
export type ManagedAccount = LockedAccount<Caller>

/** An account of a person that is changed without a user who does it. */
export async function accessPerson(tx: Tx, userId: number): Promise<LockedAccount> {
  const { ownerIds, botIds } = await lockAccounts(tx, userId, userId)
  const { realm } = await loadState(tx.db, tx.realmId)
  const target = await findUser(tx.db, tx.realmId, userId)
  if (!target || target.bot_type !== null) throw new NoSuchUser()
  return { actor: { id: null, realm }, target, botIds, isOnlyOwner: isOnly(ownerIds, userId) }
}

/**
 * An account that an administrator changes. Locks both accounts and all owners first: of two owners who demote each
 * other at the same time, or two administrators who deactivate each other, the second is refused.
 */
export async function accessManagedAccount(tx: Tx, caller: Caller, userId: number): Promise<ManagedAccount> {
  const { ownerIds, botIds } = await lockAccounts(tx, caller.id, userId)
  const actor = await reloadCaller(tx.db, caller)
  checkAccess('admin', actor)
  const target = await accessUser(tx.db, actor, userId)
  return { actor, target, botIds, isOnlyOwner: isOnly(ownerIds, userId) }
}

/** The same, where only owners may do it to owners. */
export async function accessGuardedAccount(tx: Tx, caller: Caller, userId: number): Promise<ManagedAccount> {
  const managed = await accessManagedAccount(tx, caller, userId)
  if (managed.target.role === roles.owner) checkOwner(managed.actor)
  return managed
}

/** An account that the caller reactivates: owners of bots reactivate their own, administrators all accounts. */
export async function accessAccountToReactivate(tx: Tx, caller: Caller, userId: number): Promise<ManagedAccount> {
  const { ownerIds, botIds } = await lockAccounts(tx, caller.id, userId)
  const actor = await reloadCaller(tx.db, caller)
  const target = await findUser(tx.db, tx.realmId, userId)
  if (target?.bot_owner_id !== actor.id) checkAccess('admin', actor)
  if (!target) throw new NoSuchUser()
  return { actor, target, botIds, isOnlyOwner: isOnly(ownerIds, userId) }
}

/** The caller's own account, locked for a change. */
export async function accessOwn(tx: Tx, caller: Caller): Promise<ManagedAccount> {
  const { ownerIds, botIds } = await lockAccounts(tx, caller.id, caller.id)
  const actor = await reloadCaller(tx.db, caller)
  const target = await accessUser(tx.db, actor, caller.id)
  return { actor, target, botIds, isOnlyOwner: isOnly(ownerIds, caller.id) }
}

function isOnly(ids: number[], id: number): boolean {
  return ids.length === 1 && ids[0] === id
}

async function lockAccounts(tx: Tx, callerId: number, targetId: number) {
  const rows = await many<{ id: number; is_owner: boolean; is_bot: boolean }>(tx.db)`
    select u.id, u.role = ${roles.owner} and u.is_active and u.bot_type is null as is_owner,
           u.bot_type is not null and u.is_active and u.bot_owner_id is not distinct from ${targetId} as is_bot
      from users u
     where u.realm_id = ${tx.realmId}
       and (u.id in (${callerId}, ${targetId}) or (u.role = ${roles.owner} and u.is_active and u.bot_type is null)
            or u.bot_owner_id = ${targetId}
            or u.id = (select bot_owner_id from users where realm_id = ${tx.realmId} and id = ${targetId}))
     order by u.id for no key update`
  return {
    ownerIds: rows.filter(({ is_owner }) => is_owner).map(({ id }) => id),
    botIds: rows.filter(({ is_bot }) => is_bot).map(({ id }) => id),
  }
}

/** Only owners can change owners. */
export function checkOwner(actor: Caller): void {
  checkAccess('owner', actor)
}

export function checkRoleChange(managed: ManagedAccount, role: number): void {
  const { actor, target } = managed
  if (role === target.role) return
  if (role === roles.owner || target.role === roles.owner) checkOwner(actor)
  checkNewRole(managed, role)
}

/** The rules that hold for every actor. */
export function checkNewRole({ target, isOnlyOwner }: LockedAccount, role: number): void {
  if (target.role === roles.guest && role <= roles.admin) throw new ApiError('Guests cannot be made administrators.')
  if (isOnlyOwner) throw new ApiError('The owner permission cannot be removed from the only organization owner.')
}

export function checkDeactivation(managed: ManagedAccount): void {
  const { actor, target } = managed
  if (!target.is_active) throw new ApiError('User is already deactivated')
  checkNotOnlyOwner(managed)
  if (target.role === roles.owner) checkOwner(actor)
}

/** The last owner is never locked out, by nobody. */
export function checkNotOnlyOwner({ isOnlyOwner }: LockedAccount): void {
  if (isOnlyOwner) throw new ApiError('Cannot deactivate the only organization owner')
}

/** The last owner cannot leave, nor can the last user of an organization without owners. */
export async function checkOwnDeactivation(
  { db, realmId }: Tx,
  { target, isOnlyOwner }: ManagedAccount,
): Promise<void> {
  if (isOnlyOwner) throw cannotDeactivateOnly('organization owner', true)
  const { others } = await one<{ others: boolean }>(db)`
    select exists (select 1 from users u
                    where u.realm_id = ${realmId} and u.id <> ${target.id}
                      and u.is_active and u.bot_type is null) as others`
  if (!others) throw cannotDeactivateOnly('user', false)
}

function cannotDeactivateOnly(entity: string, is_last_owner: boolean): ApiError {
  return new ApiError(`Cannot deactivate the only ${entity}.`, 'CANNOT_DEACTIVATE_LAST_USER', {
    fields: { is_last_owner, entity },
  })
}
