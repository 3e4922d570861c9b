import { checkAccess, reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import { lockRealm } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'

/** The administrator who changes the organization. Locks the realm, so that such changes run one at a time. */
export async function accessOrganization(tx: Tx, caller: Caller): Promise<Caller> {
  await lockRealm(tx)
  const actor = await reloadCaller(tx.db, caller)
  checkAccess('admin', actor)
  return actor
}
