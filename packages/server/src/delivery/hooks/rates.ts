import { LRUCache } from 'lru-cache'
import { ApiError } from '../../platform/http/api-error.ts'

const perSecond = 30

interface Bucket {
  tokens: number
  at: number
}

/** Per process. A hook that was forgotten has not been used for long, and starts full. */
const buckets = new LRUCache<string, Bucket>({ max: 10_000 })

/** Takes one request from the allowance of a hook. Throws if it sends more than 30 a second. */
export function limitHook(key: string, now = performance.now()): void {
  const { tokens, at } = buckets.get(key) ?? { tokens: perSecond, at: now }
  const left = Math.min(perSecond, tokens + ((now - at) / 1000) * perSecond)
  if (left < 1) throw new TooManyRequests()
  buckets.set(key, { tokens: left - 1, at: now })
}

class TooManyRequests extends ApiError {
  constructor() {
    super(`A hook takes at most ${perSecond} requests a second.`, 'RATE_LIMIT_HIT', {
      fields: { 'retry-after': 1 },
      headers: { 'Retry-After': '1' },
    })
  }
}
