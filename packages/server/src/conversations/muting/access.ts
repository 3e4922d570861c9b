import type { Caller } from '../../callers/caller.ts'
import { NoSuchUser } from '../../people/users/queries.ts'
import { isVisibleUser } from '../../people/users/visibility/visible-users.ts'
import type { Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** A caller can mute every user visible to them, including system bots, but not themselves. */
export async function checkMutable(db: Db, caller: Caller, userId: number): Promise<void> {
  if (userId === caller.id) throw new ApiError('Cannot mute self')
  const found = await exists(db)`
    select u.id from users u
     where u.realm_id = ${caller.realm_id} and u.id = ${userId} and ${isVisibleUser(caller)}`
  if (!found) throw new NoSuchUser()
}
