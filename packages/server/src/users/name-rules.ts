import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { many } from '../platform/db/query.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { foldCase } from '../platform/text.ts'
import type { Realm } from '../realms/state.ts'
import { checkFullName } from './account-fields.ts'

/** A name that the account may have. `userId` is null for an account to be created. */
export async function accessName(tx: Tx, realm: Realm, userId: number | null, name: string): Promise<string> {
  const full_name = checkFullName(name)
  if (realm.settings.require_unique_names) await checkUnique(tx, userId, full_name)
  return full_name
}

/** Locks the realm, so that two concurrent requests cannot take the same name. */
async function checkUnique(tx: Tx, userId: number | null, name: string): Promise<void> {
  await sql`select 1 from realms where id = ${tx.realmId} for no key update`.execute(tx.db)
  const rows = await many<{ full_name: string }>(tx.db)`
    select full_name from users where realm_id = ${tx.realmId} and id is distinct from ${userId}`
  const key = foldCase(name)
  if (rows.some(({ full_name }) => foldCase(full_name) === key))
    throw new ApiError('Unique names required in this organization.')
}
