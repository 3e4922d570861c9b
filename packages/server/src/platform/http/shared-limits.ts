import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { RateLimit, type Spending } from './rate-limit.ts'

const syncMilliseconds = 1000
/** For a key that takes a lot at once. */
const hotMilliseconds = 50
const forgetSeconds = 300

/**
 * Rate limits that the processes of a cluster share. Each process counts locally; once a second, while there are
 * requests, it adds its counts to the shared ones, in one statement, and reads what is left. Requests allowed in excess between exchanges become a
 * debt.
 */
export class SharedLimits {
  readonly #pool: pg.Pool
  readonly #log: FastifyBaseLogger
  readonly #limits = new Map<string, RateLimit>()
  #timer: NodeJS.Timeout | undefined
  #isHot = false
  #isSyncing = false
  /** Whether anything was counted since the last exchange began. */
  #isUsed = false
  #isClosed = false
  #forgotAt = performance.now()

  constructor(pool: pg.Pool, log: FastifyBaseLogger) {
    this.#pool = pool
    this.#log = log
  }

  /** A limit in requests per minute for each key, which may change; limits with different names are counted separately. */
  add(name: string, perMinute: number | (() => number)): RateLimit {
    const limit = new RateLimit(perMinute, (isHot) => this.#use(isHot))
    this.#limits.set(name, limit)
    return limit
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const limit of this.#limits.values()) limit.close()
  }

  /** Exchanges counts with the other processes. Without the database, each process counts by itself. */
  async sync(): Promise<void> {
    for (const [name, limit] of this.#limits) {
      const spendings = limit.takeSpendings()
      if (spendings.length > 0) await this.#share(name, limit, spendings)
    }
    await this.#forget()
  }

  async #share(name: string, limit: RateLimit, spendings: Spending[]): Promise<void> {
    try {
      for (const { key, tokens } of await addSpendings(this.#pool, name, spendings)) limit.correct(key, tokens)
    } catch (error) {
      for (const { key, spent } of spendings) limit.putBack(key, spent)
      this.#log.debug({ err: error }, 'rate limits could not be shared')
    }
  }

  async #forget(): Promise<void> {
    if (performance.now() - this.#forgotAt < forgetSeconds * 1000) return
    this.#forgotAt = performance.now()
    const old = `delete from rate_limits where updated_at < now() - interval '${forgetSeconds} seconds'`
    await this.#pool.query(old).catch(() => {})
  }

  #use(isHot: boolean): void {
    this.#isUsed = true
    if (this.#isClosed || this.#isSyncing || (this.#timer && (this.#isHot || !isHot))) return
    this.#isHot = isHot
    this.#plan(isHot ? hotMilliseconds : syncMilliseconds)
  }

  #plan(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#syncAndPlan(), milliseconds).unref()
  }

  async #syncAndPlan(): Promise<void> {
    this.#timer = undefined
    this.#isUsed = false
    this.#isSyncing = true
    await this.sync()
    this.#isSyncing = false
    this.#isHot = false
    if (this.#isUsed && !this.#isClosed) this.#plan(syncMilliseconds)
  }
}

/** In key order, so that two processes never deadlock. */
const statement = `
  insert into rate_limits as r (key, allowance, tokens, updated_at)
  select key, allowance, allowance - spent, now()
    from unnest($1::text[], $2::double precision[], $3::double precision[]) as added(key, allowance, spent)
   order by key
      on conflict (key) do update set
         allowance = excluded.allowance,
         tokens = greatest(-excluded.allowance, excluded.tokens - excluded.allowance + least(excluded.allowance,
           r.tokens + greatest(0, extract(epoch from now() - r.updated_at)) * excluded.allowance / 60)),
         updated_at = now()
  returning key, tokens`

async function addSpendings(pool: pg.Pool, name: string, spendings: Spending[]) {
  const prefix = `${name} `
  const { rows } = await pool.query<{ key: string; tokens: number }>(statement, [
    spendings.map(({ key }) => prefix + key),
    spendings.map(({ allowance }) => allowance),
    spendings.map(({ spent }) => spent),
  ])
  return rows.map(({ key, tokens }) => ({ key: key.slice(prefix.length), tokens }))
}
