import type { QueueEvent } from '@parley/api/events'
import { legacySettingNames } from '../wire/wire.generated.ts'
import { pick, type Slice, type State } from './state.ts'

export type OwnSettings = NonNullable<State['user_settings']>

const objects = ['user_settings', 'realm_user_settings_defaults'] as const

/** The viewer's settings, also as legacy top-level fields, and the default settings of new users. */
export class Preferences implements Slice {
  readonly events = [
    'realm_user_settings_defaults',
    'update_display_settings',
    'update_global_notifications',
    'user_settings',
  ] as const
  readonly fields: readonly string[] = [...objects, ...legacySettingNames]
  #state: State

  constructor(state: State) {
    this.#state = pick(state, this.fields)
  }

  /** One of the viewer's settings. */
  get<Name extends keyof OwnSettings>(name: Name): OwnSettings[Name] | undefined {
    return this.#state.user_settings?.[name]
  }

  apply(event: QueueEvent): void {
    switch (event.type) {
      case 'user_settings':
        this.#set('user_settings', event.property, event.value)
        break
      case 'realm_user_settings_defaults':
        this.#set('realm_user_settings_defaults', event.property, event.value)
        break
      case 'update_display_settings':
        this.#state = { ...this.#state, [event.setting_name]: event.setting }
        break
      case 'update_global_notifications':
        this.#state = { ...this.#state, [event.notification_name]: event.setting }
        break
    }
  }

  #set(object: (typeof objects)[number], property: string, value: unknown): void {
    const known = this.#state[object]
    if (known) this.#state = { ...this.#state, [object]: { ...known, [property]: value } }
  }

  snapshot(): State {
    return this.#state
  }
}
