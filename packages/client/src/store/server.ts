import type { QueueEvent } from '@parley/api/events'
import type { Slice, State } from './state.ts'

const names = ['zulip_version', 'zulip_feature_level', 'zulip_merge_base', 'server_generation'] as const

/** The server's version and generation, as far as the registration included them. */
export class Server implements Slice {
  readonly events = ['restart'] as const
  readonly fields = names
  readonly about: State

  constructor(state: State) {
    this.about = Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]))
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'restart') return
    for (const name of names) if (name in this.about) Object.assign(this.about, { [name]: event[name] })
  }

  snapshot(): State {
    return this.about
  }
}

/** Whether the operator has stopped all changes for a while. */
export class Maintenance implements Slice {
  readonly events = ['server_maintenance'] as const
  readonly fields = ['server_maintenance'] as const
  /** What it is for; null: there is none. */
  text: string | null

  constructor({ server_maintenance = null }: State) {
    this.text = server_maintenance
  }

  apply(event: QueueEvent): void {
    if (event.type === 'server_maintenance') this.text = event.text
  }

  snapshot(): State {
    return { server_maintenance: this.text }
  }
}
