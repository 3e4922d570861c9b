import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Caller } from '../../users/caller.ts'
import { findUsers, findUsersByApiEmail, type Person } from '../../users/find-users.ts'

/** The people a request is about, by id or address: the caller if it names nobody. All must exist and be active. */
export async function accessPrincipals(db: Db, caller: Caller, named: (number | string)[] = []): Promise<Person[]> {
  const wanted = named.length > 0 ? named : [caller.id]
  const byId = await findUsers(
    db,
    caller.state,
    wanted.filter((one) => typeof one === 'number'),
  )
  const byAddress = await findUsersByApiEmail(
    db,
    caller,
    wanted.filter((one) => typeof one === 'string'),
  )
  const people = new Map<number, Person>()
  for (const one of wanted) {
    const person = typeof one === 'number' ? byId.find(({ id }) => id === one) : byAddress.get(one)
    if (!person?.is_active || person.is_system_bot) throw new ApiError(`No such user: ${one}`)
    people.set(person.id, person)
  }
  return [...people.values()].sort((a, b) => a.id - b.id)
}
