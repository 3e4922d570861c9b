import { type TOptional, type TSchema, Type } from 'typebox'
import { operation } from './operation.ts'
import { type SettingDeclaration, userSettings } from './settings.ts'

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
    full_name: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    old_password: Type.Optional(
      Type.String({
        description: 'Needed for a new password, and for another email if the request has the cookie of a session.',
      }),
    ),
    new_password: Type.Optional(Type.String()),
    timezone: Type.Optional(Type.String()),
    ...optionalSettings,
  },
})

/** Personal settings that have no organization-wide default. */
const ownOnly = ['default_language', 'allow_private_data_export', 'enable_marketing_emails', 'enable_login_emails']

type OwnOnly = 'default_language' | 'allow_private_data_export' | 'enable_marketing_emails' | 'enable_login_emails'
const defaultable = Object.fromEntries(
  Object.entries(optionalSettings).filter(([name]) => !ownOnly.includes(name)),
) as Omit<Optionally<Settings>, OwnOnly>

export const updateSettingsDefaults = operation({
  name: 'updateSettingsDefaults',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  access: 'admin',
  tag: 'Organization',
  summary: 'Update the default settings of new users.',
  params: defaultable,
})
