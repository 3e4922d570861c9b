import { sql } from 'kysely'
import { type Commits, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { many } from '../../platform/db/query.ts'
import { type Removed, removeFiles } from './actions.ts'

const weeks = 4
const batchSize = 100

/** Deletes old files that were never used in a message and are not used in unsent text. */
export async function removeUnclaimed(ctx: Commits): Promise<void> {
  const rows = await many<{ realm_id: number }>(ctx.db)`
    select distinct a.realm_id from attachments a where ${isUnclaimed}`
  for (const { realm_id } of rows) while ((await transactIn(ctx, realm_id, removeBatch)) === batchSize);
}

/** The path of file `a` without its name, which is encoded in some links. */
const place = sql`regexp_replace(a.path_id, '[^/]*$', '')`

/** Whether no draft, scheduled message or saved snippet links to file `a`. */
const isInNoText = sql`
  not exists (select 1 from drafts d where d.realm_id = a.realm_id and strpos(d.content, ${place}) > 0)
  and not exists (select 1 from scheduled_messages s where s.realm_id = a.realm_id and strpos(s.content, ${place}) > 0)
  and not exists (select 1 from saved_snippets n where n.realm_id = a.realm_id and strpos(n.content, ${place}) > 0)`

/** Files that once were in a message are kept; owners find them in the list of their files. */
const isUnclaimed = sql`
  not a.is_claimed and a.create_time < now() - make_interval(weeks => ${sql.lit(weeks)}) and ${isInNoText}`

async function removeBatch(tx: Tx): Promise<number> {
  const rows = await many<Removed>(tx.db)`
    select a.id, a.owner_id, a.path_id, a.thumbnails from attachments a
     where a.realm_id = ${tx.realmId} and ${isUnclaimed}
     order by a.id limit ${batchSize} for update`
  if (rows.length > 0) await removeFiles(tx, rows)
  return rows.length
}

/** Deletes those of the given files to which no message links any more. */
export async function removeReleased(tx: Tx, ids: number[]): Promise<void> {
  const rows = await many<Removed>(tx.db)`
    select a.id, a.owner_id, a.path_id, a.thumbnails from attachments a
     where a.realm_id = ${tx.realmId} and a.id = any(${ids}::bigint[]) and ${isInNoText}
       and not exists (select 1 from attachment_messages l where l.realm_id = a.realm_id and l.attachment_id = a.id)
     order by a.id for update`
  if (rows.length > 0) await removeFiles(tx, rows)
}
