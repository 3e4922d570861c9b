import { ApiError } from './api-error.ts'

interface Bucket {
  tokens: number
  updated: number
}

export interface Quota {
  limit: number
  remaining: number
  /** Seconds until the whole allowance is back. */
  reset: number
}

/**
 * A token bucket for each key, in this process. Processes that share a database each allow the full rate: the limit
 * protects a process from one loud client; guessing passwords is counted in the database (users/login-limit.ts).
 */
export class RateLimit {
  readonly #buckets = new Map<string | number, Bucket>()
  readonly #limit: number
  readonly #window: number
  readonly #sweeper: NodeJS.Timeout

  constructor(limit: number, windowSeconds: number) {
    this.#limit = limit
    this.#window = windowSeconds * 1000
    this.#sweeper = setInterval(() => this.#sweep(), this.#window).unref()
  }

  /** Takes one request out of the allowance. Throws when there is none left. */
  take(key: string | number): Quota {
    const now = performance.now()
    const bucket = this.#refilled(key, now)
    if (bucket.tokens < 1) throw this.#exceeded(bucket)
    bucket.tokens -= 1
    return this.#quota(bucket)
  }

  /** Puts back what `take` took. */
  giveBack(key: string | number): void {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.tokens = Math.min(this.#limit, bucket.tokens + 1)
  }

  /** The headers' figures for a caller who is not limited. */
  full(): Quota {
    return { limit: this.#limit, remaining: this.#limit, reset: 0 }
  }

  close(): void {
    clearInterval(this.#sweeper)
  }

  #refilled(key: string | number, now: number): Bucket {
    const known = this.#buckets.get(key)
    if (!known) {
      const bucket = { tokens: this.#limit, updated: now }
      this.#buckets.set(key, bucket)
      return bucket
    }
    const earned = ((now - known.updated) / this.#window) * this.#limit
    known.tokens = Math.min(this.#limit, known.tokens + earned)
    known.updated = now
    return known
  }

  #quota({ tokens }: Bucket): Quota {
    const missing = this.#limit - tokens
    return {
      limit: this.#limit,
      remaining: Math.floor(tokens),
      reset: Math.ceil((missing / this.#limit) * (this.#window / 1000)),
    }
  }

  #exceeded({ tokens }: Bucket): ApiError {
    const wait = ((1 - tokens) / this.#limit) * (this.#window / 1000)
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
    const idle = performance.now() - this.#window
    for (const [key, bucket] of this.#buckets) if (bucket.updated < idle) this.#buckets.delete(key)
  }
}
