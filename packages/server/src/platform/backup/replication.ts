import type { Socket } from 'node:net'
import pg from 'pg'
import { backupApplication } from '../db/standby.ts'
import { reasonOf, StartupError } from '../postgres/startup-error.ts'

/** The part of pg's connection that a copy needs. */
interface Wire {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
}

/** Consumes a copy. Chunks arrive one after another; the next one waits until the promise is resolved. */
type Consume = (chunk: Buffer, reply: (message: Buffer) => void) => Promise<void>

/** A connection that speaks the replication protocol of PostgreSQL, for physical copies of the whole cluster. */
export class Replication {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async connect(url: string): Promise<Replication> {
    const config = { connectionString: url, replication: 'true', keepAlive: true, connectionTimeoutMillis: 5000 }
    const client = new pg.Client({ ...config, application_name: backupApplication } as pg.ClientConfig)
    client.on('error', () => {}) // the running command fails with it too
    try {
      await client.connect()
      return new Replication(client)
    } catch (error) {
      throw new StartupError(
        `The database does not allow a backup (${reasonOf(error)}): give its user the attribute REPLICATION, allow "replication" for it in pg_hba.conf, and connect without a pooler.`,
        { cause: error },
      )
    }
  }

  async query(text: string): Promise<Record<string, string>> {
    const { rows } = await this.#client.query<Record<string, string>>(text)
    return rows[0] ?? {}
  }

  /** Runs a command that answers with a copy. */
  copy(command: string, consume: Consume): Promise<void> {
    return new Promise((resolve, reject) => {
      const copy = new Copy(command, consume, resolve, reject)
      this.#client.once('end', () => copy.handleError(new Error('the connection to the database was closed')))
      this.#client.query(copy as never)
    })
  }

  close(): Promise<void> {
    return this.#client.end().catch(() => {})
  }
}

/** What pg's client calls while the command runs. */
class Copy {
  readonly #command: string
  readonly #consume: Consume
  readonly #resolve: () => void
  readonly #reject: (error: Error) => void
  #work: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #error: Error | undefined

  constructor(command: string, consume: Consume, resolve: () => void, reject: (error: Error) => void) {
    this.#command = command
    this.#consume = consume
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(wire: Wire): void {
    wire.query(this.#command)
  }

  handleCopyData({ chunk }: { chunk: Buffer }, wire: Wire): void {
    const own = Buffer.from(chunk) // the parser uses its memory again
    wire.stream.pause()
    this.#waiting++
    this.#work = this.#work
      .then(() => this.#consume(own, (message) => wire.sendCopyFromChunk(message)))
      .catch((error: Error) => {
        this.#error ??= error
        wire.stream.destroy()
      })
      .finally(() => --this.#waiting === 0 && wire.stream.resume())
  }

  handleError(error: Error): void {
    this.#error ??= error
    this.#end()
  }

  handleReadyForQuery(): void {
    this.#end()
  }

  #end(): void {
    void this.#work.then(() => (this.#error ? this.#reject(this.#error) : this.#resolve()))
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}
