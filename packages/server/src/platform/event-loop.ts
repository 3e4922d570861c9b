import { setImmediate as nextTurn } from 'node:timers/promises'

const longest = 8 // milliseconds that nobody else is served
const stride = 200

/** Lets others have their turn when this one has lasted long enough. */
export class Turns {
  #began = performance.now()

  async pause(): Promise<void> {
    if (performance.now() - this.#began < longest) return
    await nextTurn()
    this.#began = performance.now()
  }
}

/** `list.map`, for lists that may be long. */
export async function mapYielding<From, To>(list: From[], map: (one: From) => To): Promise<To[]> {
  const turns = new Turns()
  const mapped: To[] = []
  for (const [index, one] of list.entries()) {
    if (index % stride === 0) await turns.pause()
    mapped.push(map(one))
  }
  return mapped
}
