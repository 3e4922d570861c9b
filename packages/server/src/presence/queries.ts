import { offlineSeconds } from '@parley/api/presence'
import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { unixSeconds } from '../platform/text.ts'
import { fakeDomain } from '../realms/state.ts'
import type { Caller } from '../users/caller.ts'
import { apiEmail, type UserRow } from '../users/user-object.ts'
import { isVisibleUser } from '../users/visible-users.ts'

/** When somebody last did something, and when their client last showed itself. */
export interface Seen {
  active: Date
  connected: Date
}

type PresenceRow = Seen & Pick<UserRow, 'id' | 'email' | 'bot_type' | 'email_address_visibility'>

export interface PresenceQuery {
  historyDays: number
  /** Only what changed after this point; -1 for everything. */
  after: number
}

export interface Presences {
  rows: PresenceRow[]
  /** Everything up to here is among the rows or was before: what to ask for next time. */
  lastUpdateId: number
}

const mostHistoryDays = 36_500

/**
 * Who was here lately, as far as the caller may know of them. An update is numbered by its transaction; numbers of
 * transactions that still run are not handed out as seen, so one that commits late is not missed, at worst a record
 * comes twice. A number from the future is one of another database, restored here: then everything is new.
 */
export async function readPresences(db: Db, caller: Caller, { historyDays, after }: PresenceQuery): Promise<Presences> {
  const { rows } = await sql<PresenceRow & { settled: number }>`
    with place as materialized (
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1 as settled,
             case when ${after}::bigint >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint then -1 else ${after}::bigint end as after
    )
    select u.id, u.email, u.bot_type, place.settled,
           coalesce((u.settings ->> 'email_address_visibility')::integer, 1) as email_address_visibility,
           coalesce(p.last_active_time, u.date_joined) as active, p.last_connected_time as connected
      from place left join (presence p join users u on u.id = p.user_id)
        on p.realm_id = ${caller.realm_id} and p.update_id > place.after and u.is_active and u.bot_type is null
       and p.last_connected_time > now() - make_interval(days => ${Math.min(historyDays, mostHistoryDays)})
       and ${isVisibleUser(caller)}
     order by u.id`.execute(db)
  const found = rows.filter(({ id }) => id !== null)
  return { rows: found, lastUpdateId: found.length > 0 || after >= 0 ? rows[0]!.settled : -1 }
}

/** By user id. */
export function modernPresences(rows: PresenceRow[]) {
  return Object.fromEntries(
    rows.map(({ id, active, connected }) => [
      id,
      { active_timestamp: unixSeconds(active), idle_timestamp: unixSeconds(connected) },
    ]),
  )
}

/** By address, with the one client that all activity is counted under. */
export function legacyPresences(rows: PresenceRow[], caller: Caller) {
  const host = fakeDomain(caller.realm)
  return Object.fromEntries(rows.map((row) => [apiEmail(row, host), legacyRecord(row)]))
}

/** Activity this much older than the last sign of life still counts as being active. */
const activeSeconds = 70

export function legacyRecord({ active, connected }: Seen) {
  const isActive = active.getTime() + activeSeconds * 1000 >= connected.getTime()
  const record = {
    client: 'website',
    status: isActive ? 'active' : 'idle',
    timestamp: unixSeconds(isActive ? active : connected),
  } as const
  return { aggregated: record, website: { ...record, pushable: false } }
}

/** When one person was last here; undefined if nobody knows. */
export async function readPresence(db: Db, { realm_id }: Caller, userId: number) {
  const { rows } = await sql<Seen>`
    select coalesce(p.last_active_time, u.date_joined) as active, p.last_connected_time as connected
      from presence p join users u on u.id = p.user_id
     where p.realm_id = ${realm_id} and p.user_id = ${userId} and u.is_active`.execute(db)
  return rows[0] && oneRecord(rows[0])
}

/** Without the client, but with a word for whoever was silent for long. */
function oneRecord(row: Pick<PresenceRow, 'active' | 'connected'>) {
  const { status, timestamp } = legacyRecord(row).aggregated
  const isOffline = serverTimestamp() - timestamp > offlineSeconds
  return { aggregated: { status: isOffline ? 'offline' : status, timestamp }, website: { status, timestamp } } as const
}

export function serverTimestamp(): number {
  return Date.now() / 1000
}
