import pg from 'pg'

export type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void

/** How many connections a pool opens only for bursts that last. More are opened at once. */
const fewConnections = 4

/**
 * A pool that serves short bursts with the connections it has. A new connection takes longer than most statements and
 * 15 ms of CPU time, so that a server with little to do would spend most of its time on opening and closing them.
 */
export class PatientPool extends pg.Pool {
  readonly #patience: number
  readonly #waiting: (() => void)[] = []
  /** When the first caller found no free connection; undefined if there was one since. */
  #busySince: number | undefined

  constructor(options: pg.PoolConfig, patienceMilliseconds = 15) {
    super(options)
    this.#patience = patienceMilliseconds
    // The connection becomes free right after this event.
    this.on('release', () => this.#busySince !== undefined && queueMicrotask(() => this.#freed()))
  }

  override connect(callback?: Connected): never {
    const patience = this.#remaining()
    if (patience <= 0) return super.connect(callback as never) as never
    return answered(this.#connectSoon(patience), callback)
  }

  /** Milliseconds to wait for a connection of others. */
  #remaining(): number {
    if (this.#hasFree) this.#busySince = undefined
    if (this.#hasFree || this.ending || this.totalCount === 0 || this.totalCount >= fewConnections) return 0
    const now = performance.now()
    this.#busySince ??= now
    return this.#busySince + this.#patience - now
  }

  /** Those who wait for the pool itself get a connection before us. */
  get #hasFree(): boolean {
    return this.idleCount > this.waitingCount + this.#waiting.length
  }

  #connectSoon(milliseconds: number): Promise<pg.PoolClient> {
    return new Promise((resolve) => {
      const connect = () => {
        clearTimeout(timer)
        resolve(super.connect())
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(connect), 1)
        connect()
      }, milliseconds)
      this.#waiting.push(connect)
    })
  }

  #freed(): void {
    if (this.idleCount <= this.waitingCount) return
    const next = this.#waiting.shift()
    if (next) next()
    else this.#busySince = undefined
  }
}

/** The client, also for the callers that pass a callback. */
export function answered(connected: Promise<pg.PoolClient>, callback: Connected | undefined): never {
  if (callback)
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => {}),
    )
  return connected as never
}
