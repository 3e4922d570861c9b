import type { GroupSettingValue } from '@parley/api/common'
import type { QueueEvent } from '@parley/api/events'
import { legacyPolicies, legacyPoliciesOf } from '@parley/api/legacy-policies'
import { lookup } from '@parley/api/lookup'
import { realmGroupSettings } from '@parley/api/permission-settings'
import type { RealmPermissions } from '@parley/api/permissions'
import type { RealmSettings } from '@parley/api/settings'
import { realmSettingNames } from '../wire/wire.generated.ts'
import { deactivatedUser, withoutHolder } from './departures.ts'
import type { Groups } from './groups.ts'
import type { Slice, State } from './state.ts'

const images = ['icon', 'logo', 'night_logo'].flatMap((name) => [`${name}_url`, `${name}_source`])
const names = [
  'name',
  'description',
  'upload_quota_mib',
  ...images,
  ...realmSettingNames,
  ...Object.keys(realmGroupSettings),
]

type Image = 'icon' | 'logo' | 'night_logo'
/** Permissions that the server does not have, and all if the realm was not requested, are undefined. */
type Values = Partial<RealmSettings & Record<'name' | 'description' | `${Image}_${'url' | 'source'}`, string>> &
  RealmPermissions<GroupSettingValue | undefined>

/** Name, description and settings of the organization; names as in the API, without `realm_`. */
export class Realm implements Slice {
  readonly events = ['realm', 'realm_user', 'user_group'] as const
  readonly fields = [
    ...names.map((name) => `realm_${name}`),
    ...Object.keys(legacyPolicies),
    'realm_allow_edit_history',
    'jitsi_server_url',
  ]
  readonly settings: Values
  readonly #known: boolean
  readonly #usualMeetingServer: string | null | undefined
  readonly #groups: Groups

  constructor(state: State, groups: Groups) {
    this.#groups = groups
    this.settings = Object.fromEntries(names.map((name) => [name, lookup(state, `realm_${name}`)])) as Values
    this.#known = 'realm_name' in state
    this.#usualMeetingServer = state.server_jitsi_server_url
  }

  /** Where video calls with Jitsi are held. */
  get meetingServer(): string | null | undefined {
    return this.settings.jitsi_server_url ?? this.#usualMeetingServer
  }

  /** Who may do what in the organization. */
  get permissions(): RealmPermissions<GroupSettingValue | undefined> {
    return this.settings
  }

  apply(event: QueueEvent): void {
    const gone = deactivatedUser(event)
    if (gone !== undefined) Object.assign(this.settings, withoutHolder(this.settings, gone))
    if (event.type !== 'realm') return
    if (event.op === 'update') Object.assign(this.settings, { [event.property]: event.value })
    if (event.op === 'update_dict') Object.assign(this.settings, event.data)
  }

  #nameOf(value: GroupSettingValue | undefined): string | undefined {
    return typeof value === 'number' ? this.#groups.byId.get(value)?.name : undefined
  }

  snapshot(): State {
    if (!this.#known) return {}
    return {
      ...Object.fromEntries(names.map((name) => [`realm_${name}`, lookup(this.settings, name)])),
      ...legacyPoliciesOf((setting) => this.#nameOf(this.settings[setting])),
      realm_allow_edit_history: this.settings.message_edit_history_visibility_policy !== 'none',
      jitsi_server_url: this.meetingServer,
    }
  }
}
