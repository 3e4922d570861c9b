import type { Caller } from '../../../callers/caller.ts'
import { type FoundUser, findUsers, findUsersByApiEmail } from '../../../people/users/find-users.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'

/** The users that a request names by id or email, or else the caller. All must exist and be active. */
export async function accessPrincipals(
  db: Db,
  caller: Caller,
  principals: (number | string)[] = [],
): Promise<FoundUser[]> {
  const requested = principals.length > 0 ? principals : [caller.id]
  const byId = await findUsers(
    db,
    caller.state,
    requested.filter((one) => typeof one === 'number'),
  )
  const byEmail = await findUsersByApiEmail(
    db,
    caller,
    requested.filter((one) => typeof one === 'string'),
  )
  const users = new Map<number, FoundUser>()
  for (const one of requested) {
    const user = typeof one === 'number' ? byId.find(({ id }) => id === one) : byEmail.get(one)
    if (!user?.is_active || user.is_system_bot) throw new ApiError(`No such user: ${one}`)
    users.set(user.id, user)
  }
  return [...users.values()].sort((a, b) => a.id - b.id)
}
