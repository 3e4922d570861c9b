import { featureLevel } from '@parley/api/common'
import { type Commits, transactIn } from '../../context.ts'
import { beginEpoch } from '../../events/following/log-epochs.ts'
import type { Database } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { silence } from '../../platform/jobs/heartbeat.ts'

export const version = { zulip_version: '10.4', zulip_feature_level: featureLevel, zulip_merge_base: '' }

/**
 * Starts a new server generation unless processes of this version are already serving. Emits a `restart` event to the
 * clients whose queues were registered with the previous generation. Nobody can know what happened to the database since
 * then, so each log begins a new epoch.
 */
export async function beginGeneration(ctx: Commits): Promise<void> {
  const server_generation = await nextGeneration(ctx.db)
  if (server_generation === undefined) return
  const realms = await ctx.db.selectFrom('queues').select('realm_id').distinct().execute()
  for (const { realm_id } of realms)
    await transactIn(ctx, realm_id, async (tx) => {
      await beginEpoch(tx.db, realm_id)
      tx.emit({ type: 'restart', ...version, server_generation }, { realm: 'everyone' })
    })
}

async function nextGeneration(db: Database): Promise<number | undefined> {
  const name = `${version.zulip_version} (${featureLevel})`
  const row = await maybeOne<{ generation: number }>(db)`
    update server_generation
       set version = ${name}, generation = greatest(generation + 1, extract(epoch from now())::bigint)
     where version <> ${name}
        or not exists (select from processes where serves and seen_at > now() - ${silence}::interval)
    returning generation`
  return row?.generation
}
