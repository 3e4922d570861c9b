import type { Realm } from '../../../callers/realm-state.ts'
import { lockRealm } from '../../../events/lock-row.ts'
import type { Tx } from '../../../events/transact.ts'
import { columnOf } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { foldCase } from '../../../platform/text.ts'
import { checkFullName } from './account-fields.ts'

/** A name that the account may have. `userId` is null for an account to be created. */
export async function accessName(tx: Tx, realm: Realm, userId: number | null, name: string): Promise<string> {
  const full_name = checkFullName(name)
  if (realm.settings.require_unique_names) await checkUnique(tx, userId, full_name)
  return full_name
}

/** Locks the realm, so that two concurrent requests cannot take the same name. */
async function checkUnique(tx: Tx, userId: number | null, name: string): Promise<void> {
  await lockRealm(tx)
  const others = tx.db.selectFrom('users').where('realm_id', '=', tx.realmId).where('id', 'is distinct from', userId)
  const names = await columnOf(others.select('full_name'))
  if (names.some((other) => foldCase(other) === foldCase(name)))
    throw new ApiError('Unique names required in this organization.')
}
