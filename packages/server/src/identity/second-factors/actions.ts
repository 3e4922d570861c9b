import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Vault } from '../../platform/secrets.ts'
import { readFactors, toApi } from './queries.ts'
import { codesForFirstFactor, deleteRecoveryCodes, replaceRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'
import { checkRemaining } from './requirement.ts'
import { currentStep, stepOf } from './totp.ts'

export class WrongCode extends ApiError {
  constructor() {
    super('This code is wrong or was used already. Wait for the next one and try again.', 'AUTHENTICATION_FAILED')
  }
}

/** A secret that the user is adding to an authenticator app. It travels through the form, and is stored when it works. */
interface Enrolment {
  userId: number
  secret: string
  until: number
}

const purpose = 'authenticator app'
const minutes = 15

export function sealEnrolment(vault: Vault, userId: number, secret: Buffer): string {
  const until = Date.now() + minutes * 60_000
  return vault.sealToken(purpose, { userId, secret: secret.toString('hex'), until } satisfies Enrolment)
}

export function openEnrolment(vault: Vault, userId: number, sealed: string): Buffer {
  const found = vault.openToken(purpose, sealed) as Enrolment | undefined
  if (found?.userId !== userId || found.until < Date.now())
    throw new ApiError('This took too long. Start again with a new QR code.')
  return Buffer.from(found.secret, 'hex')
}

/** Adds the authenticator app if the code proves that it has the secret. Returns recovery codes with the first factor. */
export async function addTotp(tx: Tx, vault: Vault, userId: number, secret: Buffer, code: string): Promise<string[]> {
  const step = stepOf(secret, digitsOf(code))
  if (step === undefined) throw new WrongCode()
  const own = { realm_id: tx.realmId, user_id: userId }
  const added = await tx.db
    .insertInto('totp_factors')
    .values({ ...own, secret_sealed: vault.seal(secret.toString('hex')), last_step: step })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (!added) throw new ApiError('You already have an authenticator app. Remove it first.')
  await tx.audit(userId, 'totp_added', { user_id: userId })
  await tx.enqueue('send_mail', { user_id: userId, template: 'second_factor_changed', change: 'totp_added' })
  return codesForFirstFactor(tx, userId)
}

/** For users who have used up or lost their recovery codes. */
export async function newRecoveryCodes(tx: Tx, user_id: number): Promise<string[]> {
  const { totp_added_at, passkeys } = await readFactors(tx.db, tx.realmId, user_id)
  if (!totp_added_at && passkeys === 0) throw new ApiError('Set up an authenticator app or a passkey first.')
  await tx.audit(user_id, 'recovery_codes_replaced', { user_id })
  await tx.enqueue('send_mail', { user_id, template: 'second_factor_changed', change: 'recovery_codes_replaced' })
  return replaceRecoveryCodes(tx, user_id)
}

export async function removeTotp(tx: Tx, realm: Realm, user_id: number): Promise<void> {
  const own = matches({ realm_id: tx.realmId, user_id })
  const { numDeletedRows } = await tx.db.deleteFrom('totp_factors').where(own).executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new ApiError('You have no authenticator app.')
  await checkRemaining(tx, realm, user_id)
  await tx.audit(user_id, 'totp_removed', { user_id })
  await tx.enqueue('send_mail', { user_id, template: 'second_factor_changed', change: 'totp_removed' })
}

/** For users who lost everything. They can sign in with their password again; `actorId` is null for the command line. */
export async function resetFactors(tx: Tx, actorId: number | null, user_id: number): Promise<void> {
  const before = await readFactors(tx.db, tx.realmId, user_id)
  if (!before.totp_added_at && before.passkeys === 0) throw new ApiError('This account has no second factor.')
  const own = matches({ realm_id: tx.realmId, user_id })
  await tx.db.deleteFrom('totp_factors').where(own).execute()
  await tx.db.deleteFrom('passkeys').where(own).execute()
  await deleteRecoveryCodes(tx, user_id)
  await tx.audit(actorId, 'second_factors_reset', { user_id }, { before: toApi(before), after: {} })
  await tx.enqueue('send_mail', { user_id, template: 'second_factor_changed', change: 'reset_by_administrator' })
}

/** Removes an authenticator app whose secret cannot be read. Without another factor, recovery codes protect nothing. */
export async function loseTotp(tx: Tx, user_id: number): Promise<void> {
  const own = matches({ realm_id: tx.realmId, user_id })
  await tx.db.deleteFrom('totp_factors').where(own).execute()
  const { passkeys } = await readFactors(tx.db, tx.realmId, user_id)
  if (passkeys === 0) await deleteRecoveryCodes(tx, user_id)
  await tx.audit(null, 'totp_removed', { user_id })
  await tx.enqueue('send_mail', { user_id, template: 'second_factor_changed', change: 'totp_removed' })
}

/** Uses a code of the authenticator app, or a recovery code. Throws if it is wrong or was used before. */
export async function useCode(tx: Tx, vault: Vault, userId: number, typed: string): Promise<void> {
  const code = digitsOf(typed)
  const isRight = /^\d{6}$/.test(code)
    ? await useTotp(tx, vault, userId, code)
    : await useRecoveryCode(tx, userId, code)
  if (!isRight) throw new WrongCode()
}

/** Codes are shown in groups; people type them with spaces or hyphens. */
function digitsOf(typed: string): string {
  return typed.replace(/[\s-]/g, '')
}

async function useTotp(tx: Tx, vault: Vault, user_id: number, code: string): Promise<boolean> {
  const own = { realm_id: tx.realmId, user_id }
  const factor = await tx.db.selectFrom('totp_factors').select('secret_sealed').where(matches(own)).executeTakeFirst()
  const secret = factor && Buffer.from(vault.open(factor.secret_sealed), 'hex')
  const step = secret && stepOf(secret, code, currentStep())
  if (step === undefined) return false
  const used = await maybeOne<{ last_step: number }>(tx.db)`
    update totp_factors set last_step = ${step}
     where realm_id = ${tx.realmId} and user_id = ${user_id} and last_step < ${step} returning last_step`
  return used !== undefined
}
