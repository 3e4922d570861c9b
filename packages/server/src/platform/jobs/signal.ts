import type pg from 'pg'

const channel = 'jobs:insert'
const retryMilliseconds = 2000

/**
 * Lets workers wait until there may be work: a transaction that added jobs was committed, or the timeout has passed.
 * The timeout covers jobs scheduled for later and notifications missed while the connection was lost.
 */
export class WorkSignal {
  readonly #pool: pg.Pool
  #generation = 0
  #waiting = new Set<() => void>()
  #client: pg.PoolClient | undefined
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(pool: pg.Pool) {
    this.#pool = pool
    void this.#listen()
  }

  /** Pass this to `wait`. Read it before looking for work, so that jobs added in between are not missed. */
  get generation(): number {
    return this.#generation
  }

  wait(since: number, milliseconds: number): Promise<void> {
    if (this.#generation !== since) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.#waiting.add(done)
    })
  }

  wake(): void {
    this.#generation++
    for (const done of [...this.#waiting]) done()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
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
      if (this.#isClosed) this.#drop()
      else this.wake()
    } catch {
      this.#listenLater()
    }
  }

  #listenLater(): void {
    this.#drop()
    clearTimeout(this.#retry)
    if (!this.#isClosed) this.#retry = setTimeout(() => void this.#listen(), retryMilliseconds)
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
