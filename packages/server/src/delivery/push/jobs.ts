import type { Context } from '../../context.ts'
import { planDeliveries, readBacklog } from './candidates.ts'
import { planRemovals } from './removals.ts'

/**
 * Looks for new messages, plans the notifications about them, closes those that ended, and sends what is due. Returns false if no browser is
 * registered.
 */
export async function notifyBrowsers(ctx: Pick<Context, 'db' | 'webPush' | 'realms'>): Promise<boolean> {
  const { db, webPush } = ctx
  const { realm_ids, changed_realm_ids, has_due, is_in_use } = await readBacklog(db)
  for (const realmId of realm_ids) while (await planDeliveries(db, realmId));
  for (const realmId of changed_realm_ids) while (await planRemovals(ctx, realmId));
  if (has_due || realm_ids.length > 0 || changed_realm_ids.length > 0) await webPush.resume()
  return is_in_use
}
