import type { PostgresPoolClient } from 'kysely'
import { createDatabase, createPool, type Database } from '../platform/db/pool.ts'

export interface HeldAnswers {
  db: Database
  /** Let the answers go that are held back, oldest first. */
  waiting: (() => void)[]
  close(): Promise<void>
}

/** Other connections to the same database. Answers to some statements arrive only when the test lets them go. */
export function holdAnswers(url: string, isHeld: (text: string) => boolean): HeldAnswers {
  const pool = createPool({ url, log: () => {} })
  const waiting: (() => void)[] = []
  const hold = async (query: { text: string }, answer: Promise<unknown>) => {
    await answer.catch(() => {})
    if (isHeld(query.text)) await new Promise<void>((resolve) => waiting.push(resolve))
    return answer
  }
  const connect = async () => {
    const client = await pool.connect()
    return {
      query: (query: string | { text: string }, values: unknown[]) =>
        hold(typeof query === 'string' ? { text: query } : query, client.query(query as string, values)),
      release: (destroy?: boolean) => client.release(destroy),
      getTransactionStatus: () => client.getTransactionStatus(),
    } as unknown as PostgresPoolClient
  }
  const held = new Proxy(pool, {
    get(target, key) {
      if (key === 'connect') return connect
      const value = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { db: createDatabase(held), waiting, close: () => pool.end() }
}
