import { listLimits } from '@parley/api/limits'
import type { Caller } from '../../../callers/caller.ts'
import { findUsers, findUsersByEmail } from '../../../people/users/find-users.ts'
import { accessUser, accessUserByEmail, NoSuchUser } from '../../../people/users/queries.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { BadNarrow, type Operand, type Term } from './narrow-terms.ts'

interface UserId {
  id: number
}

const userOperators = ['sender', 'dm', 'dm-including', 'group-pm-with']

/** Each user is looked up, so a narrow may name as many as a list may have items. */
export function refuseManyUsers(terms: Term[]): void {
  const named = terms.flatMap(({ operator, operand }) => (userOperators.includes(operator) ? namesIn(operand) : []))
  if (named.length > listLimits.usual) throw new BadNarrow('too many users')
}

function namesIn(operand: Operand): string[] {
  const named = Array.isArray(operand) ? operand : String(operand).split(',')
  return [...new Set(named.map((one) => String(one).trim()))]
}

/** The one user that an operand names, by id or email. */
export async function userOfOperand(db: Db, caller: Caller, operand: Operand): Promise<UserId> {
  const [user, ...others] = Array.isArray(operand) ? [] : await usersOfOperand(db, caller, operand)
  if (!user || others.length > 0) throw unknownUser(operand)
  return user
}

/** The users that an operand names: ids or emails, as a list or separated by commas. */
export async function usersOfOperand(db: Db, caller: Caller, operand: Operand): Promise<UserId[]> {
  const users: UserId[] = []
  for (const one of namesIn(operand)) {
    const user = (await findBot(db, caller, one)) ?? (await findUser(db, caller, one))
    if (!user) throw unknownUser(operand)
    users.push(user)
  }
  return users
}

function idIn(named: string): number | undefined {
  return /^\d{1,15}$/.test(named) ? Number(named) : undefined
}

/** A user visible to the caller. A hidden email finds nobody, so that callers cannot confirm guesses. */
async function findUser(db: Db, caller: Caller, named: string): Promise<UserId | undefined> {
  const id = idIn(named)
  try {
    return await (id === undefined ? accessUserByEmail(db, caller, named) : accessUser(db, caller, id))
  } catch (error) {
    if (error instanceof NoSuchUser) return undefined
    throw error
  }
}

/** System bots cannot be accessed like other users, but they send messages. */
async function findBot(db: Db, { state }: Caller, named: string): Promise<UserId | undefined> {
  const id = idIn(named)
  const found = id === undefined ? await findUsersByEmail(db, state, [named]) : await findUsers(db, state, [id])
  return found.find(({ is_system_bot }) => is_system_bot)
}

function unknownUser(operand: Operand): BadNarrow {
  return new BadNarrow(`unknown user in ${JSON.stringify(operand)}`)
}
