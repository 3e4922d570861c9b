import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { readSpaceUsed } from '../messages/model/attachments.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'

/** How many MiB the files of a realm may take together; null: any number. */
export type Quota = number | null

class QuotaExceeded extends ApiError {
  constructor() {
    super("Upload would exceed your organization's upload quota.", 'REALM_UPLOAD_QUOTA')
  }
}

export async function checkQuota(db: Db, realmId: number, size: number, quota: Quota): Promise<void> {
  if (quota !== null && (await readSpaceUsed(db, realmId)) + size > quota * 1024 * 1024) throw new QuotaExceeded()
}

/** Uploads of a realm go one after another from here, so that two cannot both take what is left for one. */
export async function lockQuota(tx: Tx, quota: Quota): Promise<void> {
  if (quota === null) return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`upload quota ${tx.realmId}`}, 0))`.execute(tx.db)
}
