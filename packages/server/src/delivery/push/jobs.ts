import type { Context } from '../../context.ts'
import { planDeliveries, readBacklog } from './candidates.ts'

/**
 * Looks for new messages, plans the notifications about them, and sends what is due. Returns false if no browser is
 * registered.
 */
export async function notifyBrowsers({ db, webPush }: Pick<Context, 'db' | 'webPush'>): Promise<boolean> {
  const { realm_ids, has_due, is_in_use } = await readBacklog(db)
  for (const realmId of realm_ids) while (await planDeliveries(db, realmId));
  if (has_due || realm_ids.length > 0) await webPush.resume()
  return is_in_use
}
