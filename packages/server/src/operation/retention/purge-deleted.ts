import { restorableDays } from '@parley/api/limits'
import { sql } from 'kysely'
import { type Commits, transactIn } from '../../context.ts'
import { removeReleased } from '../../conversations/uploads/unclaimed.ts'
import type { Tx } from '../../events/transact.ts'
import { column, many } from '../../platform/db/query.ts'
import { isExpired, realmDays } from './queries.ts'

const batchSize = 1000

/**
 * Deletes for good what was deleted long ago, and what is older than the retention period of its channel or
 * organization. In the second case also the files that no message links to.
 */
export async function purgeDeleted(ctx: Commits): Promise<void> {
  const old = sql`deleted_at < now() - make_interval(days => ${sql.lit(restorableDays)})`
  await sql`delete from deleted_messages where ${old}`.execute(ctx.db)
  for (const realmId of await column<number>(ctx.db)`select distinct m.realm_id ${expired}`)
    while ((await transactIn(ctx, realmId, purgeExpired)) === batchSize);
}

const expired = sql`
  from deleted_messages m join realms r on r.id = m.realm_id
  left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
  left join channels c on c.realm_id = m.realm_id and c.id = coalesce(t.channel_id, m.channel_id)
 where not r.deactivated and ${isExpired(sql`m.date_sent`, sql`coalesce(c.message_retention_days, ${realmDays})`)}`

async function purgeExpired(tx: Tx): Promise<number> {
  const rows = await many<{ files: number[] }>(tx.db)`
    delete from deleted_messages d
     where d.realm_id = ${tx.realmId}
       and d.id in (select m.id ${expired} and m.realm_id = ${tx.realmId} limit ${batchSize})
    returning array(select (f ->> 'attachment_id')::bigint from jsonb_array_elements(d.parts -> 'files') f) as files`
  await removeReleased(tx, [...new Set(rows.flatMap(({ files }) => files))])
  return rows.length
}
