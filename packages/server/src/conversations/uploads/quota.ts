import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Config } from '../../config.ts'
import type { Tx } from '../../events/transact.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { readSpaceUsed } from '../messages/model/attachments.ts'

/** Upload quota of a realm in MiB; null means unlimited. */
export type Quota = number | null

/** What the operator has set for the organization, or else for all. */
export function quotaOf({ uploadQuota }: Config, { upload_quota_mib }: Realm): Quota {
  return upload_quota_mib === null ? uploadQuota : upload_quota_mib || null
}

class QuotaExceeded extends ApiError {
  constructor() {
    super("Upload would exceed your organization's upload quota.", 'REALM_UPLOAD_QUOTA')
  }
}

export async function checkQuota(db: Db, realmId: number, size: number, quota: Quota): Promise<void> {
  if (quota !== null && (await readSpaceUsed(db, realmId)) + size > quota * 1024 * 1024) throw new QuotaExceeded()
}

/** Serializes the uploads of a realm, so that concurrent ones cannot exceed the quota together. */
export async function lockQuota(tx: Tx, quota: Quota): Promise<void> {
  if (quota === null) return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`upload quota ${tx.realmId}`}, 0))`.execute(tx.db)
}
