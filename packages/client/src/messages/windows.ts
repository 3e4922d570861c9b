import type { QueueEvent } from '@parley/api/events'
import { type Narrow, narrowKey } from './narrow.ts'
import { MessageWindow, type SavedWindow, type WindowDeps } from './window.ts'

/** How many narrows keep their messages while others are shown. */
const maxWindows = 40

/** The windows of recently opened narrows, the latest last. */
export class Windows {
  readonly #deps: () => WindowDeps
  #byKey = new Map<string, MessageWindow>()

  constructor(deps: () => WindowDeps) {
    this.#deps = deps
  }

  get all(): MessageWindow[] {
    return [...this.#byKey.values()]
  }

  open(narrow: Narrow): MessageWindow {
    const key = narrowKey(narrow)
    const opened = this.#byKey.get(key) ?? new MessageWindow(narrow, this.#deps())
    this.#byKey.delete(key)
    this.#byKey.set(key, opened)
    if (this.#byKey.size > maxWindows) this.#byKey.delete(this.#byKey.keys().next().value!)
    return opened
  }

  restore(saved: readonly SavedWindow[]): void {
    for (const one of saved) this.open(one.narrow).restore(one)
  }

  apply(event: QueueEvent): void {
    for (const window of this.#byKey.values()) window.apply(event)
  }

  clear(): void {
    this.#byKey = new Map()
  }
}
