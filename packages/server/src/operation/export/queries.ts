import type { RealmExport } from '@parley/api/operation/export'
import { sql } from 'kysely'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { unixSeconds } from '../../platform/text.ts'

/** All exports, including deleted and failed ones, oldest first. */
export async function readExports(db: Db, realmId: number): Promise<RealmExport[]> {
  const rows = await db.selectFrom('realm_exports').selectAll().where('realm_id', '=', realmId).orderBy('id').execute()
  return rows.map((row) => ({
    id: row.id,
    acting_user_id: row.acting_user_id,
    export_time: unixSeconds(row.requested_at),
    export_url: row.succeeded_at === null || row.deleted_at !== null ? null : `${row.base_url}/${row.path}`,
    deleted_timestamp: row.deleted_at && unixSeconds(row.deleted_at),
    failed_timestamp: row.failed_at && unixSeconds(row.failed_at),
    pending: row.succeeded_at === null && row.failed_at === null,
    export_type: row.export_type as RealmExport['export_type'],
  }))
}

/** Whether user `u` consents to the export of their private data. */
export const consents = sql<boolean>`coalesce((u.settings ->> 'allow_private_data_export')::boolean, false)`

export async function readConsents(db: Db, realmId: number): Promise<{ user_id: number; consented: boolean }[]> {
  return many<{ user_id: number; consented: boolean }>(db)`
    select u.id as user_id, ${consents} as consented from users u
     where u.realm_id = ${realmId} and u.is_active and u.bot_type is null order by u.id`
}

/** The finished export whose archive has this path in the file store. */
export function findArchive(db: Db, realmId: number, path: string): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('realm_exports')
    .select('id')
    .where(matches({ realm_id: realmId, path }))
    .where('succeeded_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}
