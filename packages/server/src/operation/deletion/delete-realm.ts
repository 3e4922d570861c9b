import pg from 'pg'
import { type Context, transactIn } from '../../context.ts'
import { deactivateRealm } from '../../organization/realms/deactivate-realm.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { tablesInOrder } from './tables.ts'

const rowsAtOnce = 5000

/** Called with what was deleted since the last call. */
export type Deleted = (count: number) => void

/** Refuses every request of the organization from now on, and its reactivation. Does nothing the second time. */
export async function beginDeletion(ctx: Context, realmId: number): Promise<void> {
  const realm = ctx.db.selectFrom('realms').select(['deactivated', 'deletion_started_at']).where('id', '=', realmId)
  const { deactivated, deletion_started_at } = await realm.executeTakeFirstOrThrow()
  if (deletion_started_at) return // what transactions need may be gone already
  await transactIn(ctx, realmId, async (tx) => {
    if (!deactivated) await deactivateRealm(tx, null)
    await tx.db.updateTable('realms').set({ deletion_started_at: new Date() }).where('id', '=', realmId).execute()
  })
}

export async function countRows(client: pg.Client, realmId: number): Promise<number> {
  let total = 0
  for (const { name } of await tablesInOrder(client)) {
    const { rows } = await client.query(
      `select count(*) as count from ${pg.escapeIdentifier(name)} where realm_id = $1`,
      [realmId],
    )
    total += Number(rows[0].count)
  }
  return total
}

/**
 * Deletes the rows of an organization in parts, so that no transaction is long. What a crash leaves is deleted by the next
 * call. `client` is the owner of the database: servers may not delete audit rows.
 */
export async function deleteRealmRows(client: pg.Client, realmId: number, deleted: Deleted): Promise<void> {
  for (const table of await tablesInOrder(client)) await deleteFrom(client, table, realmId, deleted)
}

/** The last step: until then, the row names what is still to be deleted. */
export async function endDeletion(client: pg.Client, realmId: number): Promise<void> {
  await client.query(`delete from jobs.jobs where payload ->> 'realm_id' = $1 and locked_at is null`, [String(realmId)])
  await client.query('delete from realms where id = $1', [realmId])
}

/** Rows that refer to each other are deleted in one statement; there are few. */
async function deleteFrom(
  client: pg.Client,
  { name, refersToItself }: { name: string; refersToItself: boolean },
  realmId: number,
  deleted: Deleted,
): Promise<void> {
  const table = pg.escapeIdentifier(name)
  const part = refersToItself
    ? ''
    : ` and ctid = any(array(select ctid from ${table} where realm_id = $1 limit ${rowsAtOnce}))`
  for (;;) {
    const { rowCount } = await client.query(`delete from ${table} where realm_id = $1${part}`, [realmId])
    if (!rowCount) return
    deleted(rowCount)
  }
}

/** The second part of every path in the file store is the number of the organization. */
export async function deleteRealmFiles(files: FileStore, realmId: number, deleted: Deleted): Promise<void> {
  for await (const { path } of files.list()) {
    if (path.split('/')[1] !== String(realmId)) continue
    await files.delete(path)
    deleted(1)
  }
}
