import type { Tx } from '../events/transact.ts'
import { lockRealm } from '../realms/update.ts'
import { checkAccess, reloadCaller } from './authenticate.ts'
import type { Caller } from './caller.ts'

/** An administrator who changes how the organization is set up; such changes happen one at a time. */
export async function accessOrganization(tx: Tx, caller: Caller): Promise<Caller> {
  await lockRealm(tx)
  const actor = await reloadCaller(tx.db, caller)
  checkAccess('admin', actor)
  return actor
}
