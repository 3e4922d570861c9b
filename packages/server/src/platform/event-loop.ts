import { setImmediate as nextTurn } from 'node:timers/promises'

const longest = 8 // milliseconds that one task may block the event loop

/** Yields to the event loop when the current task has blocked it for long enough. */
export class Turns {
  #began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#began >= longest
  }

  async pause(): Promise<void> {
    if (!this.isOver) return
    await nextTurn()
    this.#began = performance.now()
  }
}

/** `list.map` for long lists: yields to the event loop in between. */
export async function mapYielding<From, To>(list: From[], map: (one: From) => To): Promise<To[]> {
  const turns = new Turns()
  const mapped: To[] = []
  for (const one of list) {
    if (turns.isOver) await turns.pause() // not for each item: that takes longer than to map it
    mapped.push(map(one))
  }
  return mapped
}

/** `Object.fromEntries(list.map(entry))` for long lists: yields to the event loop in between. */
export async function recordYielding<From, To>(
  list: From[],
  entry: (one: From) => readonly [string | number, To],
): Promise<Record<string, To>> {
  const turns = new Turns()
  const record: Record<string, To> = Object.create(null)
  for (const one of list) {
    if (turns.isOver) await turns.pause()
    const [key, value] = entry(one)
    // allowed: an object without a prototype inherits nothing
    record[key] = value
  }
  return record
}
