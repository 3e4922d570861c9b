import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { isAdmin } from '../groups/permission.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Vault } from '../platform/secrets.ts'
import type { Caller } from '../users/caller.ts'
import { changeEmail } from '../users/change-user.ts'
import { accessAllowedEmail, accessNewEmail } from '../users/email-rules.ts'
import { accessOwnAccount } from '../users/own-settings.ts'
import { countEmailRequest } from './attempt-limit.ts'

/** An address that somebody wants, and has not yet shown to be theirs. */
export interface EmailChange {
  id: number
  user_id: number
  new_email: string
}

export class DeadLink extends ApiError {
  constructor() {
    super('This link was used already, or is too old. Ask for a new one in your settings.', 'NOT_FOUND')
  }
}

/** What the link in a mail holds. Nothing is stored: only we can make it. */
export function confirmationToken(vault: Vault, realmId: number, changeId: number): string {
  return vault.seal(`email change ${realmId} ${changeId}`).toString('base64url')
}

function idInToken(vault: Vault, realmId: number, token: string): number {
  try {
    const [, realm, id] = /^email change (\d+) (\d+)$/.exec(vault.open(Buffer.from(token, 'base64url'))) ?? []
    if (Number(realm) === realmId) return Number(id)
  } catch {
    // not one of ours
  }
  throw new DeadLink()
}

/** What a link stands for, while it can be followed: for a day, until it was, or until another one was asked for. */
export async function accessEmailChange(db: Db, vault: Vault, realmId: number, token: string): Promise<EmailChange> {
  const { rows } = await sql<EmailChange>`
    select id, user_id, new_email from email_changes
     where realm_id = ${realmId} and id = ${idInToken(vault, realmId, token)}
       and requested_at > now() - interval '1 day'`.execute(db)
  if (!rows[0]) throw new DeadLink()
  return rows[0]
}

function checkMayChangeEmail(caller: Caller): void {
  if (caller.realm.settings.email_changes_disabled && !isAdmin(caller))
    throw new ApiError('Email address changes are disabled in this organization.')
}

/**
 * Stores which email a user wants; it is theirs once they follow the link that is sent there. Whether another account
 * has it is checked only then: the answer here would tell any user who has an account.
 */
export async function requestEmail(tx: Tx, caller: Caller, wanted: string): Promise<number | undefined> {
  if (wanted.trim() === caller.email) return undefined
  checkMayChangeEmail(caller)
  const new_email = await accessAllowedEmail(tx.db, caller.realm, wanted)
  await countEmailRequest(tx.db, tx.realmId, caller.id)
  const { rows } = await sql<{ id: number }>`
    insert into email_changes (realm_id, user_id, new_email) values (${tx.realmId}, ${caller.id}, ${new_email})
    on conflict (realm_id, user_id) do update set new_email = excluded.new_email, requested_at = now(), id = default
    returning id`.execute(tx.db)
  await tx.audit(caller.id, 'email_change_requested', { user_id: caller.id })
  return rows[0]!.id
}

/** Follows a link: the address is checked again, for a day may have passed. Returns whose it is and what it was. */
export async function confirmEmail(
  tx: Tx,
  vault: Vault,
  token: string,
): Promise<{ user_id: number; old_email: string }> {
  const { id, user_id, new_email } = await accessEmailChange(tx.db, vault, tx.realmId, token)
  const { caller, user } = await accessOwnAccount(tx, { realm_id: tx.realmId, id: user_id })
  const { rows } =
    await sql`delete from email_changes where realm_id = ${tx.realmId} and id = ${id} returning 1`.execute(tx.db)
  if (rows.length === 0) throw new DeadLink() // somebody was quicker
  checkMayChangeEmail(caller)
  await changeEmail(tx, caller.realm, user, await accessNewEmail(tx.db, caller.realm, new_email))
  await tx.audit(user_id, 'email_changed', { user_id })
  return { user_id, old_email: user.email }
}
