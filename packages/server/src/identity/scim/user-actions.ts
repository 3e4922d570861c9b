import { roles } from '@parley/api/common'
import { loadState } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { accessPerson, checkNotOnlyOwner, type LockedAccount } from '../../people/users/account-access.ts'
import { createUser } from '../../people/users/actions.ts'
import { changeEmail, rename } from '../../people/users/change-user.ts'
import { accessAllowedEmail } from '../../people/users/profile/email-rules.ts'
import { accessName } from '../../people/users/profile/name-rules.ts'
import { matches } from '../../platform/db/matches.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { emailKey } from '../../platform/emails.ts'
import { claimStub } from '../accounts/claim-stub.ts'
import { deactivateAccount } from '../accounts/deactivate-account.ts'
import { reactivatePerson } from '../accounts/reactivate-account.ts'
import { forgetSuspension, isSuspended } from '../accounts/suspensions.ts'
import { welcomeAccount } from '../accounts/welcome.ts'
import { usableName } from '../providers/identities.ts'
import type { Change } from './patch.ts'
import { conflict, NoSuchResource, ScimError } from './scim-error.ts'
import { applyToProfile, type Profile } from './user-profile.ts'
import { findScimUser, isScimUser, type ScimUser } from './user-queries.ts'
import { emailOf, fullNameOf, profileOf } from './user-resource.ts'

/** Creates an account, or brings back the one that the provider had deleted. */
export async function createScimUser(tx: Tx, ctx: Context, profile: Profile): Promise<number> {
  checkUserName(profile)
  const { realm } = await loadState(tx.db, tx.realmId)
  const email = await accessAllowedEmail(tx.db, realm, emailOf(profile))
  const existing = await findSame(tx, profile.userName!, email)
  if (existing?.is_taken) throw conflict('There is a user with this user name or email already.')
  if (existing) {
    await claimStub(tx, existing.id)
    return revive(tx, ctx, existing.id, profile)
  }
  const full_name = await accessName(tx, realm, null, usableName(fullNameOf(profile), email))
  const user = await createUser(tx, ctx.vault, realm, { email, full_name, role: roles.member })
  await welcomeAccount(tx, ctx, realm, user)
  await storeProfile(tx, user.id, profile)
  await tx.audit(null, 'user_created', { user_id: user.id })
  if (profile.active === false) await setActive(tx, ctx, await accessPerson(tx, user.id), false)
  return user.id
}

async function revive(tx: Tx, ctx: Context, id: number, profile: Profile): Promise<number> {
  await tx.db
    .updateTable('provisioned_users')
    .set({ is_deleted: false })
    .where('realm_id', '=', tx.realmId)
    .where('user_id', '=', id)
    .execute()
  await replaceScimUser(tx, ctx, id, { active: true, ...profile })
  return id
}

function findSame(tx: Tx, userName: string, email: string) {
  return maybeOne<{ id: number; is_taken: boolean }>(tx.db)`
    select u.id, u.bot_type is not null or u.is_system_bot or (${isScimUser}) and not u.is_imported_stub as is_taken
      from users u left join provisioned_users p on p.realm_id = u.realm_id and p.user_id = u.id
     where u.realm_id = ${tx.realmId}
       and (u.email_key = ${emailKey(email)} or coalesce(p.user_name_key, u.email_key) = ${emailKey(userName)})
     order by is_taken desc limit 1`
}

/** Makes an account what the provider says. */
export async function replaceScimUser(tx: Tx, ctx: Context, id: number, profile: Profile): Promise<void> {
  await save(tx, ctx, await accessScimUser(tx, id), profile)
}

/** Changes some attributes of an account. */
export async function patchScimUser(tx: Tx, ctx: Context, id: number, changes: Change[]): Promise<void> {
  const found = await accessScimUser(tx, id)
  const before = profileOf(found.user)
  await save(tx, ctx, found, applyToProfile(before, changes), before)
}

async function save(tx: Tx, ctx: Context, { locked }: Found, next: Profile, before?: Profile): Promise<void> {
  checkUserName(next)
  await changePerson(tx, locked, next, before)
  await storeProfile(tx, locked.target.id, next)
  if (next.active !== undefined) await setActive(tx, ctx, locked, next.active)
}

/** Deleted users are deactivated here, and gone for the provider. */
export async function deleteScimUser(tx: Tx, ctx: Context, id: number): Promise<void> {
  const { locked, user } = await accessScimUser(tx, id)
  await setActive(tx, ctx, locked, false)
  await storeProfile(tx, id, profileOf(user), true)
}

interface Found {
  locked: LockedAccount
  user: ScimUser
}

async function accessScimUser(tx: Tx, id: number): Promise<Found> {
  if (!(await findScimUser(tx.db, tx.realmId, id))) throw new NoSuchResource()
  const locked = await accessPerson(tx, id)
  const user = await findScimUser(tx.db, tx.realmId, id) // as it is under the lock
  if (!user) throw new NoSuchResource()
  return { locked, user }
}

function checkUserName({ userName }: Profile): void {
  if (!userName) throw new ScimError('userName is required.', 'invalidValue')
}

async function changePerson(tx: Tx, { actor, target }: LockedAccount, next: Profile, before?: Profile): Promise<void> {
  const email = await changedEmail(tx, { actor, target }, emailOf(next, before))
  const claimed = fullNameOf(next, before)
  const name = claimed === undefined || claimed === target.full_name ? undefined : usableName(claimed, target.email)
  const isRenamed = name !== undefined && name !== target.full_name
  if (isRenamed) await rename(tx, actor.realm, target, await accessName(tx, actor.realm, target.id, name))
  if (email !== undefined) await changeEmail(tx, actor.realm, target, email)
  const changed = [...(isRenamed ? ['full_name'] : []), ...(email === undefined ? [] : ['new_email'])]
  if (changed.length > 0) await tx.audit(null, 'user_updated', { user_id: target.id, changed })
}

/**
 * Undefined if it stays. Owners change theirs themselves: with the email comes the password, and a token that leaks must
 * not be enough to take over the organization.
 */
async function changedEmail(
  tx: Tx,
  { actor, target }: Pick<LockedAccount, 'actor' | 'target'>,
  wanted: string,
): Promise<string | undefined> {
  if (emailKey(wanted.trim()) === emailKey(target.email)) return undefined
  if (target.role === roles.owner) throw new ScimError('Only the owner can change the email of an owner.', 'mutability')
  const email = await accessAllowedEmail(tx.db, actor.realm, wanted)
  const other = tx.db
    .selectFrom('users')
    .select('id')
    .where(matches({ realm_id: tx.realmId, email_key: emailKey(email) }))
  if (await other.executeTakeFirst()) throw conflict('Another user has this email.')
  return email
}

async function setActive(tx: Tx, ctx: Context, locked: LockedAccount, isActive: boolean): Promise<void> {
  if (await isSuspended(tx, locked.target.id)) {
    // A suspension ends at its time or by an administrator; what the provider ended stays so.
    if (!isActive) await forgetSuspension(tx, locked.target.id)
    return
  }
  if (locked.target.is_active === isActive) return
  if (isActive) return reactivatePerson(tx, locked)
  checkNotOnlyOwner(locked)
  await deactivateAccount(tx, ctx, locked)
}

/** Two users cannot have one user name. */
async function storeProfile(tx: Tx, user_id: number, profile: Profile, is_deleted = false): Promise<void> {
  const { userName, externalId, givenName, familyName } = profile
  const key = emailKey(userName!)
  const other = await maybeOne(tx.db)`
    select u.id from users u left join provisioned_users p on p.realm_id = u.realm_id and p.user_id = u.id
     where u.realm_id = ${tx.realmId} and u.id <> ${user_id} and coalesce(p.user_name_key, u.email_key) = ${key}`
  if (other) throw conflict('Another user has this user name.')
  const stored = {
    user_name: userName!,
    user_name_key: key,
    given_name: givenName ?? null,
    family_name: familyName ?? null,
  }
  const row = { ...stored, external_id: externalId ?? null, is_deleted }
  await tx.db
    .insertInto('provisioned_users')
    .values({ realm_id: tx.realmId, user_id, ...row })
    .onConflict((existing) => existing.columns(['realm_id', 'user_id']).doUpdateSet(row))
    .execute()
    .catch((error: { code?: string }) => {
      throw error.code === '23505' ? conflict('Another user has this user name.') : error
    })
}
