import { ApiError } from './http/api-error.ts'

export interface FairQueueOptions {
  /** How many jobs run at once. */
  concurrency: number
  /** How many of them may belong to one owner, so that a slot stays free for the others. */
  concurrencyPerOwner?: number
  /** How many jobs of one owner may wait. */
  waitingPerOwner: number
  /** How many jobs may wait in total. */
  waitingInTotal: number
}

/** The queue is full. An owner over their own share gets 429; when the whole queue is full, every owner gets 503. */
export class QueueFull extends ApiError {
  constructor(code: 'RATE_LIMIT_HIT' | 'SERVICE_UNAVAILABLE', seconds: number) {
    const isOwner = code === 'RATE_LIMIT_HIT'
    super(
      isOwner ? 'Too many of your requests are waiting; try again later.' : 'The server is busy; try again later.',
      code,
      { ...(isOwner && { fields: { 'retry-after': seconds } }), headers: { 'Retry-After': String(seconds) } },
    )
  }
}

interface Owner {
  key: string
  running: number
  waiting: (() => void)[]
}

const retryAfterSeconds = 5

/**
 * Runs jobs a few at a time. Owners with waiting jobs take turns, so one owner's backlog delays another owner by one
 * job at most. Within one owner the order is first come, first served.
 */
export class FairQueue {
  #running = 0
  #waiting = 0
  /**
   * Owners with a running or waiting job. Map order is turn order: an owner who has just had a turn moves to the end.
   */
  readonly #owners = new Map<string, Owner>()
  readonly #options: FairQueueOptions

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Runs `work` when it is the owner's turn. Throws QueueFull instead of waiting in a full queue. */
  async run<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    const owner = this.#ownerOf(key)
    if (this.#mayRun(owner)) this.#begin(owner)
    else await this.#wait(owner)
    try {
      return await work()
    } finally {
      this.#end(owner)
    }
  }

  #ownerOf(key: string): Owner {
    return this.#owners.get(key) ?? { key, running: 0, waiting: [] }
  }

  #mayRun({ running }: Owner): boolean {
    const { concurrency, concurrencyPerOwner = concurrency } = this.#options
    return this.#running < concurrency && running < concurrencyPerOwner
  }

  #begin(owner: Owner): void {
    this.#running++
    owner.running++
    this.#moveToEnd(owner)
  }

  #moveToEnd(owner: Owner): void {
    this.#owners.delete(owner.key)
    if (owner.running > 0 || owner.waiting.length > 0) this.#owners.set(owner.key, owner)
  }

  #wait(owner: Owner): Promise<void> {
    const { waitingPerOwner, waitingInTotal } = this.#options
    if (owner.waiting.length >= waitingPerOwner) throw new QueueFull('RATE_LIMIT_HIT', retryAfterSeconds)
    if (this.#waiting >= waitingInTotal) throw new QueueFull('SERVICE_UNAVAILABLE', retryAfterSeconds)
    this.#owners.set(owner.key, owner)
    this.#waiting++
    return new Promise((resolve) => owner.waiting.push(resolve))
  }

  #end(owner: Owner): void {
    this.#running--
    owner.running--
    this.#moveToEnd(owner)
    const next = this.#nextOwner()
    if (!next) return
    this.#waiting--
    this.#begin(next)
    next.waiting.shift()!()
  }

  #nextOwner(): Owner | undefined {
    for (const owner of this.#owners.values()) if (owner.waiting.length > 0 && this.#mayRun(owner)) return owner
    return undefined
  }
}
