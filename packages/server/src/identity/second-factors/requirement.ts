import type { Realm } from '../../callers/realm-state.ts'
import type { Tx } from '../../events/transact.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { readFactors } from './queries.ts'
import { deleteRecoveryCodes } from './recovery-codes.ts'

export interface Requirement {
  from: Date
  /** The grace period is over. */
  isDue: boolean
}

/** From when on the organization requires a second factor of users who sign in with a password. */
export function requirementOf({ settings }: Pick<Realm, 'settings'>, now = Date.now()): Requirement | undefined {
  const from = settings.second_factor_required_from * 1000
  return from === 0 ? undefined : { from: new Date(from), isDue: from <= now }
}

/** Recovery codes end with the last factor, which stays if the organization requires one. */
export async function checkRemaining(tx: Tx, realm: Realm, userId: number): Promise<void> {
  const { totp_added_at, passkeys } = await readFactors(tx.db, tx.realmId, userId)
  if (totp_added_at !== null || passkeys > 0) return
  if (requirementOf(realm))
    throw new ApiError(
      `${realm.name} requires two-step sign-in. Add another passkey or app before you remove this one.`,
    )
  await deleteRecoveryCodes(tx, userId)
}
