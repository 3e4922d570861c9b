import type { Db } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { hashKey, newKey, type Vault } from '../platform/secrets.ts'
import { foldCase } from '../platform/text.ts'
import type { Caller } from './caller.ts'
import { countSignIn } from './login-limit.ts'
import { checkNewPassword } from './password-strength.ts'
import { checkPassword, hashPassword } from './passwords.ts'

/** The hash of a new password, if the old one is right. Guessing it is limited like signing in. */
export async function accessNewPassword(
  db: Db,
  caller: Caller,
  wanted: { old_password: string; new_password: string },
  network: string,
): Promise<string> {
  const takeBack = await countSignIn(db, caller.realm_id, foldCase(caller.email), network)
  const { password_hash } = await db
    .selectFrom('users')
    .select('password_hash')
    .where('realm_id', '=', caller.realm_id)
    .where('id', '=', caller.id)
    .executeTakeFirstOrThrow()
  if (!(await checkPassword(password_hash, wanted.old_password))) throw new ApiError('Wrong password!')
  await takeBack()
  checkNewPassword(wanted.new_password, [caller.email, caller.full_name])
  return hashPassword(wanted.new_password)
}

export async function changePassword(tx: Tx, { id }: Caller, password_hash: string): Promise<void> {
  await tx.db
    .updateTable('users')
    .set({ password_hash })
    .where('realm_id', '=', tx.realmId)
    .where('id', '=', id)
    .execute()
  await tx.audit(id, 'password_changed', { user_id: id })
}

/** Replaces the key. What was remembered for the old one is dropped with everything else about the realm. */
export async function replaceKey(tx: Tx, vault: Vault, { id }: Caller): Promise<string> {
  const key = newKey()
  await tx.db
    .updateTable('users')
    .set({ api_key_hash: hashKey(key), api_key_sealed: vault.seal(key) })
    .where('realm_id', '=', tx.realmId)
    .where('id', '=', id)
    .execute()
  tx.emitInternal({ access: true })
  await tx.audit(id, 'key_replaced', { user_id: id })
  return key
}
