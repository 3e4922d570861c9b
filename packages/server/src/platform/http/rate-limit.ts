import { ApiError } from './api-error.ts'

const windowSeconds = 60

interface Bucket {
  tokens: number
  updated: number
  /** Taken since the last exchange with the other processes. */
  spent: number
}

export interface Quota {
  limit: number
  remaining: number
  /** Seconds until the allowance is full again. */
  reset: number
}

export interface Spending {
  key: string
  allowance: number
  spent: number
}

/**
 * A token bucket for each key, refilled within a minute. It is local, so that no request waits for it; SharedLimits
 * exchanges the counts between the processes of a cluster.
 */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()
  readonly #unshared = new Set<string>()
  readonly #limitNow: () => number
  readonly #onUse: (isHot: boolean) => void
  readonly #sweeper: NodeJS.Timeout

  /** `onUse` is called when there are counts to share; soon, if one key takes a lot at once. */
  constructor(limit: number | (() => number), onUse: (isHot: boolean) => void = () => {}) {
    this.#limitNow = typeof limit === 'number' ? () => limit : limit
    this.#onUse = onUse
    this.#sweeper = setInterval(() => this.#sweep(), windowSeconds * 1000).unref()
  }

  get #limit(): number {
    return this.#limitNow()
  }

  /** Takes one request from the allowance. Throws if none is left. */
  take(key: string): Quota {
    const bucket = this.#refilled(key)
    if (bucket.tokens < 1) throw this.#exceeded(bucket)
    bucket.tokens -= 1
    bucket.spent += 1
    this.#unshared.add(key)
    this.#onUse(bucket.spent >= this.#limit / 10)
    return this.#quota(bucket)
  }

  /** Reverts `take`. */
  giveBack(key: string): void {
    const bucket = this.#buckets.get(key)
    if (!bucket) return
    bucket.tokens = Math.min(this.#limit, bucket.tokens + 1)
    bucket.spent -= 1
    this.#unshared.add(key)
    this.#onUse(false)
  }

  /** Header values for a caller without a limit. */
  full(): Quota {
    return { limit: this.#limit, remaining: this.#limit, reset: 0 }
  }

  /** What was taken since the last call. */
  takeSpendings(): Spending[] {
    const spendings = [...this.#unshared].map((key) => this.#takeSpending(key))
    this.#unshared.clear()
    return spendings.filter(({ spent }) => spent !== 0)
  }

  /** Sets what is left over all processes; requests taken here since then are not included yet. */
  correct(key: string, tokens: number): void {
    const bucket = this.#refilled(key)
    bucket.tokens = tokens - bucket.spent
  }

  /** The exchange failed: the counts are sent with the next one. */
  putBack(key: string, spent: number): void {
    this.#refilled(key).spent += spent
    this.#unshared.add(key)
    this.#onUse(false)
  }

  close(): void {
    clearInterval(this.#sweeper)
  }

  #takeSpending(key: string): Spending {
    const bucket = this.#refilled(key)
    const { spent } = bucket
    bucket.spent = 0
    return { key, allowance: this.#limit, spent }
  }

  #refilled(key: string): Bucket {
    const now = performance.now()
    const known = this.#buckets.get(key)
    if (!known) {
      const bucket = { tokens: this.#limit, updated: now, spent: 0 }
      this.#buckets.set(key, bucket)
      return bucket
    }
    const earned = ((now - known.updated) / 1000 / windowSeconds) * this.#limit
    known.tokens = Math.min(this.#limit, known.tokens + earned)
    known.updated = now
    return known
  }

  #quota({ tokens }: Bucket): Quota {
    const missing = this.#limit - tokens
    return {
      limit: this.#limit,
      remaining: Math.max(0, Math.floor(tokens)),
      reset: Math.ceil((missing / this.#limit) * windowSeconds),
    }
  }

  #exceeded({ tokens }: Bucket): ApiError {
    const wait = ((1 - tokens) / this.#limit) * windowSeconds
    return new ApiError('API usage exceeded rate limit', 'RATE_LIMIT_HIT', {
      fields: { 'retry-after': wait },
      headers: {
        'Retry-After': String(Math.ceil(wait)),
        'X-RateLimit-Limit': String(this.#limit),
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1000 + wait)),
      },
    })
  }

  #sweep(): void {
    const idle = performance.now() - windowSeconds * 1000
    // A negative balance is kept until it is refilled, which takes one more window.
    for (const [key, { updated, tokens, spent }] of this.#buckets)
      if (updated < idle && tokens >= 0 && spent === 0) this.#buckets.delete(key)
  }
}
