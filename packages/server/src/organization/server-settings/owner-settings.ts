import type { ParamsOf } from '@parley/api/operation'
import type { updateOwnServer } from '@parley/api/organization/server-settings'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import type { Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { storeSettings } from './actions.ts'
import { readServerSettings } from './queries.ts'

/** Whether settings of the server concern nobody else. */
export async function isOnlyRealm(db: Db, realmId: number): Promise<boolean> {
  return !(await exists(db)`select 1 from realms where id <> ${realmId} and not deactivated`)
}

/** Changes what concerns the whole server, for the owner of its only organization. */
export async function changeAsOwner(tx: Tx, owner: Caller, changed: ParamsOf<typeof updateOwnServer>): Promise<void> {
  if (changed.maintenance?.trim() === '') throw new ApiError('Say what the maintenance is for: users read it.')
  const before = await readServerSettings(tx.db)
  const after = {
    maintenance: changed.maintenance === undefined ? before.maintenance : (changed.maintenance?.trim() ?? null),
    rate_limit: changed.rate_limit === undefined ? before.rate_limit : changed.rate_limit,
  }
  if (after.maintenance === before.maintenance && after.rate_limit === before.rate_limit) return
  if (!(await isOnlyRealm(tx.db, tx.realmId)))
    throw new ApiError(
      'Other organizations use this server, so only its operator can change this.',
      'PERMISSION_DENIED',
    )
  await storeSettings(tx.db, after)
  if (after.maintenance !== before.maintenance)
    tx.emit({ type: 'server_maintenance', text: after.maintenance }, { realm: 'everyone' })
  await tx.audit(owner.id, 'server_settings_changed', {}, { before, after })
}
