import type { Row } from '../rows/row-values.ts'

/** Reactions by message. There may be millions, so an emoji is a number, and a reaction three of them. */
export class ReactionTable {
  readonly #messages: number[] = []
  readonly #users: number[] = []
  readonly #emoji: number[] = []
  readonly #known: Row[] = []
  readonly #numbers = new Map<string, number>()
  #order = new Uint32Array(0)

  add({ message, user_profile, emoji_name, emoji_code, reaction_type }: Row): void {
    if (typeof message !== 'number' || typeof user_profile !== 'number') return
    const key = JSON.stringify([emoji_name, emoji_code, reaction_type])
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.#known.push({ emoji_name, emoji_code, reaction_type }) - 1
      this.#numbers.set(key, number)
    }
    this.#messages.push(message)
    this.#users.push(user_profile)
    this.#emoji.push(number)
  }

  get count(): number {
    return this.#messages.length
  }

  /** Call it when all were added. Those of a message keep their order. */
  close(): void {
    this.#order = Uint32Array.from(this.#messages.keys()).sort(
      (a, b) => this.#messages[a]! - this.#messages[b]! || a - b,
    )
  }

  of(message: number): Row[] {
    const found: Row[] = []
    for (let place = this.#first(message); place < this.#order.length; place++) {
      const index = this.#order[place]!
      if (this.#messages[index] !== message) break
      found.push({ ...this.#known[this.#emoji[index]!], user_id: this.#users[index] })
    }
    return found
  }

  #first(message: number): number {
    let [low, high] = [0, this.#order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#messages[this.#order[middle]!]! < message) low = middle + 1
      else high = middle
    }
    return low
  }
}
