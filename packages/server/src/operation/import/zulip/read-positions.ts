/** Counts for one person in one conversation. */
interface Position {
  balance: number
  least: number
  floor: number
}

/**
 * Up to which message everybody has read each conversation. Zulip marks every message by itself, and we keep a floor with
 * exceptions: the floor is where exceptions are fewest.
 */
export class ReadPositions {
  readonly #positions = new Map<string, Position>()

  /** Messages of a conversation come in order. */
  pass(user: number, conversation: string, message: number, isRead: boolean): void {
    const key = `${user} ${conversation}`
    const position = this.#positions.get(key) ?? { balance: 0, least: 0, floor: 0 }
    position.balance += isRead ? -1 : 1
    if (position.balance <= position.least && isRead) {
      position.least = position.balance
      position.floor = message
    }
    this.#positions.set(key, position)
  }

  /** What was sent before a user came, up to `least`, is read. */
  floor(user: number, conversation: string, least: number): number {
    return Math.max(this.#positions.get(`${user} ${conversation}`)?.floor ?? 0, least)
  }
}
