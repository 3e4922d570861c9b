import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { foldCase } from '../platform/text.ts'
import { RealmCache } from '../realms/realm-cache.ts'
import { fakeDomain, type RealmState } from '../realms/state.ts'
import type { Caller } from './caller.ts'
import { deliveryEmail, type UserRow } from './user-object.ts'

/** What other features need to know about somebody. */
export type Person = UserRow

export const personColumns = sql`
  u.id, u.email, u.full_name, u.role, u.is_active, u.bot_type, u.bot_owner_id, u.is_system_bot, u.date_joined,
  u.timezone, u.avatar_source, u.avatar_version, u.avatar_path,
  coalesce((u.settings ->> 'email_address_visibility')::integer, 1) as email_address_visibility`

const peopleById = new RealmCache<number, Person>({ entries: 50_000 })

/** The people with these ids in the realm, in any order; unknown ids are simply missing. */
export async function findUsers(db: Db, state: RealmState, ids: number[]): Promise<Person[]> {
  const known = ids.map((id) => peopleById.get(state, id))
  const missing = ids.filter((_, index) => !known[index])
  const found = known.filter((person) => person !== undefined)
  if (missing.length === 0) return found
  const { rows } = await sql<Person>`
    select ${personColumns} from users u
     where u.realm_id = ${state.realm.id} and u.id = any(${missing}::bigint[])`.execute(db)
  return [...found, ...rows.map((person) => peopleById.set(state, person.id, person))]
}

/** The people with these real addresses in the realm. */
export async function findUsersByEmail(db: Db, state: RealmState, emails: string[]): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select ${personColumns} from users u
     where u.realm_id = ${state.realm.id} and u.email_key = any(${emails.map(foldCase)}::text[])`.execute(db)
  return rows
}

/**
 * Who is meant by an address, as the caller knows people: by the address that stands for a hidden one, or by the real
 * one if they may see it. A hidden address is not confirmed to somebody who guesses it.
 */
export async function findUsersByApiEmail(db: Db, caller: Caller, addresses: string[]): Promise<Map<string, Person>> {
  const ids = addresses.map((address) => idOfFakeEmail(caller, address))
  const { rows } = await sql<Person>`
    select ${personColumns} from users u
     where u.realm_id = ${caller.realm_id}
       and (u.email_key = any(${addresses.map(foldCase)}::text[])
            or u.id = any(${ids.filter((id) => id !== undefined)}::bigint[]))`.execute(db)
  const found = new Map<string, Person>()
  for (const [index, address] of addresses.entries()) {
    const person = rows.find((row) => row.id === ids[index] || isKnownAs(row, caller, address))
    if (person) found.set(address, person)
  }
  return found
}

function isKnownAs(person: Person, caller: Caller, address: string): boolean {
  return foldCase(person.email) === foldCase(address) && deliveryEmail(person, caller) !== null
}

/** The id in an address like user7@chat.example.com. */
export function idOfFakeEmail({ realm }: Caller, address: string): number | undefined {
  const [, id, domain] = /^user(\d{1,15})@(.+)$/i.exec(address.trim()) ?? []
  return id !== undefined && foldCase(domain!) === foldCase(fakeDomain(realm)) ? Number(id) : undefined
}
