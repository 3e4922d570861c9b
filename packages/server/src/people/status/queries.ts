import type { UserStatus } from '@parley/api/people/status'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { readStatusesOf } from '../users/profile/read-statuses.ts'
import { isVisibleUser } from '../users/visibility/visible-users.ts'

/** The statuses of the active users visible to the caller. Users without a status are left out. */
export function readStatuses(db: Db, caller: Caller): Promise<[number, UserStatus][]> {
  return readStatusesOf(db, caller.realm_id, sql`u.is_active and ${isVisibleUser(caller)}`)
}

export async function readStatus(db: Db, caller: Caller, userId: number): Promise<UserStatus> {
  const [found] = await readStatusesOf(db, caller.realm_id, sql`u.id = ${userId} and ${isVisibleUser(caller)}`)
  return found?.[1] ?? {}
}
