const maxQuick = 64
/** Attempts that take longer no longer count towards `maxQuick`, so that hanging endpoints do not block others. */
const slowAfterMilliseconds = 1000
/** Includes slow attempts. */
const maxRunning = 1000
/** Limits the capacity that a bot with a hanging endpoint can use. */
const maxPerBot = 2

/** The operations that a deliverer schedules. */
export interface Work {
  /** Makes the next due attempt for a bot. Returns whether there was one. */
  next(realmId: number, botId: number, signal: AbortSignal): Promise<boolean>
  /** Bots with due deliveries, including those that another process left behind. */
  overdue(): Promise<{ realm_id: number; bot_id: number }[]>
  interrupted(error: unknown): void
}

interface BotWork {
  realmId: number
  botId: number
  running: number
}

/**
 * Delivers to outgoing webhooks. A job only wakes a bot; the deliveries themselves are rows in the database. A slow
 * endpoint therefore blocks neither jobs nor other bots.
 */
export class Deliverer {
  readonly #work: Work
  readonly #bots = new Map<string, BotWork>()
  /** Bots that may have due deliveries, in the order in which they are served. */
  readonly #woken = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  /** The number of running attempts that are not slow yet. */
  #quick = 0
  readonly #stopping = new AbortController()

  constructor(work: Work) {
    this.#work = work
  }

  /** Schedules a bot that may have due deliveries. */
  wake(realmId: number, botId: number): void {
    const key = `${realmId} ${botId}`
    if (!this.#bots.has(key)) this.#bots.set(key, { realmId, botId, running: 0 })
    this.#woken.add(key)
    this.#begin()
  }

  /** Takes over deliveries that other processes left behind. */
  async resume(): Promise<void> {
    for (const { realm_id, bot_id } of await this.#work.overdue()) this.wake(realm_id, bot_id)
  }

  /** Aborts running attempts. Another process, or this one after a restart, retries them. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#running)
  }

  #begin(): void {
    for (const key of this.#woken) {
      if (this.#isFull() || this.#stopping.signal.aborted) return
      const bot = this.#bots.get(key)!
      if (bot.running >= maxPerBot) continue
      this.#woken.delete(key)
      this.#start(key, bot)
    }
  }

  #isFull(): boolean {
    return this.#quick >= maxQuick || this.#running.size >= maxRunning
  }

  #start(key: string, bot: BotWork): void {
    bot.running++
    const releaseSlot = this.#takeSlot()
    const work = this.#deliver(key, bot).finally(() => {
      this.#running.delete(work)
      bot.running--
      if (bot.running === 0 && !this.#woken.has(key)) this.#bots.delete(key)
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

  /** Makes one attempt. If there was one, the bot goes to the end of the line, because it may have more. */
  async #deliver(key: string, { realmId, botId }: BotWork): Promise<void> {
    try {
      if (await this.#work.next(realmId, botId, this.#stopping.signal)) this.#woken.add(key)
    } catch (error) {
      this.#work.interrupted(error)
    }
  }
}
