import type { Socket } from 'node:net'
import pg from 'pg'
import { checkWritable, type DatabaseHosts, type ReadOnly, readOnly } from './database-hosts.ts'
import { isReady, requireDriverParts, streamOf } from './driver-parts.ts'
import { readInTurns } from './read-in-turns.ts'

/** Ticks without an answer: together longer than `statement_timeout`, so that a working server always answers first. */
const silentTicks = 6
const endMilliseconds = 1000

export interface WatchedConfig extends pg.ClientConfig {
  /** All connections of this process to the same database. */
  peers: Set<WatchedClient>
  hosts: DatabaseHosts
  /** Settings of the session, by name. */
  settings: Record<string, number>
  tickMilliseconds?: number
}

/**
 * A connection that is destroyed if the server stays silent while a query waits. Otherwise a dead host or a forgotten
 * NAT entry would be noticed after 15 minutes. Idle connections have probably died as well, so they are closed too.
 */
export class WatchedClient extends pg.Client {
  readonly #peers: Set<WatchedClient>
  readonly #hosts: DatabaseHosts
  readonly #url: string
  readonly #settings: Record<string, number>
  readonly #tickMilliseconds: number
  #ticker: NodeJS.Timeout | undefined
  #received = 0
  #silent = 0
  #isWatched = true

  constructor({ peers, hosts, settings, tickMilliseconds = 1100, ...config }: WatchedConfig) {
    super({ ...config, connectionString: hosts.current })
    this.#peers = peers.add(this)
    this.#hosts = hosts
    this.#url = hosts.current
    this.#settings = settings
    this.#tickMilliseconds = tickMilliseconds
    this.once('connect', () => readInTurns(this.#stream))
    // A lost connection fails its query; without a listener, the same error would also end the process.
    this.on('error', () => {})
    this.on('drain', () => this.#stop()) // nothing is waited for any more
    this.once('end', () => {
      this.#stop()
      this.#peers.delete(this)
    })
  }

  /** The pool passes a callback. */
  override connect(callback?: (...args: never[]) => void): never {
    const connected = super.connect().then(() => this.#prepare())
    const ready = connected.catch((error: unknown) => {
      this.#hosts.failed(this.#url)
      this.#stream.destroy()
      throw error
    })
    if (callback) ready.then(() => callback(), callback as (error: Error) => void)
    return ready as never
  }

  /** Poolers refuse settings in the startup packet, so they are sent as statements. */
  async #prepare(): Promise<void> {
    requireDriverParts(this)
    const set = Object.entries(this.#settings).map(([name, value]) => `set ${name} = ${value};`)
    const results = (await (this as pg.Client).query(set.join('') + readOnly)) as unknown as pg.QueryResult<ReadOnly>[]
    checkWritable([results].flat().at(-1)!.rows[0]!)
  }

  /** Lets the queries of this connection take as long as they need. */
  async removeTimeouts(): Promise<void> {
    await (this as pg.Client).query('set statement_timeout = 0; set lock_timeout = 0')
    this.#isWatched = false
  }

  /** Queries of one turn are sent together. */
  override query(...args: unknown[]): never {
    const stream = this.#stream
    stream.cork()
    process.nextTick(() => stream.uncork())
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
    return streamOf(this)
  }

  get #isWaiting(): boolean {
    return !isReady(this)
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
