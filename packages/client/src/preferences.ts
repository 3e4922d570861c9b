import type { QueueEvent } from '@parley/api/events'
import { lookup } from '@parley/api/lookup'
import { pick, type Slice, type State } from './state.ts'
import { legacySettingNames } from './wire.generated.ts'

const objects = ['user_settings', 'realm_user_settings_defaults'] as const

/** The viewer's settings, also as legacy top-level fields, and the default settings of new users. */
export class Preferences implements Slice {
  readonly fields: readonly string[] = [...objects, ...legacySettingNames]
  #state: State

  constructor(state: State) {
    this.#state = pick(state, this.fields)
  }

  /** One of the viewer's settings. */
  get(name: string): unknown {
    return lookup((this.#state.user_settings ?? {}) as Record<string, unknown>, name)
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
