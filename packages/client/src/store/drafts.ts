import type { QueueEvent } from '@parley/api/events'
import type { DraftState, Slice, State } from './state.ts'

type Draft = DraftState['drafts'][number]

/** The viewer's drafts. */
export class Drafts implements Slice {
  readonly events = ['drafts'] as const
  readonly fields = ['drafts'] as const
  readonly byId: Map<number, Draft>

  constructor({ drafts = [] }: State) {
    this.byId = new Map(drafts.map((draft) => [draft.id, draft]))
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'drafts') return
    if (event.op === 'remove') this.byId.delete(event.draft_id)
    else for (const draft of event.op === 'add' ? event.drafts : [event.draft]) this.byId.set(draft.id, draft)
  }

  /** Newest first. */
  snapshot(): DraftState {
    return { drafts: [...this.byId.values()].sort((a, b) => b.timestamp - a.timestamp || b.id - a.id) }
  }
}
