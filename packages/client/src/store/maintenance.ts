import type { QueueEvent } from '@parley/api/events'
import type { Slice, State } from './state.ts'

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
