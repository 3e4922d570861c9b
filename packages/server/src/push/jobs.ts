import type { Context } from '../context.ts'
import { planDeliveries, realmsBehind } from './candidates.ts'

/** Looks for new messages, plans the notifications about them, and sends what is due. */
export async function notifyBrowsers({ db, webPush }: Pick<Context, 'db' | 'webPush'>): Promise<void> {
  for (const realmId of await realmsBehind(db)) while (await planDeliveries(db, realmId));
  await webPush.resume()
}
