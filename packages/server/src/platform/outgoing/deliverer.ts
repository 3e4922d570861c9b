/** Attempts that take longer no longer count towards `quick`, so that hanging endpoints do not block others. */
const slowAfterMilliseconds = 1000

/** How many attempts run at once. */
export interface Limits {
  quick: number
  /** Includes slow attempts. */
  running: number
  /** Limits the capacity that one hanging endpoint can use. */
  perTarget: number
}

const manyEndpoints: Limits = { quick: 64, running: 1000, perTarget: 2 }

/** The operations that a deliverer schedules. */
export interface Work {
  /** Makes the next due attempt for a target. Returns whether there was one. */
  next(realmId: number, targetId: number, signal: AbortSignal): Promise<boolean>
  /** Targets with due deliveries, including those that another process left behind. */
  overdue(): Promise<{ realm_id: number; target_id: number }[]>
  interrupted(error: unknown): void
}

interface TargetWork {
  realmId: number
  targetId: number
  running: number
}

/**
 * Delivers to where users chose: outgoing webhooks, push services and mailboxes. Waking a target is only a hint; the deliveries
 * themselves are rows in the database. A slow endpoint therefore blocks neither jobs nor other targets.
 */
export class Deliverer {
  readonly #work: Work
  readonly #limits: Limits
  readonly #targets = new Map<string, TargetWork>()
  /** Targets that may have due deliveries, in the order in which they are served. */
  readonly #woken = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  /** The number of running attempts that are not slow yet. */
  #quick = 0
  readonly #stopping = new AbortController()

  constructor(work: Work, limits = manyEndpoints) {
    this.#work = work
    this.#limits = limits
  }

  /** Schedules a target that may have due deliveries. */
  wake(realmId: number, targetId: number): void {
    const key = `${realmId} ${targetId}`
    if (!this.#targets.has(key)) this.#targets.set(key, { realmId, targetId, running: 0 })
    this.#woken.add(key)
    this.#begin()
  }

  /** Takes over deliveries that other processes left behind. */
  async resume(): Promise<void> {
    for (const { realm_id, target_id } of await this.#work.overdue()) this.wake(realm_id, target_id)
  }

  /** Aborts running attempts. Another process, or this one after a restart, retries them. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#running)
  }

  #begin(): void {
    for (const key of this.#woken) {
      if (this.#isFull() || this.#stopping.signal.aborted) return
      const target = this.#targets.get(key)!
      if (target.running >= this.#limits.perTarget) continue
      this.#woken.delete(key)
      this.#start(key, target)
    }
  }

  #isFull(): boolean {
    return this.#quick >= this.#limits.quick || this.#running.size >= this.#limits.running
  }

  #start(key: string, target: TargetWork): void {
    target.running++
    const releaseSlot = this.#takeSlot()
    const work = this.#deliver(key, target).finally(() => {
      this.#running.delete(work)
      target.running--
      if (target.running === 0 && !this.#woken.has(key)) this.#targets.delete(key)
      releaseSlot()
    })
    this.#running.add(work)
  }

  /** Takes a slot for quick attempts. Returns a function that releases it; a timer releases it too. */
  #takeSlot(): () => void {
    this.#quick++
    let isQuick = true
    const releaseSlot = () => {
      clearTimeout(timer)
      if (isQuick) this.#quick--
      isQuick = false
      this.#begin()
    }
    const timer = setTimeout(releaseSlot, slowAfterMilliseconds)
    return releaseSlot
  }

  /** Makes one attempt. If there was one, the target goes to the end of the line, because it may have more. */
  async #deliver(key: string, { realmId, targetId }: TargetWork): Promise<void> {
    try {
      if (await this.#work.next(realmId, targetId, this.#stopping.signal)) this.#woken.add(key)
    } catch (error) {
      this.#work.interrupted(error)
    }
  }
}
