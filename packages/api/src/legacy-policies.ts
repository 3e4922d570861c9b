import { lookup } from './lookup.ts'
import type { RealmGroupSetting, SystemGroupName } from './permission-settings.ts'

interface Policy {
  setting: RealmGroupSetting
  numbers: Partial<Record<SystemGroupName, number>>
  /** For a group without a number: the number of the largest group that has one. */
  largest: number
}

const createChannel = { 'role:members': 1, 'role:administrators': 2, 'role:fullmembers': 3, 'role:moderators': 4 }

/** Permissions as the numbers that older clients know, by field of the `POST /register` response. */
export const legacyPolicies = {
  realm_create_public_stream_policy: {
    setting: 'can_create_public_channel_group',
    numbers: createChannel,
    largest: 1,
  },
  realm_create_private_stream_policy: {
    setting: 'can_create_private_channel_group',
    numbers: createChannel,
    largest: 1,
  },
  realm_create_web_public_stream_policy: {
    setting: 'can_create_web_public_channel_group',
    numbers: { 'role:administrators': 2, 'role:moderators': 4, 'role:nobody': 6, 'role:owners': 7 },
    largest: 4,
  },
  realm_wildcard_mention_policy: {
    setting: 'can_mention_many_users_group',
    numbers: {
      'role:everyone': 1,
      'role:members': 2,
      'role:fullmembers': 3,
      'role:administrators': 5,
      'role:nobody': 6,
      'role:moderators': 7,
    },
    largest: 1,
  },
} as const satisfies Record<string, Policy>

/** All legacy fields. `groupOf` returns the name of the system group that a setting is set to, if any. */
export function legacyPoliciesOf(
  groupOf: (setting: RealmGroupSetting) => string | undefined,
): Record<keyof typeof legacyPolicies, number> {
  const entries = Object.entries<Policy>(legacyPolicies).map(([field, { setting, numbers, largest }]) => [
    field,
    lookup(numbers, groupOf(setting) ?? '') ?? largest,
  ])
  return Object.fromEntries(entries)
}
