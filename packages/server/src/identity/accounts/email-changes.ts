import { isAdmin } from '@parley/api/permissions'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { changeEmail } from '../../people/users/change-user.ts'
import { accessAllowedEmail, accessNewEmail } from '../../people/users/profile/email-rules.ts'
import { accessOwnAccount } from '../../people/users/settings/own-settings.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { maybeOne, one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Vault } from '../../platform/secrets.ts'
import { countEmailRequest } from '../passwords/attempt-limit.ts'

/** A requested email address that the user has not confirmed yet. */
export interface EmailChange {
  id: number
  user_id: number
  new_email: string
}

/** What the user is shown of it. */
interface PendingEmail {
  new_email: string
  expires_at: number
}

class NoEmailChange extends ApiError {
  constructor() {
    super('You have not requested another email, or its link has expired.', 'NOT_FOUND')
  }
}

export class DeadLink extends ApiError {
  constructor() {
    super('This link has expired or was already used. Request a new one in your settings.', 'NOT_FOUND')
  }
}

/** The token in the confirmation link. Not stored: it is encrypted, so that only the server can create one. */
export function confirmationToken(vault: Vault, realmId: number, changeId: number): string {
  return vault.sealToken('email change', { realmId, changeId })
}

function idInToken(vault: Vault, realmId: number, token: string): number {
  const content = vault.openToken('email change', token) as { realmId: number; changeId: number } | undefined
  if (content?.realmId !== realmId) throw new DeadLink()
  return content.changeId
}

const isValid = sql`requested_at > now() - interval '1 day'`

/** The change behind a link. Links are valid for one day, until they are used or another one is requested. */
export async function accessEmailChange(db: Db, vault: Vault, realmId: number, token: string): Promise<EmailChange> {
  const row = await maybeOne<EmailChange>(db)`
    select id, user_id, new_email from email_changes
     where realm_id = ${realmId} and id = ${idInToken(vault, realmId, token)} and ${isValid}`
  if (!row) throw new DeadLink()
  return row
}

function checkMayChangeEmail(caller: Caller): void {
  if (caller.realm.settings.email_changes_disabled && !isAdmin(caller))
    throw new ApiError('Email address changes are disabled in this organization.')
}

/**
 * Stores the requested email, which takes effect when the user confirms the link sent to it. Whether another account
 * has that email is checked only then: checking here would reveal to any user who has an account.
 */
export async function requestEmail(tx: Tx, caller: Caller, email: string): Promise<number | undefined> {
  if (email.trim() === caller.email) return undefined
  checkMayChangeEmail(caller)
  const new_email = await accessAllowedEmail(tx.db, caller.realm, email)
  await countEmailRequest(tx.db, tx.realmId, caller.id)
  const { id } = await one<{ id: number }>(tx.db)`
    insert into email_changes (realm_id, user_id, new_email) values (${tx.realmId}, ${caller.id}, ${new_email})
    on conflict (realm_id, user_id) do update set new_email = excluded.new_email, requested_at = now(), id = default
    returning id`
  await tx.audit(caller.id, 'email_change_requested', { user_id: caller.id })
  return id
}

/** What the user has requested and can still confirm. */
export async function readEmailChange(db: Db, { realm_id, id }: Caller): Promise<PendingEmail | undefined> {
  return maybeOne<PendingEmail>(db)`
    select new_email, extract(epoch from requested_at + interval '1 day')::int as expires_at from email_changes
     where realm_id = ${realm_id} and user_id = ${id} and ${isValid}`
}

/** Starts the day again, with another id, so that the links in earlier emails stop working. */
export async function renewEmailChange(tx: Tx, caller: Caller): Promise<number> {
  checkMayChangeEmail(caller)
  const renewed = await maybeOne<{ id: number }>(tx.db)`
    update email_changes set requested_at = now(), id = default
     where realm_id = ${tx.realmId} and user_id = ${caller.id} and ${isValid} returning id`
  if (!renewed) throw new NoEmailChange()
  await countEmailRequest(tx.db, tx.realmId, caller.id)
  await tx.audit(caller.id, 'email_change_requested', { user_id: caller.id })
  return renewed.id
}

export async function cancelEmailChange(tx: Tx, { id: user_id }: Caller): Promise<void> {
  const own = tx.db.deleteFrom('email_changes').where(matches({ realm_id: tx.realmId, user_id }))
  const { numDeletedRows } = await own.executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new NoEmailChange()
  await tx.audit(user_id, 'email_change_cancelled', { user_id })
}

/** Applies the change behind a link. Checks the email again, because up to a day may have passed. */
export async function confirmEmail(
  tx: Tx,
  vault: Vault,
  token: string,
): Promise<{ user_id: number; old_email: string }> {
  const { id, user_id, new_email } = await accessEmailChange(tx.db, vault, tx.realmId, token)
  const { caller, user } = await accessOwnAccount(tx, { realm_id: tx.realmId, id: user_id })
  const confirmed = tx.db.deleteFrom('email_changes').where(matches({ realm_id: tx.realmId, id }))
  const { numDeletedRows } = await confirmed.executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new DeadLink() // a concurrent request confirmed it first
  checkMayChangeEmail(caller)
  await changeEmail(tx, caller.realm, user, await accessNewEmail(tx.db, caller.realm, new_email))
  await tx.audit(user_id, 'email_changed', { user_id })
  return { user_id, old_email: user.email }
}
