import type { UserStatus } from '@parley/api/status'
import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import type { Caller } from '../users/caller.ts'
import { readStatusesOf } from '../users/read-statuses.ts'
import { isVisibleUser } from '../users/visible-users.ts'

/** The statuses of the active users visible to the caller. Users without a status are left out. */
export function readStatuses(db: Db, caller: Caller): Promise<[number, UserStatus][]> {
  return readStatusesOf(db, caller.realm_id, sql`u.is_active and ${isVisibleUser(caller)}`)
}

export async function readStatus(db: Db, caller: Caller, userId: number): Promise<UserStatus> {
  const [found] = await readStatusesOf(db, caller.realm_id, sql`u.id = ${userId} and ${isVisibleUser(caller)}`)
  return found?.[1] ?? {}
}
