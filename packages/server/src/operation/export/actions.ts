import type { RealmExport } from '@parley/api/operation/export'
import { lockRealm } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { readExports } from './queries.ts'

const maxPerWeek = 5
const maxBytes = 20 * 1024 ** 3

export interface ExportRequest {
  acting_user_id: number
  export_type: RealmExport['export_type']
  base_url: string
}

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    export_realm: { export_id: number }
  }
}

export async function requestExport(tx: Tx, request: ExportRequest, maxMessages = 250_000): Promise<number> {
  await checkAllowance(tx, maxMessages)
  const { id } = await tx.db
    .insertInto('realm_exports')
    .values({ realm_id: tx.realmId, ...request })
    .returning('id')
    .executeTakeFirstOrThrow()
  // One at a time on the whole server, because exports are slow and must not take all job slots.
  await tx.enqueue('export_realm', { export_id: id }, { line: 'export_realm' })
  await tx.audit(request.acting_user_id, 'export_requested', { id, export_type: request.export_type })
  await emitExports(tx)
  return id
}

async function checkAllowance(tx: Tx, maxMessages: number): Promise<void> {
  // Lock the realm, so that concurrent requests cannot exceed the limit together.
  await lockRealm(tx)
  const { recent, messages, bytes } = await one<{ recent: number; messages: number; bytes: number }>(tx.db)`
    select (select count(*) from realm_exports
             where realm_id = ${tx.realmId} and requested_at > now() - interval '7 days') as recent,
           (select count(*) from (select from messages where realm_id = ${tx.realmId} limit ${maxMessages + 1}) m) as messages,
           (select coalesce(sum(size), 0)::bigint from attachments where realm_id = ${tx.realmId}) as bytes`
  if (recent >= maxPerWeek) throw new ApiError('Exceeded rate limit: at most five exports in seven days.')
  if (messages > maxMessages || bytes > maxBytes)
    throw new ApiError("The organization is too large for this; ask the server's operator for a manual export.")
}

export async function deleteExport(tx: Tx, actorId: number, id: number): Promise<void> {
  const row = await lockExport(tx, id)
  if (!row) throw new ApiError('Invalid data export ID')
  if (row.deleted_at) throw new ApiError('Export already deleted')
  if (row.failed_at) throw new ApiError('Export failed, nothing to delete')
  if (!row.succeeded_at) throw new ApiError('Export still in progress')
  await removeExport(tx, row)
  await tx.audit(actorId, 'export_deleted', { id })
}

export function lockExport(tx: Tx, id: number) {
  return tx.db
    .selectFrom('realm_exports')
    .selectAll()
    .where(matches({ realm_id: tx.realmId, id }))
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Marks an export as deleted. A job deletes its file. */
export async function removeExport(tx: Tx, { id, path }: { id: number; path: string | null }): Promise<void> {
  await tx.db
    .updateTable('realm_exports')
    .set({ deleted_at: new Date() })
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
  if (path !== null) await tx.enqueue('delete_file', { path })
  await emitExports(tx)
}

/** Emits the list of all exports. Locks the counter before reading, so that no other change can commit in between. */
export async function emitExports(tx: Tx): Promise<void> {
  await tx.position()
  tx.emit({ type: 'realm_export', exports: await readExports(tx.db, tx.realmId) }, { admins: true })
}
