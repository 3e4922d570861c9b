import type { QueueEvent } from '@parley/api/events'
import { legacyPolicies, legacyPoliciesOf } from '@parley/api/legacy-policies'
import { lookup } from '@parley/api/lookup'
import { deactivatedUser, withoutHolder } from './departures.ts'
import type { Groups } from './groups.ts'
import type { Slice, State } from './state.ts'
import { realmSettingNames } from './wire.generated.ts'

const images = ['icon', 'logo', 'night_logo'].flatMap((name) => [`${name}_url`, `${name}_source`])
const names = ['name', 'description', ...images, ...realmSettingNames]

/** Name, description and settings of the organization; names as in the API, without `realm_`. */
export class Realm implements Slice {
  readonly fields = [
    ...names.map((name) => `realm_${name}`),
    ...Object.keys(legacyPolicies),
    'realm_allow_edit_history',
    'jitsi_server_url',
  ]
  readonly settings: Record<string, unknown>
  readonly #known: boolean
  readonly #usualMeetingServer: unknown
  readonly #groups: Groups

  constructor(state: State, groups: Groups) {
    this.#groups = groups
    this.settings = Object.fromEntries(names.map((name) => [name, lookup(state, `realm_${name}`)]))
    this.#known = 'realm_name' in state
    this.#usualMeetingServer = state.server_jitsi_server_url
  }

  apply(event: QueueEvent): void {
    const gone = deactivatedUser(event)
    if (gone !== undefined) Object.assign(this.settings, withoutHolder(this.settings, gone))
    if (event.type !== 'realm') return
    if (event.op === 'update') Object.assign(this.settings, { [event.property]: event.value })
    if (event.op === 'update_dict') Object.assign(this.settings, event.data)
  }

  snapshot(): State {
    if (!this.#known) return {}
    return {
      ...Object.fromEntries(names.map((name) => [`realm_${name}`, lookup(this.settings, name)])),
      ...legacyPoliciesOf((setting) => this.#groups.byId.get(this.settings[setting] as number)?.name),
      realm_allow_edit_history: this.settings.message_edit_history_visibility_policy !== 'none',
      jitsi_server_url: this.settings.jitsi_server_url ?? this.#usualMeetingServer,
    }
  }
}
