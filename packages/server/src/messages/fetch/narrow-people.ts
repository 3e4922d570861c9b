import type { Db } from '../../platform/db/pool.ts'
import type { Caller } from '../../users/caller.ts'
import { findUsers, findUsersByEmail } from '../../users/find-users.ts'
import { accessUser, accessUserByEmail, NoSuchUser } from '../../users/queries.ts'
import { BadNarrow, type Operand } from './narrow-terms.ts'

interface Named {
  id: number
}

/** The one person an operand names, by id or address. */
export async function personOf(db: Db, caller: Caller, operand: Operand): Promise<Named> {
  const [person, ...others] = Array.isArray(operand) ? [] : await peopleOf(db, caller, operand)
  if (!person || others.length > 0) throw unknownPerson(operand)
  return person
}

/** The people an operand names: ids, addresses, or several of them in one text with commas between. */
export async function peopleOf(db: Db, caller: Caller, operand: Operand): Promise<Named[]> {
  const named = (Array.isArray(operand) ? operand : String(operand).split(',')).map((one) => String(one).trim())
  const people: Named[] = []
  for (const one of named) {
    const person = (await findBot(db, caller, one)) ?? (await findUser(db, caller, one))
    if (!person) throw unknownPerson(operand)
    people.push(person)
  }
  return people
}

function idIn(named: string): number | undefined {
  return /^\d{1,15}$/.test(named) ? Number(named) : undefined
}

/** Somebody the caller may know of; a hidden address is not confirmed to those who guess it. */
async function findUser(db: Db, caller: Caller, named: string): Promise<Named | undefined> {
  const id = idIn(named)
  try {
    return await (id === undefined ? accessUserByEmail(db, caller, named) : accessUser(db, caller, id))
  } catch (error) {
    if (error instanceof NoSuchUser) return undefined
    throw error
  }
}

/** The server's own bots are no users that one can look up, but they write messages. */
async function findBot(db: Db, { state }: Caller, named: string): Promise<Named | undefined> {
  const id = idIn(named)
  const found = id === undefined ? await findUsersByEmail(db, state, [named]) : await findUsers(db, state, [id])
  return found.find(({ is_system_bot }) => is_system_bot)
}

function unknownPerson(operand: Operand): BadNarrow {
  return new BadNarrow(`unknown user in ${JSON.stringify(operand)}`)
}
