import { emptyTopicDisplayName } from '@parley/api/common'
import { legacyPoliciesOf } from '@parley/api/legacy-policies'
import { bigBlueButton } from '@parley/api/settings'
import { fakeDomain, type Realm } from '../../callers/realm-state.ts'
import { unixSeconds } from '../../platform/text.ts'
import type { Snapshot } from '../../snapshot.ts'
import { externalAccounts } from './external-accounts.ts'
import { imagesOf } from './images.ts'
import { serverState } from './server-state.ts'
import { authenticationMethods } from './setting-rules.ts'

/** The organization without its permissions, which organization/groups/initial-state.ts adds. */
export async function realmState(snapshot: Snapshot): Promise<object> {
  const { realm } = snapshot.caller
  return {
    ...prefixed(realm.settings),
    ...identityOf(realm, snapshot.realmUrl),
    ...prefixed(imagesOf(realm)),
    ...authentication(snapshot.isDemo),
    ...legacyPoliciesOf((setting) => systemGroupOf(realm, realm.permissions[setting])),
    realm_allow_edit_history: realm.settings.message_edit_history_visibility_policy !== 'none',
    realm_empty_topic_display_name: emptyTopicDisplayName,
    realm_push_notifications_enabled: false,
    realm_push_notifications_enabled_end_timestamp: null,
    realm_presence_disabled: false,
    realm_plan_type: 1,
    realm_upload_quota_mib: snapshot.uploadQuota,
    realm_available_video_chat_providers: videoProviders(snapshot.hasBigBlueButton),
    realm_default_external_accounts: externalAccounts,
    ...serverState(snapshot),
  }
}

function systemGroupOf({ systemGroups }: Realm, group: number): string | undefined {
  return Object.entries(systemGroups).find(([, id]) => id === group)?.[0]
}

function videoProviders(hasBigBlueButton: boolean) {
  return {
    disabled: { name: 'None', id: 0 },
    jitsi_meet: { name: 'Jitsi Meet', id: 1 },
    ...(hasBigBlueButton && { big_blue_button: { name: 'BigBlueButton', id: bigBlueButton } }),
  }
}

function prefixed(settings: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`realm_${name}`, value]))
}

function identityOf(realm: Realm, url: string) {
  return {
    realm_name: realm.name,
    realm_description: realm.description,
    realm_url: url,
    realm_uri: url,
    realm_bot_domain: fakeDomain(realm),
    realm_date_created: unixSeconds(realm.date_created),
  }
}

function authentication(isDemo: boolean) {
  const methods = authenticationMethods(isDemo).map((name) => [name, { enabled: true, available: true }])
  return {
    realm_authentication_methods: Object.fromEntries(methods),
    realm_email_auth_enabled: true,
    realm_password_auth_enabled: true,
  }
}
