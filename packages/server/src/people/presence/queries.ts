import { offlineSeconds } from '@parley/api/people/presence'
import { type RawBuilder, sql } from 'kysely'
import { apiEmail } from '../../callers/api-email.ts'
import type { Caller } from '../../callers/caller.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many, maybeOne, one } from '../../platform/db/query.ts'
import { recordYielding } from '../../platform/event-loop.ts'
import type { UserRow } from '../users/user-object.ts'
import { isVisibleUser } from '../users/visibility/visible-users.ts'

/** When the user was last active, and when one of their clients was last connected, in seconds since 1970. */
export interface Seen {
  active: number
  connected: number
}

export function toSeconds(time: RawBuilder<unknown>): RawBuilder<number> {
  return sql`floor(extract(epoch from ${time}))::bigint`
}

export const seenColumns = sql`
  ${toSeconds(sql`coalesce(p.last_active_time, u.date_joined)`)} as active, ${toSeconds(sql`p.last_connected_time`)} as connected`

export type PresenceRow = Seen &
  Pick<UserRow, 'id' | 'email' | 'bot_type' | 'email_address_visibility'> & { update_id: number }

/** The only row when there are no presences to return. */
type NoPresence = Record<'id' | 'email' | 'bot_type' | 'update_id' | keyof Seen, null> & {
  email_address_visibility: number
}

export interface PresenceQuery {
  historyDays: number
  /** Only records changed after this update id; -1 for all. */
  after: number
}

export interface Presences {
  rows: PresenceRow[]
  /** All updates up to this id are in these rows or in earlier ones. The next query passes it as `after`. */
  lastUpdateId: number
}

export const maxHistoryDays = 36_500

/**
 * Recent presences of users visible to the caller. The update id is the transaction id. `lastUpdateId` stays below
 * every running transaction, so that late commits are not missed; at worst a record is returned twice. An `after` from
 * the future belongs to a database that was replaced by a restore; then all records are returned.
 */
export async function readPresences(db: Db, caller: Caller, { historyDays, after }: PresenceQuery): Promise<Presences> {
  const rows = await many<(PresenceRow | NoPresence) & { settled: number }>(db)`
    with snapshot as materialized (
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1 as settled,
             case when ${after}::bigint >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint then -1 else ${after}::bigint end as after
    )
    select u.id, u.email, u.bot_type, p.update_id, snapshot.settled,
           coalesce((u.settings ->> 'email_address_visibility')::integer, 1) as email_address_visibility,
           ${seenColumns}
      from snapshot left join (presence p join users u on u.realm_id = p.realm_id and u.id = p.user_id)
        on p.realm_id = ${caller.realm_id} and p.update_id > snapshot.after and u.is_active and u.bot_type is null
       and p.last_connected_time > now() - make_interval(days => ${Math.min(historyDays, maxHistoryDays)})
       and ${isVisibleUser(caller)}
     order by u.id`
  const found = rows.filter((row) => row.id !== null)
  return { rows: found, lastUpdateId: found.length > 0 || after >= 0 ? rows[0]!.settled : -1 }
}

/** Keyed by user id. */
export function modernPresences(rows: PresenceRow[]) {
  return recordYielding(rows, (row) => [row.id, modernRecord(row)])
}

export function modernRecord({ active, connected }: Seen) {
  return { active_timestamp: active, idle_timestamp: connected }
}

/** Keyed by email, with a single client name for all activity. */
export function legacyPresences(rows: PresenceRow[], caller: Caller) {
  const host = fakeDomain(caller.realm)
  return recordYielding(rows, (row) => [apiEmail(row, host), legacyRecord(row)])
}

/** Users whose last activity is at most this much older than their last connection count as active. */
const activeSeconds = 70

export function legacyRecord({ active, connected }: Seen) {
  const isActive = active + activeSeconds >= connected
  const record = {
    client: 'website',
    status: isActive ? 'active' : 'idle',
    timestamp: isActive ? active : connected,
  } as const
  return { aggregated: record, website: { ...record, pushable: false } }
}

/** The presence of one user; undefined if none is stored. */
export async function readPresence(db: Db, { realm_id }: Caller, userId: number) {
  const row = await maybeOne<Seen>(db)`
    select ${seenColumns} from presence p join users u on u.realm_id = p.realm_id and u.id = p.user_id
     where p.realm_id = ${realm_id} and p.user_id = ${userId} and u.is_active`
  return row && singleRecord(row)
}

/** Without the client name, and with the status `offline` for users not seen for long. */
function singleRecord(row: Pick<PresenceRow, 'active' | 'connected'>) {
  const { status, timestamp } = legacyRecord(row).aggregated
  const isOffline = serverTimestamp() - timestamp > offlineSeconds
  return { aggregated: { status: isOffline ? 'offline' : status, timestamp }, website: { status, timestamp } } as const
}

export function serverTimestamp(): number {
  return Date.now() / 1000
}

/** For how many seconds other users still see the user as active; undefined if they do not. */
export async function activeForSeconds(
  db: Db,
  { realm_id, id }: Pick<Caller, 'realm_id' | 'id'>,
): Promise<number | undefined> {
  const { seconds } = await one<{ seconds: number | null }>(db)`
    select ceil(extract(epoch from max(last_active_time) - now() + make_interval(secs => ${offlineSeconds})))::integer
             as seconds
      from presence where realm_id = ${realm_id} and user_id = ${id}`
  return seconds !== null && seconds > 0 ? seconds : undefined
}
