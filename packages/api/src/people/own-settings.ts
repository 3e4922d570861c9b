import { type TOptional, type TSchema, Type } from 'typebox'
import { keyword, shortText, text } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation } from '../operation.ts'
import { type SettingDeclaration, userSettings } from '../settings.ts'

type Settings = typeof userSettings
type Optionally<S extends Record<string, SettingDeclaration>> = { [Name in keyof S]: TOptional<S[Name]['schema']> }

const optionalSettings = Object.fromEntries(
  Object.entries(userSettings).map(([name, { schema }]) => [name, Type.Optional(schema as TSchema)]),
) as Optionally<Settings>

export const updateSettings = operation({
  name: 'updateSettings',
  method: 'PATCH',
  path: '/settings',
  aliases: ['/settings/display', '/settings/notifications'],
  access: 'human',
  tag: 'Users',
  summary: "Update the caller's own settings, name, time zone, password or email.",
  params: {
    full_name: Type.Optional(shortText),
    email: Type.Optional(shortText),
    old_password: Type.Optional(
      text(textLimits.password, {
        description: 'Needed for a new password, and for another email if the request has the cookie of a session.',
      }),
    ),
    new_password: Type.Optional(text(textLimits.password)),
    timezone: Type.Optional(keyword),
    ...optionalSettings,
  },
  errors: ['PASSWORD_REQUIRED'],
})

/** Personal settings that have no organization-wide default. */
const ownOnly = [
  'default_language',
  'allow_private_data_export',
  'enable_marketing_emails',
  'enable_login_emails',
  'web_sidebar',
  'quiet_hours',
  'notifications_paused_until',
  'notification_vips',
] as const

const defaultable = Object.fromEntries(
  Object.entries(optionalSettings).filter(([name]) => !ownOnly.some((one) => one === name)),
) as Omit<Optionally<Settings>, (typeof ownOnly)[number]>

export const updateSettingsDefaults = operation({
  name: 'updateSettingsDefaults',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  access: 'admin',
  tag: 'Organization',
  summary: 'Update the default settings of new users.',
  params: defaultable,
})
