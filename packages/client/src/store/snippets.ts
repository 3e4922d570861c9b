import type { QueueEvent } from '@parley/api/events'
import type { Slice, SnippetState, State } from './state.ts'

type Snippet = SnippetState['saved_snippets'][number]

/** The viewer's saved snippets. */
export class Snippets implements Slice {
  readonly events = ['saved_snippets'] as const
  readonly fields = ['saved_snippets'] as const
  readonly byId: Map<number, Snippet>

  constructor({ saved_snippets = [] }: State) {
    this.byId = new Map(saved_snippets.map((snippet) => [snippet.id, snippet]))
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'saved_snippets') return
    if (event.op === 'remove') this.byId.delete(event.saved_snippet_id)
    else this.byId.set(event.saved_snippet.id, event.saved_snippet)
  }

  snapshot(): SnippetState {
    return { saved_snippets: [...this.byId.values()] }
  }
}
