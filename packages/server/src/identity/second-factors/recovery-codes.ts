import { randomBytes } from 'node:crypto'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { hashKey } from '../../platform/secrets.ts'
import { readFactors } from './queries.ts'
import { base32 } from './totp.ts'

const count = 10

/** Replaces the recovery codes of a user. Each has 80 random bits; they are shown once. */
export async function replaceRecoveryCodes(tx: Tx, userId: number): Promise<string[]> {
  const codes = Array.from({ length: count }, () => base32(randomBytes(10)).toLowerCase())
  const own = { realm_id: tx.realmId, user_id: userId }
  await deleteRecoveryCodes(tx, userId)
  const rows = codes.map((code) => ({ ...own, code_hash: hashOf(userId, code) }))
  await tx.db.insertInto('recovery_codes').values(rows).execute()
  return codes.map((code) => code.replace(/.{4}(?=.)/g, '$&-'))
}

/** Recovery codes come with the first second factor. Later ones change nothing. */
export async function codesForFirstFactor(tx: Tx, userId: number): Promise<string[]> {
  const { recovery_codes } = await readFactors(tx.db, tx.realmId, userId)
  return recovery_codes > 0 ? [] : replaceRecoveryCodes(tx, userId)
}

export async function deleteRecoveryCodes(tx: Tx, user_id: number): Promise<void> {
  await tx.db
    .deleteFrom('recovery_codes')
    .where(matches({ realm_id: tx.realmId, user_id }))
    .execute()
}

/** Whether the code was valid. It is no longer: of two concurrent uses one succeeds. */
export async function useRecoveryCode(tx: Tx, user_id: number, code: string): Promise<boolean> {
  const used = matches({ realm_id: tx.realmId, user_id, code_hash: hashOf(user_id, code) })
  const { numDeletedRows } = await tx.db.deleteFrom('recovery_codes').where(used).executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await tx.audit(user_id, 'recovery_code_used', { user_id })
  await tx.enqueue('send_mail', { user_id, template: 'second_factor_changed', change: 'recovery_code_used' })
  return true
}

function hashOf(userId: number, code: string): Buffer {
  return hashKey(`recovery code ${userId} ${code.toLowerCase()}`)
}
