import { Backoff, pause } from './backoff.ts'
import type { CallArguments, Caller, CallName, CallParams, CallResponse } from './calls.ts'
import { ConnectionError, ParleyError } from './errors.ts'

interface Delivery {
  attempt: () => Promise<unknown>
  /** When it was sent first. */
  since?: number
  resolve: (response: never) => void
  reject: (error: unknown) => void
}

const attemptMilliseconds = 30_000
/** The server keeps keys for 24 hours. Later, a repeated request could be applied a second time. */
const repeatableMilliseconds = 23 * 3_600_000

/** The server did not answer for so long that repeating the call would no longer be safe. */
export class DeliveryExpired extends Error {
  /** The only failure of a message that does not come from the server. */
  static readonly text = 'The server could not be reached for a day. Look whether this arrived before you repeat it.'

  constructor() {
    super(DeliveryExpired.text)
  }
}

/**
 * Delivers writes one after another, in the order in which they were made. Each is repeated, with its own
 * Idempotency-Key, until the server answers; so it is applied once, even if a response was lost.
 */
export class Deliveries {
  readonly #client: Caller
  readonly #queue: Delivery[] = []
  #isBusy = false
  #pause = new AbortController()

  constructor(client: Caller) {
    this.#client = client
  }

  /** Resolves once the server answered. Throws if it refused. */
  deliver<Name extends CallName>(name: Name, params: CallParams<Name>): Promise<CallResponse<Name>> {
    const idempotencyKey = newKey()
    const attempt = () => {
      const options = { idempotencyKey, signal: AbortSignal.timeout(attemptMilliseconds) }
      return this.#client.call(name, ...([params, options] as unknown as CallArguments<Name>))
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ attempt, resolve: resolve as Delivery['resolve'], reject })
      if (!this.#isBusy) void this.#run()
    })
  }

  /** Tries again at once, because the server answers again. */
  hurry(): void {
    this.#pause.abort()
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    for (let delivery = this.#queue[0]; delivery; delivery = this.#queue[0]) {
      await this.#finish(delivery)
      this.#queue.shift()
    }
    this.#isBusy = false
  }

  async #finish(delivery: Delivery): Promise<void> {
    const backoff = new Backoff()
    for (;;) {
      try {
        delivery.resolve((await attemptOnce(delivery)) as never)
        return
      } catch (error) {
        const wait = waitAfter(error, backoff)
        if (wait === undefined) return delivery.reject(error)
        this.#pause = new AbortController()
        await pause(wait, this.#pause.signal)
      }
    }
  }
}

function attemptOnce(delivery: Delivery): Promise<unknown> {
  delivery.since ??= Date.now()
  if (Date.now() - delivery.since > repeatableMilliseconds) throw new DeliveryExpired()
  return delivery.attempt()
}

/** How long to wait before a repetition; undefined if the server refused the call. */
function waitAfter(error: unknown, backoff: Backoff): number | undefined {
  if (!(error instanceof ParleyError)) return isLost(error) ? backoff.failed() : undefined
  if (error.code === 'RATE_LIMIT_HIT') return Number(error.fields['retry-after'] ?? 1) * 1000
  return ['IDEMPOTENCY_KEY_IN_USE', 'SERVICE_UNAVAILABLE'].includes(error.code) ? backoff.failed() : undefined
}

/** Whether no valid response arrived. */
function isLost(error: unknown): boolean {
  return error instanceof ConnectionError || (error as Error | undefined)?.name === 'TimeoutError'
}

/** Browsers offer `randomUUID` only on HTTPS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
