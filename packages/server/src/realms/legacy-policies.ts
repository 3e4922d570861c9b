import type { RealmGroupSetting, SystemGroupName } from '@parley/api/settings'
import type { Realm } from './state.ts'

type Numbers = Partial<Record<SystemGroupName, number>>

const createChannel: Numbers = {
  'role:members': 1,
  'role:administrators': 2,
  'role:fullmembers': 3,
  'role:moderators': 4,
}
const createWebPublic: Numbers = {
  'role:administrators': 2,
  'role:moderators': 4,
  'role:nobody': 6,
  'role:owners': 7,
}
const wildcardMention: Numbers = {
  'role:everyone': 1,
  'role:members': 2,
  'role:fullmembers': 3,
  'role:administrators': 5,
  'role:nobody': 6,
  'role:moderators': 7,
}

/** Permissions in the numbers that older clients know. A group without a number counts as the largest that has one. */
export function legacyPolicies(realm: Realm) {
  return {
    realm_create_public_stream_policy: numberOf(realm, 'can_create_public_channel_group', createChannel, 1),
    realm_create_private_stream_policy: numberOf(realm, 'can_create_private_channel_group', createChannel, 1),
    realm_create_web_public_stream_policy: numberOf(realm, 'can_create_web_public_channel_group', createWebPublic, 4),
    realm_wildcard_mention_policy: numberOf(realm, 'can_mention_many_users_group', wildcardMention, 1),
  }
}

function numberOf(
  { permissions, systemGroups }: Realm,
  setting: RealmGroupSetting,
  numbers: Numbers,
  largest: number,
): number {
  const name = Object.entries(systemGroups).find(([, id]) => id === permissions[setting])?.[0]
  return numbers[name as SystemGroupName] ?? largest
}
