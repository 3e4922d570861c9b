import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'
import { emailKey } from '../../platform/emails.ts'
import type { Comparison } from './filter.ts'
import { conditionsOf, idIn, noMatch, type Page } from './list.ts'
import { booleanOf } from './user-profile.ts'

/** An account, with what the provider has said about it. */
export interface ScimUser {
  id: number
  email: string
  full_name: string
  is_active: boolean
  date_joined: Date
  user_name: string
  external_id: string | null
  given_name: string | null
  family_name: string | null
}

/** People only. An account that the provider has deleted comes back if an administrator reactivates it. */
export const isScimUser = sql`u.bot_type is null and not u.is_system_bot and (u.is_active or not coalesce(p.is_deleted, false))`

const from = (realmId: number, conditions: RawBuilder<unknown>) => sql`
  from users u left join provisioned_users p on p.realm_id = u.realm_id and p.user_id = u.id
 where u.realm_id = ${realmId} and ${isScimUser} and ${conditions}`

const columns = sql`
  u.id, u.email, u.full_name, u.is_active, u.date_joined, coalesce(p.user_name, u.email) as user_name, p.external_id,
  p.given_name, p.family_name`

export async function findScimUser(db: Db, realmId: number, id: number): Promise<ScimUser | undefined> {
  const [found] = await many<ScimUser>(db)`select ${columns} ${from(realmId, sql`u.id = ${id}`)}`
  return found
}

export async function listScimUsers(db: Db, realmId: number, filter: Comparison[], { offset, limit }: Page) {
  const matching = from(realmId, conditionsOf(filter, attributes))
  const { total } = await one<{ total: number }>(db)`select count(*) as total ${matching}`
  const rows = await many<ScimUser>(db)`select ${columns} ${matching} order by u.id offset ${offset} limit ${limit}`
  return { total, rows }
}

const attributes: Record<string, (value: Comparison['value']) => RawBuilder<unknown>> = {
  id: (value) => sql`u.id = ${idIn(value)}`,
  username: (value) => sql`coalesce(p.user_name_key, u.email_key) = ${emailKey(String(value))}`,
  externalid: (value) => sql`p.external_id = ${String(value)}`,
  emails: (value) => sql`u.email_key = ${emailKey(String(value))}`,
  'emails.value': (value) => sql`u.email_key = ${emailKey(String(value))}`,
  'emails.type': (value) => (value === 'work' ? sql`true` : noMatch),
  displayname: (value) => sql`lower(u.full_name) = lower(${String(value)})`,
  active: (value) => sql`u.is_active = ${booleanOf(value)}`,
}
