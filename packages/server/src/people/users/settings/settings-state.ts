import { lookup } from '@parley/api/lookup'
import { notificationSounds, type SettingDeclaration, type UserSettings, userSettings } from '@parley/api/settings'
import type { Snapshot } from '../../../snapshot.ts'
import { readSettingsDefaults } from './settings-defaults.ts'

const emojisetChoices = [
  { key: 'google', text: 'Google' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
]
const choices = { emojiset_choices: emojisetChoices, available_notification_sounds: notificationSounds }

export async function userSettingsState({ caller }: Snapshot): Promise<object> {
  return { user_settings: { ...caller.settings, timezone: caller.timezone, ...choices } }
}

export async function userSettingsDefaultsState({ db, caller }: Snapshot): Promise<object> {
  return { realm_user_settings_defaults: { ...(await readSettingsDefaults(db, caller.realm_id)), ...choices } }
}

export async function displaySettingsState({ caller }: Snapshot): Promise<object> {
  return {
    ...legacySettings(caller.settings, 'display'),
    timezone: caller.timezone,
    emojiset_choices: emojisetChoices,
  }
}

export async function notificationSettingsState({ caller }: Snapshot): Promise<object> {
  return {
    ...legacySettings(caller.settings, 'notifications'),
    available_notification_sounds: notificationSounds,
  }
}

function legacySettings(settings: UserSettings, form: SettingDeclaration['legacy']) {
  const declared: [string, SettingDeclaration][] = Object.entries(userSettings)
  return Object.fromEntries(
    declared.filter(([, { legacy }]) => legacy === form).map(([name]) => [name, lookup(settings, name)]),
  )
}
