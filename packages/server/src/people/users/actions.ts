import { type Role, roles } from '@parley/api/common'
import { sql } from 'kysely'
import type { Grant } from '../../callers/grants.ts'
import { fakeDomain, type Realm } from '../../callers/realm-state.ts'
import type { Audience } from '../../events/log.ts'
import type { Tx } from '../../events/transact.ts'
import { directGroupsOf } from '../../organization/groups/system-groups.ts'
import { matches } from '../../platform/db/matches.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hashKey, newKey, type Vault } from '../../platform/secrets.ts'
import { emitHiddenGravatar } from './avatars/avatar-events.ts'
import { checkEmail, checkFullName } from './profile/account-fields.ts'
import { type UserRow, userObject } from './user-object.ts'
import { emailAudience } from './visibility/email-visibility.ts'
import { emitUnknownUser } from './visibility/guest-visibility.ts'
import { restrictsGuests } from './visibility/visible-users.ts'

export interface NewUser {
  email: string
  full_name: string
  role: Role
  password_hash?: string | null
  bot_type?: number | null
  bot_owner_id?: number | null
  is_system_bot?: boolean
  /** Otherwise that of the organization. */
  language?: string | undefined
}

/** Creates an account, adds it to the groups of its role and emits it to the realm. */
export async function createUser(
  tx: Tx,
  vault: Vault,
  realm: Realm,
  { language, ...params }: NewUser,
): Promise<UserRow> {
  const email = checkEmail(params.email)
  const full_name = checkFullName(params.full_name)
  const key = newKey()
  const row = await tx.db
    .insertInto('users')
    .values({
      ...params,
      realm_id: realm.id,
      email,
      email_key: emailKey(email),
      full_name,
      api_key_hash: hashKey(key),
      api_key_sealed: vault.seal(key),
      settings: initialSettings(params, realm.id, language),
    })
    .onConflict((conflict) => conflict.columns(['realm_id', 'email_key']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new ApiError(`Email is already in use: ${email}`)
  const user: UserRow = { ...row, email_address_visibility: visibilityOf(row) }
  tx.emit({ type: 'realm_user', op: 'add', person: personAdded(user, realm) }, newUserAudience(user, realm), {
    access: true,
  })
  await emitUnknownUser(tx, realm, user)
  if (user.email_address_visibility > 1) await emitEmail(tx, realm, user)
  await addToRoleGroups(tx, realm, user)
  return user
}

/** New users get the organization's defaults, and its language unless they have their own; bots get the server's defaults. */
function initialSettings({ bot_type }: NewUser, realmId: number, language?: string) {
  if (bot_type) return '{}'
  return sql<string>`(
    select user_settings_defaults || jsonb_strip_nulls(jsonb_build_object(
      'default_language', coalesce(${language ?? null}::text, settings ->> 'default_language')))
      from realms where id = ${realmId})`
}

function visibilityOf({ settings }: { settings: unknown }): number {
  return (settings as { email_address_visibility?: number }).email_address_visibility ?? 1
}

/** The `add` event is the same for the whole audience, so a restricted email follows in an event of its own. */
async function emitEmail(tx: Tx, realm: Realm, user: UserRow): Promise<void> {
  tx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: user.id, delivery_email: user.email } },
    await emailAudience(tx.db, realm, user),
  )
  await emitHiddenGravatar(tx, realm, user)
}

/** System bots are in no role group, so they have no permissions. */
async function addToRoleGroups(tx: Tx, realm: Realm, user: UserRow): Promise<void> {
  if (user.is_system_bot) return
  const isFullMember = realm.settings.waiting_period_threshold === 0
  const groups = directGroupsOf(user.role as Role, isFullMember).map((name) => realm.systemGroups[name])
  await tx.db
    .insertInto('group_members')
    .values(groups.map((group_id) => ({ realm_id: realm.id, group_id, user_id: user.id })))
    .execute()
  for (const group_id of groups)
    tx.emit({ type: 'user_group', op: 'add_members', group_id, user_ids: [user.id] }, { realm: 'everyone' })
}

/** A new user shares no channel with restricted guests yet: those get a placeholder instead. */
function newUserAudience({ bot_type }: UserRow, realm: Realm): Audience {
  return { realm: bot_type === null && restrictsGuests(realm) ? 'members' : 'everyone' }
}

function personAdded(user: UserRow, realm: Realm) {
  const viewer = { id: 0, role: roles.guest }
  const person = userObject(user, { viewer, realmHost: fakeDomain(realm), clientGravatar: false })
  return user.bot_type === null ? { ...person, profile_data: {} } : person
}

export async function grant(tx: Tx, userId: number, granted: Grant[]): Promise<void> {
  await tx.db
    .updateTable('users')
    .set(Object.fromEntries(granted.map((name) => [name, true])))
    .where(matches({ realm_id: tx.realmId, id: userId }))
    .execute()
  tx.emitInternal({ access: true }) // cached callers include the grants
  await tx.audit(null, 'user_granted', { user_id: userId, granted })
}
