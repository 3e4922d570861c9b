import { languageNames } from '@parley/api/languages'
import { lookup } from '@parley/api/lookup'
import { type SettingDeclaration, userSettings } from '@parley/api/settings'
import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { fakeDomain } from '../realms/state.ts'
import { reloadCaller } from './authenticate.ts'
import { emitAvatar } from './avatar-events.ts'
import type { Caller } from './caller.ts'
import { admittedOnlyBy } from './email-visibility.ts'
import { accessUser } from './queries.ts'
import { apiEmail, type UserRow } from './user-object.ts'
import { visibilityAudience } from './visible-users.ts'

export type SettingValue = boolean | number | string
export type Settings = Record<string, SettingValue>

/** One's own account, held still so that two changes at once do not undo each other. */
export interface Own {
  caller: Caller
  user: UserRow
}

export async function accessOwnAccount(tx: Tx, caller: Pick<Caller, 'realm_id' | 'id'>): Promise<Own> {
  await sql`select 1 from users where realm_id = ${tx.realmId} and id = ${caller.id} for no key update`.execute(tx.db)
  const fresh = await reloadCaller(tx.db, caller)
  return { caller: fresh, user: await accessUser(tx.db, fresh, caller.id) }
}

/** Throws unless the settings may have these values, as far as their schemas cannot tell. */
export function checkSettings({ default_language }: Partial<Settings>): void {
  if (default_language !== undefined && !Object.hasOwn(languageNames, default_language as string))
    throw new ApiError('Invalid default_language')
}

/** Those of the settings that are to become something else than they are. */
export function differing(wanted: Settings, current: Record<string, unknown>): Settings {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => lookup(current, name) !== value))
}

/** Changes settings and tells the caller's other clients, each in the form it knows. Returns what changed. */
export async function changeSettings(tx: Tx, own: Own, wanted: Settings): Promise<Settings> {
  const changed = differing(wanted, own.caller.settings)
  if (Object.keys(changed).length === 0) return changed
  await sql`
    update users set settings = settings || ${JSON.stringify(changed)}::jsonb
     where realm_id = ${tx.realmId} and id = ${own.caller.id}`.execute(tx.db)
  tx.emitInternal({ access: true }) // what processes remember of the account includes its settings
  const user = apiEmail({ ...own.user, ...visibilityIn(changed) }, fakeDomain(own.caller.realm))
  for (const [name, value] of Object.entries(changed)) tellOfSetting(tx, own, user, name, value)
  if (changed.allow_private_data_export !== undefined) tellOfConsent(tx, own, changed.allow_private_data_export)
  if (changed.email_address_visibility !== undefined) await tellOfVisibility(tx, own, changed)
  return changed
}

function visibilityIn({ email_address_visibility }: Settings): Partial<UserRow> {
  return email_address_visibility === undefined ? {} : { email_address_visibility: email_address_visibility as number }
}

const declared: Record<string, SettingDeclaration> = userSettings

function tellOfSetting(tx: Tx, { caller }: Own, user: string, name: string, value: SettingValue): void {
  const audience = { users: [caller.id] }
  const language = name === 'default_language' && { language_name: lookup(languageNames, value as string)! }
  tx.emit({ type: 'user_settings', op: 'update', property: name, value, ...language }, audience)
  const legacy = lookup(declared, name)?.legacy
  if (legacy === 'display' || name === 'timezone')
    tx.emit({ type: 'update_display_settings', user, setting_name: name, setting: value, ...language }, audience)
  if (legacy === 'notifications')
    tx.emit({ type: 'update_global_notifications', user, notification_name: name, setting: value }, audience)
}

/** Those who may ask for an export see whose private data would be in it. */
function tellOfConsent(tx: Tx, { caller }: Own, consented: SettingValue): void {
  tx.emit({ type: 'realm_export_consent', user_id: caller.id, consented: consented === true }, { admins: true })
}

/** Who sees the real address is told it, or that it is hidden; everybody, what stands for it. */
async function tellOfVisibility(tx: Tx, { caller, user }: Own, changed: Settings): Promise<void> {
  const { realm } = caller
  const before = user.email_address_visibility
  const now = { ...user, ...visibilityIn(changed) }
  const after = now.email_address_visibility
  const gaining = await admittedOnlyBy(tx.db, realm, user.id, { by: after, not: before })
  const losing = await admittedOnlyBy(tx.db, realm, user.id, { by: before, not: after })
  const tell = (delivery_email: string | null, users: number[]) =>
    tx.emit({ type: 'realm_user', op: 'update', person: { user_id: user.id, delivery_email } }, { users })
  if (gaining.length > 0) tell(user.email, gaining)
  if (losing.length > 0) tell(null, losing)
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
    .where('realm_id', '=', tx.realmId)
    .where('id', '=', own.user.id)
    .execute()
  tx.emitInternal({ access: true })
  const email = apiEmail(own.user, fakeDomain(own.caller.realm))
  tellOfSetting(tx, own, email, 'timezone', timezone)
  tx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: own.user.id, email, timezone } },
    await visibilityAudience(tx.db, own.caller.realm, own.user),
  )
}

/** A name of the IANA database in its own spelling; offsets, which programs also know, are none. */
function checkTimezone(timezone: string): void {
  const known = zoneCalled(timezone)
  const isMisspelt = known !== timezone && known?.toLowerCase() === timezone.toLowerCase()
  if (!known || isMisspelt || !/^[A-Z]/.test(timezone)) throw new ApiError('Invalid timezone')
}

/** The zone of this name, which may be another name for it. */
function zoneCalled(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
