import type { CallArguments, Caller, CallName, CallOptions, CallResponse } from './calls.ts'
import { encodeCall, type Wire } from './encode.ts'
import { ConnectionError, ParleyError } from './errors.ts'
import { type EventOptions, followEvents, type StateOrEvent } from './events.ts'
import { wire } from './wire.generated.ts'

/** A name that is missing here is missing in the generated file: npm run wire. */
const operations: Record<CallName, Wire> = wire

export interface ClientOptions {
  /** The URL of the server, such as https://chat.example.com. */
  site: string
  /** The account's email and API key. Without them, only operations that need no credentials can be called. */
  email?: string
  key?: string
  /** A browser that is signed in with a session cookie, instead of an API key. */
  usesCookie?: boolean
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch
}

/** One typed method per operation. */
export type Api = {
  readonly [Name in CallName]: (...args: CallArguments<Name>) => Promise<CallResponse<Name>>
}

/** A typed client of the server's API, for browsers and Node. */
export class ParleyClient implements Caller {
  readonly api: Api
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof fetch

  constructor({ site, email, key, usesCookie = false, fetch: given }: ClientOptions) {
    this.#base = `${site.replace(/(?<!\/)\/+$/, '')}/api/v1`
    this.#headers = email !== undefined && key !== undefined ? { Authorization: basic(email, key) } : {}
    if (usesCookie) this.#headers = { 'Parley-Client': 'web' }
    // Browsers require that `fetch` is called on the window.
    this.#fetch = given ?? ((...args) => fetch(...args))
    this.api = this.#methods()
  }

  /** Calls an operation by its name. Throws ParleyError if it is refused, ConnectionError without a valid response. */
  call<Name extends CallName>(name: Name, ...[params, options]: CallArguments<Name>): Promise<CallResponse<Name>> {
    const values = (params ?? {}) as Record<string, unknown>
    return this.#send(operations[name], values, options) as Promise<CallResponse<Name>>
  }

  /**
   * Yields the state, then all events, until aborted. Survives broken connections and server restarts; after the
   * queue is lost, yields a new state.
   */
  events(options: EventOptions = {}): AsyncGenerator<StateOrEvent, void, undefined> {
    return followEvents(this, options)
  }

  #methods(): Api {
    const names = Object.keys(operations) as CallName[]
    const entries = names.map((name) => [name, (...args: CallArguments<typeof name>) => this.call(name, ...args)])
    return Object.fromEntries(entries) as Api
  }

  async #send(wire: Wire, params: Record<string, unknown>, options: CallOptions = {}): Promise<unknown> {
    const { signal, idempotencyKey } = options
    const { path, form } = encodeCall(wire, params)
    const [method] = wire
    const inQuery = method === 'GET'
    const query = inQuery && form.size > 0 ? `?${form}` : ''
    const headers =
      idempotencyKey === undefined ? this.#headers : { ...this.#headers, 'Idempotency-Key': idempotencyKey }
    const request: RequestInit = { method, headers, signal: signal ?? null }
    const response = await this.#reach(
      this.#base + path + query,
      inQuery ? request : { ...request, body: form },
      signal,
    )
    return answerOf(response, await textOf(response, signal))
  }

  async #reach(url: string, request: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    try {
      return await this.#fetch(url, request)
    } catch (error) {
      throw troubleOf(error, signal)
    }
  }
}

async function textOf(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw troubleOf(error, signal)
  }
}

/** An abort by the caller is not a connection error. */
function troubleOf(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? error : new ConnectionError('The server cannot be reached.', error)
}

function answerOf(response: Response, text: string): unknown {
  const body = parsed(text)
  if (body === undefined) throw new ConnectionError(`Something that is not the server answered ${response.status}.`)
  if (response.status >= 400 || body.result === 'error') throw new ParleyError(response.status, body)
  const { result: _, msg: __, ...answer } = body
  return answer
}

/** A proxy in front of the server may respond with HTML. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isRecord(body) ? body : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** `btoa` accepts only bytes. */
function basic(email: string, key: string): string {
  const bytes = new TextEncoder().encode(`${email}:${key}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
