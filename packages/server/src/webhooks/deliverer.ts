const mostAtOnce = 64
/** Who takes longer than this has made room for another: many endpoints that hang are no reason to wait. */
const slowAfterMilliseconds = 1000
/** The slow ones included. */
const mostInAll = 1000
/** A bot whose endpoint hangs takes no more than this from the others. */
const mostPerBot = 2

/** What a deliverer is given to do. */
export interface Work {
  /** Makes the next attempt that is due for a bot; tells whether there was one. */
  next(realmId: number, botId: number, signal: AbortSignal): Promise<boolean>
  /** Bots that have something due, whoever has to do it. */
  overdue(): Promise<{ realm_id: number; bot_id: number }[]>
  interrupted(error: unknown): void
}

interface BotWork {
  realmId: number
  botId: number
  running: number
}

/**
 * Delivers to outgoing webhooks. A job only wakes a bot: what there is to deliver stands in the database, and an
 * endpoint that takes its time keeps no job waiting, nor any other bot.
 */
export class Deliverer {
  readonly #work: Work
  readonly #bots = new Map<string, BotWork>()
  /** Bots that may have something due, in turn. */
  readonly #woken = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  /** How many of them have not taken long yet. */
  #quick = 0
  readonly #stopping = new AbortController()

  constructor(work: Work) {
    this.#work = work
  }

  /** There may be something to deliver for a bot. */
  wake(realmId: number, botId: number): void {
    const key = `${realmId} ${botId}`
    if (!this.#bots.has(key)) this.#bots.set(key, { realmId, botId, running: 0 })
    this.#woken.add(key)
    this.#begin()
  }

  /** Takes over what others left behind. */
  async resume(): Promise<void> {
    for (const { realm_id, bot_id } of await this.#work.overdue()) this.wake(realm_id, bot_id)
  }

  /** Ends what is under way; it is delivered later, by whoever runs then. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#running)
  }

  #begin(): void {
    for (const key of this.#woken) {
      if (this.#isFull() || this.#stopping.signal.aborted) return
      const bot = this.#bots.get(key)!
      if (bot.running >= mostPerBot) continue
      this.#woken.delete(key)
      this.#start(key, bot)
    }
  }

  #isFull(): boolean {
    return this.#quick >= mostAtOnce || this.#running.size >= mostInAll
  }

  #start(key: string, bot: BotWork): void {
    bot.running++
    const makeRoom = this.#takeRoom()
    const work = this.#deliver(key, bot).finally(() => {
      this.#running.delete(work)
      bot.running--
      if (bot.running === 0 && !this.#woken.has(key)) this.#bots.delete(key)
      makeRoom()
    })
    this.#running.add(work)
  }

  /** Takes a place among the quick, and returns what gives it back; time does so too. */
  #takeRoom(): () => void {
    this.#quick++
    let isQuick = true
    const makeRoom = () => {
      clearTimeout(timer)
      if (isQuick) this.#quick--
      isQuick = false
      this.#begin()
    }
    const timer = setTimeout(makeRoom, slowAfterMilliseconds)
    return makeRoom
  }

  /** One attempt; if there was one to make, there may be another, but first it is the others' turn. */
  async #deliver(key: string, { realmId, botId }: BotWork): Promise<void> {
    try {
      if (await this.#work.next(realmId, botId, this.#stopping.signal)) this.#woken.add(key)
    } catch (error) {
      this.#work.interrupted(error)
    }
  }
}
