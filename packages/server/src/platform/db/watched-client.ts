import type { Socket } from 'node:net'
import pg from 'pg'
import { readInTurns } from './read-in-turns.ts'

/** Ticks without an answer: together longer than `statement_timeout`, so that a working server always answers first. */
const silentTicks = 6
const endMilliseconds = 1000

export interface WatchedConfig extends pg.ClientConfig {
  /** All connections of this process to the same database. */
  peers: Set<WatchedClient>
  tickMilliseconds?: number
}

/**
 * A connection that is destroyed if the server stays silent while a query waits. Otherwise a dead host or a forgotten
 * NAT entry would be noticed after 15 minutes. Idle connections have probably died as well, so they are closed too.
 */
export class WatchedClient extends pg.Client {
  readonly #peers: Set<WatchedClient>
  readonly #tickMilliseconds: number
  #ticker: NodeJS.Timeout | undefined
  #received = 0
  #silent = 0
  #isWatched = true

  constructor({ peers, tickMilliseconds = 1100, ...config }: WatchedConfig) {
    super(config)
    this.#peers = peers.add(this)
    this.#tickMilliseconds = tickMilliseconds
    this.once('connect', () => readInTurns(this.#stream))
    this.once('end', () => {
      this.#stop()
      this.#peers.delete(this)
    })
  }

  /** Lets the queries of this connection take as long as they need. */
  async removeTimeouts(): Promise<void> {
    await (this as pg.Client).query('set statement_timeout = 0; set lock_timeout = 0')
    this.#isWatched = false
  }

  override query(...args: unknown[]): never {
    const result = (super.query as (...args: unknown[]) => unknown)(...args)
    if (this.#ticker === undefined && this.#isWatched) this.#start()
    return result as never
  }

  /** A dead server does not confirm the end either. */
  override end(...args: unknown[]): never {
    const timer = setTimeout(() => this.#stream.destroy(), endMilliseconds)
    this.once('end', () => clearTimeout(timer))
    return (super.end as (...args: unknown[]) => unknown)(...args) as never
  }

  get #stream(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream
  }

  get #isWaiting(): boolean {
    return (this as unknown as { readyForQuery?: boolean }).readyForQuery !== true
  }

  #start(): void {
    this.#silent = 0
    this.#ticker = setInterval(() => this.#tick(), this.#tickMilliseconds).unref()
  }

  #stop(): void {
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }

  /** Counts ticks, not time: after a pause of the whole process, the answers that have arrived are read first. */
  #tick(): void {
    const { bytesRead } = this.#stream
    this.#silent = bytesRead === this.#received && this.#isWaiting ? this.#silent + 1 : 0
    this.#received = bytesRead
    if (!this.#isWaiting || !this.#isWatched) this.#stop()
    else if (this.#silent >= silentTicks) this.#destroyWithPeers()
  }

  #destroyWithPeers(): void {
    this.#destroy()
    for (const peer of [...this.#peers]) if (peer.#isIdle) peer.#destroy()
  }

  get #isIdle(): boolean {
    return !this.#isWaiting && this.getTransactionStatus() === 'I'
  }

  #destroy(): void {
    this.#stop()
    const silence = new Error('the database did not answer')
    this.#stream.destroy(Object.assign(silence, { code: 'ETIMEDOUT', syscall: 'read' }))
  }
}
