import { type Commits, transactIn } from '../../../context.ts'
import { column } from '../../../platform/db/query.ts'
import { removeExpiredBatch } from './actions.ts'

/** Deletes uploads that nobody continued, and the records of finished ones. */
export async function removeExpiredUploads(ctx: Commits): Promise<void> {
  const realmIds = await column<number>(ctx.db)`
    select distinct realm_id from resumable_uploads where expires_at < now()`
  for (const realmId of realmIds) while ((await transactIn(ctx, realmId, removeExpiredBatch)) > 0);
}
