import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { createClient } from '../../platform/db/pool.ts'

export type Heads = Map<number, number>

/**
 * Hints other processes to read the log immediately. A hint may get lost; polling covers that. A cluster that outgrows
 * NOTIFY can implement this interface with another message bus.
 */
export interface Wake {
  /** Reports the newest event number of a realm to the other processes. */
  hint(realmId: number, head: number): void
  close(): Promise<void>
}

const channel = 'parley_events'
/** Notified when the operator has changed settings that every process keeps. */
export const settingsChannel = 'parley_settings'
/** A listening connection only receives, so it would not notice that it was cut off. */
const checkMilliseconds = 10_000

export class PgWake implements Wake {
  readonly #me = randomUUID().slice(0, 8)
  readonly #pool: pg.Pool
  readonly #onHint: (heads: Heads) => void
  readonly #onSettings: () => unknown
  readonly #pending: Heads = new Map()
  #listener: pg.Client | undefined
  #sending = false
  #closed = false
  #retry: NodeJS.Timeout | undefined
  #check: NodeJS.Timeout | undefined

  constructor(pool: pg.Pool, onHint: (heads: Heads) => void, onSettings: () => unknown = () => {}) {
    this.#pool = pool
    this.#onHint = onHint
    this.#onSettings = onSettings
  }

  async listen(): Promise<void> {
    const client = createClient(this.#pool, 'parley wake')
    client.on('error', () => this.#listenAgain(client))
    client.on('end', () => this.#listenAgain(client))
    client.on('notification', (notification) => this.#onNotification(notification))
    try {
      await client.connect()
      await client.query(`listen ${channel}; listen ${settingsChannel}`)
      this.#listener = client
      await this.#onSettings() // they may have changed while nobody listened
      this.#check ??= setInterval(() => void this.#listener?.query('select').catch(() => {}), checkMilliseconds)
    } catch {
      this.#listenAgain(client)
    }
  }

  hint(realmId: number, head: number): void {
    this.#pending.set(realmId, head)
    if (!this.#sending) void this.#send()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    clearInterval(this.#check)
    await this.#listener?.end().catch(() => {})
  }

  /** Sends outside any transaction, one notification at a time. Hints that arrive during a send go into the next one. */
  async #send(): Promise<void> {
    this.#sending = true
    while (this.#pending.size > 0 && !this.#closed) {
      const heads = [...this.#pending].slice(0, 200)
      for (const [realmId] of heads) this.#pending.delete(realmId)
      const text = `${this.#me} ${heads.map(([realmId, head]) => `${realmId}:${head}`).join(' ')}`
      await this.#pool.query('select pg_notify($1, $2)', [channel, text]).catch(() => {})
    }
    this.#sending = false
  }

  #onNotification({ channel: name, payload = '' }: pg.Notification): void {
    if (name === settingsChannel) return void this.#onSettings()
    const [sender, ...parts] = payload.split(' ')
    if (sender === this.#me) return
    this.#onHint(new Map(parts.map((part) => part.split(':').map(Number) as [number, number])))
  }

  #listenAgain(client: pg.Client): void {
    client.removeAllListeners('end')
    client.removeAllListeners('notification')
    client.on('error', () => {})
    if (this.#closed || this.#retry) return
    this.#listener = undefined
    void client.end().catch(() => {})
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      void this.listen()
    }, 500)
  }
}
