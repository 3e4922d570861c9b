import type pg from 'pg'

const channel = 'jobs:insert'
const pollMilliseconds = 2000
const due = 'select exists (select 1 from jobs.jobs where is_available and run_at <= now()) as is_due'

/**
 * Lets workers wait until there may be work: a transaction that added jobs was committed, or a job is due. Looking for
 * due jobs covers those scheduled for later, and a database without notifications. One query does so for all workers.
 */
export class WorkSignal {
  readonly #pool: pg.Pool
  #generation = 0
  #waiting = new Set<() => void>()
  #client: pg.PoolClient | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(pool: pg.Pool) {
    this.#pool = pool
    void this.#listen()
  }

  /** Pass this to `wait`. Read it before looking for work, so that jobs added in between are not missed. */
  get generation(): number {
    return this.#generation
  }

  async wait(since: number): Promise<void> {
    if (this.#generation === since) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  wake(): void {
    this.#generation++
    for (const done of this.#waiting) done()
    this.#waiting.clear()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#drop()
    this.wake()
  }

  async #listen(): Promise<void> {
    try {
      const client = await this.#pool.connect()
      this.#client = client
      client.on('notification', () => this.wake())
      client.on('error', () => this.#listenLater())
      client.on('end', () => this.#listenLater())
      await client.query(`listen "${channel}"`)
      this.wake()
      if (this.#isClosed) this.#drop()
      else this.#lookLater(client)
    } catch {
      this.#listenLater()
    }
  }

  #lookLater(client: pg.PoolClient): void {
    this.#timer = setTimeout(() => void this.#look(client), pollMilliseconds)
  }

  async #look(client: pg.PoolClient): Promise<void> {
    try {
      const { rows } = await client.query<{ is_due: boolean }>(due)
      if (rows[0]!.is_due) this.wake()
      if (client === this.#client) this.#lookLater(client)
    } catch {
      this.#listenLater()
    }
  }

  /** Workers look for work themselves until notifications are received again. */
  #listenLater(): void {
    this.#drop()
    clearTimeout(this.#timer)
    this.wake()
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#listen(), pollMilliseconds)
  }

  /** Closes the connection instead of returning it to the pool, because it still listens. */
  #drop(): void {
    const client = this.#client
    this.#client = undefined
    client?.removeAllListeners('notification')
    client?.removeAllListeners('end')
    client?.release(true)
  }
}
