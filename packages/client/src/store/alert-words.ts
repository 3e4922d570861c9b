import type { QueueEvent } from '@parley/api/events'
import type { AlertWordState, Slice, State } from './state.ts'

/** The viewer's alert words. */
export class AlertWords implements Slice {
  readonly events = ['alert_words'] as const
  readonly fields = ['alert_words'] as const
  list: string[]

  constructor({ alert_words = [] }: State) {
    this.list = alert_words
  }

  apply(event: QueueEvent): void {
    if (event.type === 'alert_words') this.list = event.alert_words
  }

  snapshot(): AlertWordState {
    return { alert_words: this.list }
  }
}
