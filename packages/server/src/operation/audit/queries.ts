import type { ParamsOf } from '@parley/api/operation'
import type { AuditRow, getAuditLog } from '@parley/api/operation/audit-log'
import { sql } from 'kysely'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, many } from '../../platform/db/query.ts'

export type Filters = Omit<ParamsOf<typeof getAuditLog>, 'limit' | 'before'>

/** Rows with smaller ids than `before`, newest first. */
export function readAuditRows(
  db: Db,
  realmId: number,
  filters: Filters,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<AuditRow[]> {
  return many<AuditRow>(db)`
    select number as id, floor(extract(epoch from created_at))::bigint as time, action, acting_user_id as actor_id, actor_owner_id,
           via, credential_id, ip_address, target, before, after, encode(hash, 'hex') as hash
      from audit_log
     where realm_id = ${realmId} and number < ${before ?? Number.MAX_SAFE_INTEGER} and ${matching(filters)}
     order by number desc limit ${limit}`
}

const targetFields = { user: 'user_id', channel: 'channel_id', group: 'group_id' } as const

function matching({ actor_id, target_kind, target_id, action, since, until }: Filters): Fragment {
  const conditions = [
    actor_id !== undefined && sql`acting_user_id = ${actor_id}`,
    target_kind && sql`target ? ${targetFields[target_kind]}`,
    target_id !== undefined && sql`(target ->> ${targetFields[target_kind ?? 'user']}) = ${String(target_id)}`,
    action !== undefined && sql`action = ${action}`,
    since !== undefined && sql`created_at >= to_timestamp(${since})`,
    until !== undefined && sql`created_at < to_timestamp(${until})`,
  ]
  return sql.join(
    [sql`true`, ...conditions.filter((one) => one !== false && one !== undefined)],
    sql` and `,
  ) as Fragment
}

/** One index lookup per kind, however long the log is. */
export function readActions(db: Db, realmId: number): Promise<string[]> {
  return column<string>(db)`
    with recursive kinds as (
      (select action from audit_log where realm_id = ${realmId} order by action limit 1)
      union all
      select (select l.action from audit_log l where l.realm_id = ${realmId} and l.action > k.action
               order by l.action limit 1)
        from kinds k where k.action is not null
    )
    select action from kinds where action is not null`
}

const pageSize = 1000

/** All rows that match, newest first, a page at a time. */
export async function* allAuditRows(db: Db, realmId: number, filters: Filters = {}): AsyncGenerator<AuditRow> {
  let before: number | undefined
  for (;;) {
    const rows = await readAuditRows(db, realmId, filters, { before, limit: pageSize })
    yield* rows
    if (rows.length < pageSize) return
    before = rows.at(-1)!.id
  }
}

const maxSignIns = 50

export function readSignIns(db: Db, realmId: number, userId: number) {
  return many<{ id: number; time: number; is_successful: boolean; ip_address: string | null; device: string | null }>(
    db,
  )`
    select number as id, floor(extract(epoch from created_at))::bigint as time, action = 'signed_in' as is_successful,
           ip_address, target ->> 'device' as device
      from audit_log
     where realm_id = ${realmId} and (target ->> 'user_id') = ${String(userId)}
       and action in ('signed_in', 'sign_in_failed')
     order by number desc limit ${maxSignIns}`
}
