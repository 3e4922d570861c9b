import type { PoolClient } from 'pg'
import { Flushes } from '../../events/commit/flush.ts'
import { createDatabase, createPool, type Database } from '../../platform/db/pool.ts'

export interface HeldAnswers {
  db: Database
  flushes: Flushes
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
  const holding = (client: PoolClient) =>
    replacing(client, {
      query: (query: string | { text: string }, values: unknown[]) =>
        hold(typeof query === 'string' ? { text: query } : query, client.query(query as string, values)),
    })
  const clients = new WeakMap<PoolClient, PoolClient>()
  const connect = async () => {
    const client = await pool.connect()
    const known = clients.get(client) ?? holding(client)
    clients.set(client, known)
    return known
  }
  const held = replacing(pool, { connect })
  return { db: createDatabase(held), flushes: new Flushes(held), waiting, close: () => pool.end() }
}

/** The same object with other methods in place of some. */
function replacing<T extends object>(original: T, methods: object): T {
  return new Proxy(original, {
    get(target, key) {
      if (key in methods) return Reflect.get(methods, key)
      const value = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
