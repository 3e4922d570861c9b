import { languageNames } from '@parley/api/languages'
import { lookup } from '@parley/api/lookup'
import { type SettingDeclaration, type UserSettings, userSettings } from '@parley/api/settings'
import { parseQuietHours } from '@parley/client/messages/quiet-hours'
import { sql } from 'kysely'
import { apiEmail } from '../../../callers/api-email.ts'
import { reloadCaller } from '../../../callers/authenticate.ts'
import type { Caller } from '../../../callers/caller.ts'
import { fakeDomain } from '../../../callers/realm-state.ts'
import { lockRow } from '../../../events/lock-row.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { emitAvatar } from '../avatars/avatar-events.ts'
import { accessUser } from '../queries.ts'
import type { UserRow } from '../user-object.ts'
import { admittedOnlyBy } from '../visibility/email-visibility.ts'
import { visibilityAudience } from '../visibility/visible-users.ts'

export type SettingValue = boolean | number | string
export type Settings = Record<string, SettingValue>

/** The caller's own account, locked so that concurrent changes do not overwrite each other. */
export interface Own {
  caller: Caller
  user: UserRow
}

export async function accessOwnAccount(tx: Tx, caller: Pick<Caller, 'realm_id' | 'id'>): Promise<Own> {
  await lockRow(tx, 'users', caller.id)
  const fresh = await reloadCaller(tx.db, caller)
  return { caller: fresh, user: await accessUser(tx.db, fresh, caller.id) }
}

/** Checks the values that the schemas cannot check. */
export function checkSettings({ default_language, quiet_hours, notification_vips }: Partial<Settings>): void {
  if (quiet_hours !== undefined && !parseQuietHours(quiet_hours as string))
    throw new ApiError('quiet_hours needs seven periods such as 19:00-08:00, or nothing, separated by commas.')
  if (notification_vips !== undefined && !/^$|^\d{1,15}(,\d{1,15}){0,49}$/.test(notification_vips as string))
    throw new ApiError('notification_vips needs at most 50 ids of users, separated by commas.')
  if (default_language !== undefined && !Object.hasOwn(languageNames, default_language as string))
    throw new ApiError('Invalid default_language')
}

/** The new settings that differ from the current ones. */
export function differing(settings: Settings, current: UserSettings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => lookup(current, name) !== value))
}

/** Changes settings and emits them, also in the legacy event types. Returns the settings that changed. */
export async function changeSettings(tx: Tx, own: Own, settings: Settings): Promise<Settings> {
  const changed = differing(settings, own.caller.settings)
  if (Object.keys(changed).length === 0) return changed
  await sql`
    update users set settings = settings || ${JSON.stringify(changed)}::jsonb
     where realm_id = ${tx.realmId} and id = ${own.caller.id}`.execute(tx.db)
  tx.emitInternal({ access: true }) // cached callers include the settings
  const user = apiEmail({ ...own.user, ...visibilityIn(changed) }, fakeDomain(own.caller.realm))
  for (const [name, value] of Object.entries(changed)) emitSetting(tx, own, user, name, value)
  if (changed.allow_private_data_export !== undefined) emitConsent(tx, own, changed.allow_private_data_export)
  if (changed.email_address_visibility !== undefined) await emitEmailVisibility(tx, own, changed)
  return changed
}

function visibilityIn({ email_address_visibility }: Settings): Partial<UserRow> {
  return email_address_visibility === undefined ? {} : { email_address_visibility: email_address_visibility as number }
}

const declared: Record<string, SettingDeclaration> = userSettings

function emitSetting(tx: Tx, { caller }: Own, user: string, name: string, value: SettingValue): void {
  const audience = { users: [caller.id] }
  const language = name === 'default_language' && { language_name: lookup(languageNames, value as string)! }
  tx.emit({ type: 'user_settings', op: 'update', property: name, value, ...language }, audience)
  const legacy = lookup(declared, name)?.legacy
  if (legacy === 'display' || name === 'timezone')
    tx.emit({ type: 'update_display_settings', user, setting_name: name, setting: value, ...language }, audience)
  if (legacy === 'notifications')
    tx.emit({ type: 'update_global_notifications', user, notification_name: name, setting: value }, audience)
}

/** Administrators, who can request an export, see whose private data it would include. */
function emitConsent(tx: Tx, { caller }: Own, consented: SettingValue): void {
  tx.emit({ type: 'realm_export_consent', user_id: caller.id, consented: consented === true }, { admins: true })
}

/** Emits the real email to users who gain access to it, null to those who lose it, and the shown email to everyone. */
async function emitEmailVisibility(tx: Tx, { caller, user }: Own, changed: Settings): Promise<void> {
  const { realm } = caller
  const before = user.email_address_visibility
  const now = { ...user, ...visibilityIn(changed) }
  const after = now.email_address_visibility
  const gaining = await admittedOnlyBy(tx.db, realm, user.id, { by: after, not: before })
  const losing = await admittedOnlyBy(tx.db, realm, user.id, { by: before, not: after })
  const emitEmail = (delivery_email: string | null, users: number[]) =>
    tx.emit({ type: 'realm_user', op: 'update', person: { user_id: user.id, delivery_email } }, { users })
  if (gaining.length > 0) emitEmail(user.email, gaining)
  if (losing.length > 0) emitEmail(null, losing)
  if (user.avatar_source === 'G') await emitAvatar(tx, realm, now)
  const new_email = apiEmail(now, fakeDomain(realm))
  if (new_email === apiEmail(user, fakeDomain(realm))) return
  const audience = await visibilityAudience(tx.db, realm, user)
  tx.emit({ type: 'realm_user', op: 'update', person: { user_id: user.id, new_email } }, audience)
}

export async function changeTimezone(tx: Tx, own: Own, timezone: string): Promise<void> {
  checkTimezone(timezone)
  if (timezone === own.user.timezone) return
  await tx.db
    .updateTable('users')
    .set({ timezone })
    .where(matches({ realm_id: tx.realmId, id: own.user.id }))
    .execute()
  tx.emitInternal({ access: true })
  const email = apiEmail(own.user, fakeDomain(own.caller.realm))
  emitSetting(tx, own, email, 'timezone', timezone)
  tx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: own.user.id, email, timezone } },
    await visibilityAudience(tx.db, own.caller.realm, own.user),
  )
}

/** Must be an IANA name in its exact spelling. UTC offsets, which Intl also accepts, are refused. */
function checkTimezone(timezone: string): void {
  const known = canonicalZone(timezone)
  const isMisspelled = known !== timezone && known?.toLowerCase() === timezone.toLowerCase()
  if (!known || isMisspelled || !/^[A-Z]/.test(timezone)) throw new ApiError('Invalid timezone')
}

/** The canonical name of the time zone, which may differ if the given one is an alias. */
function canonicalZone(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
