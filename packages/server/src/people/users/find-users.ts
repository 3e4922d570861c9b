import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { RealmCache } from '../../callers/realm-cache.ts'
import { fakeDomain, type RealmState } from '../../callers/realm-state.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { emailKey } from '../../platform/emails.ts'
import { deliveryEmail, type UserRow } from './user-object.ts'

/** What other features need to know about a user. */
export type FoundUser = UserRow

export const foundUserColumns = sql`
  u.id, u.email, u.full_name, u.role, u.is_active, u.bot_type, u.bot_owner_id, u.is_system_bot, u.date_joined,
  u.timezone, u.avatar_source, u.avatar_version, u.avatar_path,
  coalesce((u.settings ->> 'email_address_visibility')::integer, 1) as email_address_visibility`

const usersById = new RealmCache<number, FoundUser>({ entries: 50_000 })

/** The users of the realm with these ids, in any order. Unknown ids are left out. */
export async function findUsers(db: Db, state: RealmState, ids: number[]): Promise<FoundUser[]> {
  const known = ids.map((id) => usersById.get(state, id))
  const missing = ids.filter((_, index) => !known[index])
  const found = known.filter((user) => user !== undefined)
  if (missing.length === 0) return found
  const rows = await many<FoundUser>(db)`
    select ${foundUserColumns} from users u
     where u.realm_id = ${state.realm.id} and u.id = any(${missing}::bigint[])`
  return [...found, ...rows.map((user) => usersById.set(state, user.id, user))]
}

/** The user of the realm with this id. */
export function findUser(db: Db, state: RealmState, id: number): FoundUser | Promise<FoundUser | undefined> {
  return usersById.get(state, id) ?? findUsers(db, state, [id]).then(([user]) => user)
}

/** The users of the realm with these real emails. */
export async function findUsersByEmail(db: Db, state: RealmState, emails: string[]): Promise<FoundUser[]> {
  return many<FoundUser>(db)`
    select ${foundUserColumns} from users u
     where u.realm_id = ${state.realm.id} and u.email_key = any(${emails.map(emailKey)}::text[])`
}

/**
 * Users by the emails that the caller sees: the fake email of a user whose real one is hidden, or the real one if the
 * caller may see it. Guessing a hidden email finds nothing.
 */
export async function findUsersByApiEmail(db: Db, caller: Caller, emails: string[]): Promise<Map<string, FoundUser>> {
  const ids = emails.map((email) => idOfFakeEmail(caller, email))
  const rows = await many<FoundUser>(db)`
    select ${foundUserColumns} from users u
     where u.realm_id = ${caller.realm_id}
       and (u.email_key = any(${emails.map(emailKey)}::text[])
            or u.id = any(${ids.filter((id) => id !== undefined)}::bigint[]))`
  const found = new Map<string, FoundUser>()
  for (const [index, email] of emails.entries()) {
    const user = rows.find((row) => row.id === ids[index] || isKnownAs(row, caller, email))
    if (user) found.set(email, user)
  }
  return found
}

function isKnownAs(user: FoundUser, caller: Caller, email: string): boolean {
  return emailKey(user.email) === emailKey(email) && deliveryEmail(user, caller) !== null
}

/** The user id in a fake email such as user7@chat.example.com. */
export function idOfFakeEmail({ realm }: Caller, email: string): number | undefined {
  const [, id, domain] = /^user(\d{1,15})@(.+)$/i.exec(email.trim()) ?? []
  return id !== undefined && emailKey(domain!) === emailKey(fakeDomain(realm)) ? Number(id) : undefined
}
