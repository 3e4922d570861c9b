import type pg from 'pg'
import { WorkTurns } from './work-turns.ts'

const channel = 'jobs:insert'
const pollMilliseconds = 2000
const idleMilliseconds = 5000
const next =
  'select ceil(extract(epoch from min(run_at) - now()) * 1000)::float8 as milliseconds from jobs.jobs where is_available'

/**
 * Lets workers wait until there may be work: a transaction that added jobs was committed, or a job is due. Looking for
 * due jobs covers those scheduled for later, and a database without notifications. One query does so for all workers.
 */
export class WorkSignal {
  readonly turns = new WorkTurns()
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
      client.on('notification', () => this.#notified(client))
      client.on('error', () => this.#listenLater())
      client.on('end', () => this.#listenLater())
      await client.query(`listen "${channel}"`)
      this.wake()
      if (this.#isClosed) this.#drop()
      else this.#lookLater(client, pollMilliseconds)
    } catch {
      this.#listenLater()
    }
  }

  /** A job that was added may be due before the next look. */
  #notified(client: pg.PoolClient): void {
    this.wake()
    this.#lookLater(client, pollMilliseconds)
  }

  #lookLater(client: pg.PoolClient, milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(client), milliseconds)
  }

  async #look(client: pg.PoolClient): Promise<void> {
    try {
      const { rows } = await client.query<{ milliseconds: number | null }>(next)
      const milliseconds = rows[0]!.milliseconds ?? idleMilliseconds
      if (milliseconds <= 0) this.wake()
      const pause = milliseconds <= 0 ? pollMilliseconds : Math.min(milliseconds, idleMilliseconds)
      if (client === this.#client) this.#lookLater(client, pause)
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
