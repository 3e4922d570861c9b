import type { ShownMessage } from '../messages/cache.ts'
import type { LocalChange } from '../messages/local-events.ts'
import { Backoff, pause } from '../wire/backoff.ts'
import type { CallArguments, Caller, CallName, CallParams, CallResponse } from '../wire/calls.ts'
import { ConnectionError, ParleyError } from '../wire/errors.ts'

/** A write that must reach the server once, as it is stored until then. */
export interface Delivery<Name extends CallName = CallName, Params = unknown> {
  /** Its Idempotency-Key. */
  key: string
  name: Name
  params: Params
  /** When it was made, in milliseconds. */
  at: number
  /** What it shows before the server answers. */
  change?: LocalChange | undefined
  /** The message that it sends, as it is shown until the server's arrives. */
  message?: ShownMessage | undefined
  /** Why it was refused. It is not sent again by itself. */
  failure?: string | undefined
}

/** Where deliveries survive the end of the program. */
export interface DeliveryStorage {
  put(delivery: Delivery): void
  remove(key: string): void
}

const attemptMilliseconds = 30_000
/** The server keeps keys for 24 hours. Later, a repeated request could be applied a second time. */
const repeatableMilliseconds = 23 * 3_600_000

/** The server did not answer for so long that repeating the call would no longer be safe. */
export class DeliveryExpired extends Error {
  /** The only failure of a message that does not come from the server. */
  static readonly text = 'The server could not be reached for a day. Check whether this arrived before you repeat it.'

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
  readonly #storage: DeliveryStorage | undefined
  readonly #queue: (() => Promise<void>)[] = []
  #isBusy = false
  #pause = new AbortController()

  constructor(client: Caller, storage?: DeliveryStorage) {
    this.#client = client
    this.#storage = storage
  }

  /** Resolves once the server answered. Throws if it refused. */
  deliver<Name extends CallName>(
    name: Name,
    params: CallParams<Name>,
    shown: Pick<Delivery, 'change' | 'message'> = {},
  ): Promise<CallResponse<Name>> {
    return this.resume({ key: newKey(), name, params, at: Date.now(), ...shown })
  }

  /** Like `deliver`, for a delivery of an earlier start, which may have been sent already. */
  resume<Name extends CallName>(delivery: Delivery<Name>): Promise<CallResponse<Name>> {
    this.keep(delivery)
    return new Promise((resolve, reject) => {
      this.#queue.push(() => this.#finish(delivery).then(resolve, reject))
      if (!this.#isBusy) void this.#run()
    })
  }

  keep(delivery: Delivery): void {
    this.#storage?.put(delivery)
  }

  forget(key: string): void {
    this.#storage?.remove(key)
  }

  /** Tries again at once, because the server answers again. */
  hurry(): void {
    this.#pause.abort()
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    for (let finish = this.#queue[0]; finish; finish = this.#queue[0]) {
      await finish()
      this.#queue.shift()
    }
    this.#isBusy = false
  }

  /** An expired delivery stays stored, so that the user can decide about it. */
  async #finish<Name extends CallName>(delivery: Delivery<Name>): Promise<CallResponse<Name>> {
    try {
      const response = await this.#persist(delivery)
      this.forget(delivery.key)
      return response
    } catch (error) {
      if (!(error instanceof DeliveryExpired)) this.forget(delivery.key)
      throw error
    }
  }

  async #persist<Name extends CallName>(delivery: Delivery<Name>): Promise<CallResponse<Name>> {
    const backoff = new Backoff()
    for (;;) {
      if (Date.now() - delivery.at > repeatableMilliseconds) throw new DeliveryExpired()
      try {
        return await this.#attempt(delivery)
      } catch (error) {
        const wait = waitAfter(error, backoff)
        if (wait === undefined) throw error
        this.#pause = new AbortController()
        await pause(wait, this.#pause.signal)
      }
    }
  }

  /** `deliver` has checked the parameters of what is stored. */
  #attempt<Name extends CallName>({ name, params, key }: Delivery<Name>): Promise<CallResponse<Name>> {
    const options = { idempotencyKey: key, signal: AbortSignal.timeout(attemptMilliseconds) }
    return this.#client.call(name, ...([params, options] as CallArguments<Name>))
  }
}

/** How long to wait before a repetition; undefined if the server refused the call. */
function waitAfter(error: unknown, backoff: Backoff): number | undefined {
  if (!(error instanceof ParleyError)) return isLost(error) ? backoff.failed() : undefined
  if (error.code === 'RATE_LIMIT_HIT') return Number(error.fields['retry-after'] ?? 1) * 1000
  return ['IDEMPOTENCY_KEY_IN_USE', 'SERVICE_UNAVAILABLE'].includes(error.code) ? backoff.failed() : undefined
}

/** Whether no valid response arrived. */
function isLost(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof Error && error.name === 'TimeoutError')
}

/** Browsers offer `randomUUID` only on HTTPS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
