import type { Caller } from '../../callers/caller.ts'
import { isSession } from '../../callers/credential.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hashKey, newKey, type Vault } from '../../platform/secrets.ts'
import { limitGuesses } from './attempt-limit.ts'
import { checkNewPassword } from './password-strength.ts'
import { checkPassword, hashingOwner, hashPassword } from './passwords.ts'

class WrongPassword extends ApiError {
  constructor() {
    super('Wrong password!')
  }
}

export async function hasPassword(db: Db, { realm_id, id }: Caller): Promise<boolean> {
  return (await readPasswordHash(db, realm_id, id)) !== null
}

async function readPasswordHash(db: Db, realm_id: number, id: number): Promise<string | null> {
  const own = db.selectFrom('users').select('password_hash').where(matches({ realm_id, id }))
  return (await own.executeTakeFirstOrThrow()).password_hash
}

/**
 * Asks for the password again before a change that a stolen session must not be able to make. Users without one must
 * have signed in just now.
 */
export async function confirmIdentity(
  { db, config }: Pick<Context, 'db' | 'config'>,
  caller: Caller,
  password: string,
  network: string,
): Promise<void> {
  if (!(await hasPassword(db, caller))) return checkRecentSession(db, caller)
  const attempt = attemptOf(caller, network, config)
  await limitGuesses(db, attempt, WrongPassword, () => checkOwnPassword(db, caller, password))
}

/** A stolen session must not get credentials that outlive it. Requests with an API key or a token are not asked. */
export async function confirmSession(
  ctx: Pick<Context, 'db' | 'config'>,
  caller: Caller,
  password = '',
  network: string,
): Promise<void> {
  if (!isSession(caller)) return
  // Not counted as a guess: clients ask for the password when they get this code.
  if (password === '' && (await hasPassword(ctx.db, caller)))
    throw new ApiError('Confirm this with your password.', 'PASSWORD_REQUIRED')
  await confirmIdentity(ctx, caller, password, network)
}

async function checkRecentSession(db: Db, { realm_id, credential }: Caller): Promise<void> {
  const isRecent = await exists(db)`
    select 1 from credentials
     where realm_id = ${realm_id} and id = ${credential?.id ?? 0} and created_at > now() - interval '10 minutes'`
  if (!isRecent) throw new ApiError('You signed in too long ago for this change. Sign out, sign in and try again.')
}

function attemptOf({ realm_id: realmId, email }: Caller, network: string, { signInFailures }: Context['config']) {
  return { realmId, emailKey: emailKey(email), network, failuresPerAddress: signInFailures }
}

/** The hash of the new password. Throws if the old one is wrong; guesses are limited like sign-in attempts. */
export async function accessNewPassword(
  { db, config }: Pick<Context, 'db' | 'config'>,
  caller: Caller,
  params: { old_password: string; new_password: string },
  network: string,
): Promise<string> {
  const attempt = attemptOf(caller, network, config)
  await limitGuesses(db, attempt, WrongPassword, () => checkOwnPassword(db, caller, params.old_password))
  await checkNewPassword(config.mode, params.new_password, [caller.email, caller.full_name])
  return hashPassword(params.new_password, hashingOwner(caller))
}

async function checkOwnPassword(db: Db, caller: Caller, password: string): Promise<void> {
  const password_hash = await readPasswordHash(db, caller.realm_id, caller.id)
  if (!(await checkPassword(password_hash, password, hashingOwner(caller)))) throw new WrongPassword()
}

/** Links to reset the old password end with it. */
export async function changePassword(tx: Tx, id: number, password_hash: string, actorId: number | null): Promise<void> {
  await tx.db
    .updateTable('users')
    .set({ password_hash })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  await tx.db.deleteFrom('password_resets').where('realm_id', '=', tx.realmId).where('user_id', '=', id).execute()
  await tx.audit(actorId, 'password_changed', { user_id: id })
}

/** Replaces an API key. The internal event drops the realm's caches, and with them the callers of the old key. */
export async function replaceKey(tx: Tx, vault: Vault, id: number, actorId: number | null): Promise<string> {
  const key = newKey()
  await tx.db
    .updateTable('users')
    .set({ api_key_hash: hashKey(key), api_key_sealed: vault.seal(key) })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  // Browsers that were registered with the key. Those of sessions end with their session.
  await tx.db
    .deleteFrom('web_push_subscriptions')
    .where(matches({ realm_id: tx.realmId, user_id: id, credential_id: null }))
    .execute()
  // Links that would still give the account to a thief of the old key, and devices that would still get notifications.
  const own = matches({ realm_id: tx.realmId, user_id: id })
  await tx.db.deleteFrom('email_changes').where(own).execute()
  await tx.db.deleteFrom('password_resets').where(own).execute()
  await tx.db.deleteFrom('push_tokens').where(own).execute()
  tx.emitInternal({ access: true })
  await tx.audit(actorId, 'key_replaced', { user_id: id })
  return key
}
