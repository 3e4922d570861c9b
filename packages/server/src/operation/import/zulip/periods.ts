import type { Membership } from './zulip-tables.ts'

/** A time in a channel, by message ids: after `from`, up to `to`. */
export interface Period {
  user: number
  channel: number
  from: number
  to: number | null
}

/** When people were in channels, by the audit log; without that, from the first message that they have a copy of. */
export class Periods {
  readonly #periods = new Map<string, Period[]>()
  readonly #first = new Map<string, number>()
  readonly #last = new Map<string, number>()

  constructor(memberships: Membership[]) {
    for (const { user, channel, joins, lastMessage } of memberships) {
      const list = this.#of(user, channel)
      const open = list.at(-1)
      if (joins && open?.to !== null) list.push({ user, channel, from: lastMessage, to: null })
      else if (!joins && open?.to === null) open.to = lastMessage
    }
  }

  #of(user: number, channel: number): Period[] {
    const key = `${user} ${channel}`
    const list = this.#periods.get(key) ?? []
    this.#periods.set(key, list)
    return list
  }

  /** A copy of a message, which is not one of those from before their time. */
  note(user: number, channel: number, message: number): void {
    const key = `${user} ${channel}`
    if ((this.#periods.get(key)?.length ?? 0) > 0) return
    if (!this.#first.has(key)) this.#first.set(key, message)
    this.#last.set(key, message)
  }

  /** Call it for everybody who is or was in a channel, when all copies are known. */
  complete(user: number, channel: number, isActive: boolean, end: number): void {
    const list = this.#of(user, channel)
    const key = `${user} ${channel}`
    if (list.length === 0) {
      const first = this.#first.get(key)
      if (first !== undefined || isActive)
        list.push({ user, channel, from: (first ?? end + 1) - 1, to: isActive ? null : this.#last.get(key)! })
    }
    const last = list.at(-1)
    if (isActive && last && last.to !== null) list.push({ user, channel, from: last.to, to: null })
    else if (!isActive && last?.to === null) last.to = this.#last.get(key) ?? end
  }

  includes(user: number, channel: number, message: number): boolean {
    const list = this.#periods.get(`${user} ${channel}`)
    return list?.some(({ from, to }) => from < message && (to === null || message <= to)) ?? false
  }

  /** The last message before the present time there; 0 for people who are not there. */
  since(user: number, channel: number): number {
    const last = this.#periods.get(`${user} ${channel}`)?.at(-1)
    return last?.to === null ? last.from : 0
  }

  /** Leaves out a message that a user has no copy of, because it was moved there. */
  leaveOut(user: number, channel: number, message: number): void {
    const list = this.#of(user, channel)
    const index = list.findIndex(({ from, to }) => from < message && (to === null || message <= to))
    const period = list[index]
    if (period) list.splice(index, 1, { ...period, to: message - 1 }, { ...period, from: message })
  }

  *all(): Generator<Period> {
    for (const list of this.#periods.values()) yield* list
  }
}
