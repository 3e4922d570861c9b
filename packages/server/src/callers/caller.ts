import type { Role } from '@parley/api/common'
import { defaultsOf, type UserSettings, userSettings } from '@parley/api/settings'
import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { maybeOne } from '../platform/db/query.ts'
import type { Credential } from './credential.ts'
import type { Realm, RealmState } from './realm-state.ts'

/** The account a request is made with, and everything that decides what it may do. */
export interface Caller {
  id: number
  realm_id: number
  email: string
  full_name: string
  role: Role
  is_active: boolean
  bot_type: number | null
  bot_owner_id: number | null
  timezone: string
  avatar_source: string
  avatar_version: number
  avatar_path: string | null
  date_joined: Date
  settings: UserSettings
  can_create_users: boolean
  can_change_user_emails: boolean
  /** Null for the API key. */
  credential: Credential | null
  /** Every group the account is in, directly or through subgroups. */
  groups: ReadonlySet<number>
  realm: Realm
  /** The cached state of the realm when the caller was loaded. */
  state: RealmState
}

/** The owner in fair queues. Bots share the turn of their owner. */
export function queueOwner({ realm_id, id, bot_owner_id }: Pick<Caller, 'realm_id' | 'id' | 'bot_owner_id'>): string {
  return `${realm_id} ${bot_owner_id ?? id}`
}

export type CallerRow = Omit<Caller, 'groups' | 'realm' | 'state' | 'credential'> & { groups: number[] }

const callerColumns = sql`
  u.id, u.realm_id, u.email, u.full_name, u.role, u.is_active, u.bot_type, u.bot_owner_id, u.timezone,
  u.avatar_source, u.avatar_version, u.avatar_path, u.date_joined, u.settings, u.can_create_users, u.can_change_user_emails`

/** All groups of the user, direct and through subgroups, found from the direct memberships upwards. */
export const groupsOfUser = sql`
  array(with recursive above as (
    select group_id from group_members where realm_id = u.realm_id and user_id = u.id
    union
    select s.group_id from group_subgroups s join above on s.subgroup_id = above.group_id where s.realm_id = u.realm_id
  ) select group_id from above)`

export async function loadCallerByKey(db: Db, state: RealmState, keyHash: Buffer): Promise<Caller | undefined> {
  const row = await maybeOne<CallerRow>(db)`
    select ${callerColumns}, ${groupsOfUser} as groups from users u
     where u.api_key_hash = ${keyHash} and u.realm_id = ${state.realm.id}`
  return row && toCaller(row, state)
}

/** The caller of a session or token. Expired ones are found too. */
export async function loadCallerBySecret(db: Db, state: RealmState, secretHash: Buffer): Promise<Caller | undefined> {
  const row = await maybeOne<CallerRow & { credential: Credential }>(db)`
    select ${callerColumns}, ${groupsOfUser} as groups,
           jsonb_build_object('id', c.id, 'kind', c.kind, 'scopes', c.scopes, 'agent', c.agent, 'name', c.name,
                              'used_at', c.used_at,
                              'idle_seconds', c.idle_seconds, 'expires_at', c.expires_at) as credential
      from credentials c join users u on u.realm_id = c.realm_id and u.id = c.user_id
     where c.secret_hash = ${secretHash} and c.realm_id = ${state.realm.id}`
  return row && toCaller(row, state, withDates(row.credential))
}

/** JSON has no dates. */
function withDates(credential: Credential): Credential {
  const { used_at, expires_at } = credential
  return { ...credential, used_at: new Date(used_at), expires_at: expires_at && new Date(expires_at) }
}

export async function loadCaller(db: Db, state: RealmState, userId: number): Promise<Caller | undefined> {
  const row = await readCallerRow(db, state.realm.id, userId)
  return row && toCaller(row, state)
}

export function readCallerRow(db: Db, realmId: number, userId: number): Promise<CallerRow | undefined> {
  return maybeOne<CallerRow>(db)`
    select ${callerColumns}, ${groupsOfUser} as groups from users u
     where u.id = ${userId} and u.realm_id = ${realmId}`
}

export function toCaller(row: CallerRow, state: RealmState, credential: Credential | null = null): Caller {
  return {
    ...row,
    groups: new Set(row.groups),
    settings: settingsOf(row.settings),
    credential,
    realm: state.realm,
    state,
  }
}

/** Roughly what a cached caller takes in memory, in bytes. */
export function callerSize({ groups, settings }: Caller): number {
  const ownSettings = settings === defaultUserSettings ? 0 : 2000
  return 1000 + 40 * groups.size + ownSettings
}

/** Most users keep the defaults; their cached callers share one settings object. */
function settingsOf(own: Partial<UserSettings>): UserSettings {
  return Object.keys(own).length === 0 ? defaultUserSettings : { ...defaultUserSettings, ...own }
}

export const defaultUserSettings = defaultsOf(userSettings)

/** The language of a user, as stored: those who chose none have the default. */
export function languageOf(settings: unknown): string {
  return { ...defaultUserSettings, ...(settings as Partial<UserSettings>) }.default_language
}
