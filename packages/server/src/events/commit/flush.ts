import type pg from 'pg'
import { batched } from '../../platform/batch-loader.ts'
import { openConnection } from '../../platform/db/pool.ts'

/** Waits until every transaction that has committed so far survives a crash. */
export type Flush = () => Promise<void>

/** The flushes of a process. All of them use one connection. */
export class Flushes {
  readonly #pool: pg.Pool
  #session: Promise<Flush> | undefined

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /**
   * Call this before the transaction begins, or before its effects are read. The flush uses one connection from then on and
   * fails with it: on another one, it could reach a database that has crashed, or failed over, and lost the transaction.
   */
  open(): Promise<Flush> {
    this.#session ??= this.#openSession()
    return this.#session
  }

  async #openSession(): Promise<Flush> {
    const forget = () => {
      this.#session = undefined
    }
    try {
      const client = await openConnection(this.#pool, 'parley flush')
      client.once('end', forget)
      // One flush serves all that wait for it; those who come while it is going on wait for the next one.
      const flush = batched((waiting: null[]) => writeDurably(client, waiting), { isSequential: true })
      return async () => void (await flush(null))
    } catch (error) {
      forget()
      throw error
    }
  }
}

/** The commit of any later transaction flushes what was committed before, also to a synchronous standby. */
async function writeDurably(client: pg.Client, waiting: null[]): Promise<null[]> {
  await client.query({ name: 'flush', text: `select pg_logical_emit_message(true, 'parley', '')` })
  return waiting
}
