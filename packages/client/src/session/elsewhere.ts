import type { ShownMessage } from '../messages/cache.ts'

/** What tabs of an account say to each other about messages that wait for the server. */
export type WaitingNews =
  /** All that a tab is sending, or could not send. */
  | { type: 'waiting'; tab: string; messages: ShownMessage[] }
  /** The user decided about a message of another tab. */
  | { type: 'decided'; local_id: string; decision: 'retry' | 'discard' }

interface Display {
  show(message: ShownMessage): void
  hide(message: ShownMessage): void
  /** An id here, because those of another tab may be used here too. */
  nextId(): number
}

/** Messages that other tabs are sending. They are shown here too, and sent there. */
export class WaitingElsewhere {
  readonly #display: Display
  readonly #shown = new Map<string, { tab: string; message: ShownMessage }>()

  constructor(display: Display) {
    this.#display = display
  }

  get messages(): ShownMessage[] {
    return [...this.#shown.values()].map(({ message }) => message)
  }

  has(localId: string): boolean {
    return this.#shown.has(localId)
  }

  hear({ tab, messages }: Extract<WaitingNews, { type: 'waiting' }>): void {
    const waiting = new Set(messages.map(({ local_id }) => local_id))
    for (const [localId, one] of this.#shown) if (one.tab === tab && !waiting.has(localId)) this.forget(localId)
    for (const message of messages) this.#take(tab, message)
  }

  #take(tab: string, message: ShownMessage): void {
    const localId = message.local_id!
    const known = this.#shown.get(localId)?.message
    if (known && known.failure === message.failure) return void this.#shown.set(localId, { tab, message: known })
    this.forget(localId)
    const shown = { ...message, id: this.#display.nextId() }
    this.#shown.set(localId, { tab, message: shown })
    this.#display.show(shown)
  }

  /** It arrived, or this tab sends it now. */
  forget(localId: string): void {
    const known = this.#shown.get(localId)
    if (!known) return
    this.#shown.delete(localId)
    this.#display.hide(known.message)
  }
}
