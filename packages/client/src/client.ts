import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import type { CallAnswer, CallArguments, Caller, CallName, CallOptions } from './calls.ts'
import { encodeCall } from './encode.ts'
import { ConnectionTrouble, ParleyError } from './errors.ts'
import { type EventOptions, followEvents, type News } from './events.ts'

export interface ClientOptions {
  /** Where the server is, such as https://chat.example.com. */
  site: string
  /** The account's address and API key; without them only what needs no credentials can be called. */
  email?: string
  key?: string
  /** How requests are made, if not with the platform's own `fetch`. */
  fetch?: typeof fetch
}

/** One method for every operation, with its parameters and its answer typed. */
export type Api = {
  readonly [Name in CallName]: (...args: CallArguments<Name>) => Promise<CallAnswer<Name>>
}

/** The server's API for programs: in browsers and in Node alike. */
export class ParleyClient implements Caller {
  readonly api: Api
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof fetch

  constructor({ site, email, key, fetch: given }: ClientOptions) {
    this.#base = `${site.replace(/\/+$/, '')}/api/v1`
    this.#headers = email !== undefined && key !== undefined ? { Authorization: basic(email, key) } : {}
    // Browsers insist that `fetch` is called on the window.
    this.#fetch = given ?? ((...args) => fetch(...args))
    this.api = this.#methods()
  }

  /** Calls an operation by its name. Throws ParleyError if it is refused, ConnectionTrouble if no answer came. */
  call<Name extends CallName>(name: Name, ...[params, options]: CallArguments<Name>): Promise<CallAnswer<Name>> {
    const values = (params ?? {}) as Record<string, unknown>
    return this.#send(operations[name] as Operation, values, options) as Promise<CallAnswer<Name>>
  }

  /**
   * The state, and everything that happens to it from then on, until the signal is given or the reader stops.
   * Outlives broken connections and restarts of the server; if the queue was lost, a new state follows.
   */
  events(options: EventOptions = {}): AsyncGenerator<News, void, undefined> {
    return followEvents(this, options)
  }

  #methods(): Api {
    const names = Object.keys(operations) as CallName[]
    const entries = names.map((name) => [name, (...args: CallArguments<typeof name>) => this.call(name, ...args)])
    return Object.fromEntries(entries) as Api
  }

  async #send(operation: Operation, params: Record<string, unknown>, { signal }: CallOptions = {}): Promise<unknown> {
    const { path, form } = encodeCall(operation, params)
    const inQuery = operation.method === 'GET'
    const query = inQuery && form.size > 0 ? `?${form}` : ''
    const request: RequestInit = { method: operation.method, headers: this.#headers, signal: signal ?? null }
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

/** Giving up on purpose is no trouble. */
function troubleOf(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? error : new ConnectionTrouble('The server cannot be reached.', error)
}

function answerOf(response: Response, text: string): unknown {
  const body = parsed(text)
  if (body === undefined) throw new ConnectionTrouble(`Something that is not the server answered ${response.status}.`)
  if (response.status >= 400 || body.result === 'error') throw new ParleyError(response.status, body)
  const { result: _, msg: __, ...answer } = body
  return answer
}

/** A proxy that stands in for the server answers in HTML. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** `btoa` takes bytes only. */
function basic(email: string, key: string): string {
  const bytes = new TextEncoder().encode(`${email}:${key}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
