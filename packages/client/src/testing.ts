import type { QueueEvent } from '@parley/api/events'
import type { Delivery } from './session/deliveries.ts'
import type { SavedSession, SessionChange, SessionStorage } from './session/saved-session.ts'
import { ParleyClient } from './wire/client.ts'

export interface Received {
  method: string
  /** Below /api/v1. */
  path: string
  params: Record<string, string>
  authorization: string | null
  idempotencyKey?: string
}

type Answer = object | Error | (() => Promise<object>)

/**
 * A client that gets its responses from a list instead of a server, and the requests it made. An error in the list is
 * a broken connection; deleting a queue succeeds without using up a response.
 */
export function scripted(...answers: Answer[]): { client: ParleyClient; received: Received[] } {
  const received: Received[] = []
  const reach: typeof fetch = async (url, request = {}): Promise<Response> => {
    received.push(requestOf(String(url), request))
    return responseOf(request.method === 'DELETE' ? {} : await next(answers, request.signal))
  }
  const options = { site: 'https://chat.example/', email: 'zoë@x.example', key: 'secret', fetch: reach }
  return { client: new ParleyClient(options), received }
}

function requestOf(url: string, { method = 'GET', body, headers }: RequestInit): Received {
  const { pathname, searchParams } = new URL(url)
  const params = body instanceof URLSearchParams ? body : searchParams
  const given = new Headers(headers)
  const key = given.get('idempotency-key')
  return {
    method,
    path: pathname.replace('/api/v1', ''),
    params: Object.fromEntries(params),
    authorization: given.get('authorization'),
    ...(key !== null && { idempotencyKey: key }),
  }
}

/** After the last response, requests wait until they are aborted. */
function next(answers: Answer[], signal: AbortSignal | null | undefined): Promise<object> {
  const answer = answers.shift()
  if (answer instanceof Error) return Promise.reject(answer)
  if (typeof answer === 'function') return answer()
  if (answer) return Promise.resolve(answer)
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

function responseOf(answer: { status?: number }): Response {
  const { status = 200, ...fields } = answer
  const body = status < 400 ? { result: 'success', msg: '', ...fields } : { result: 'error', msg: 'no', ...fields }
  return new Response(JSON.stringify(body), { status })
}

/** What tabs share, in memory. */
export class MemoryStorage implements SessionStorage {
  isBroken = false
  readonly deliveries = new Map<string, Delivery & { tab: string }>()
  readonly #tab: string
  #saved: Partial<SavedSession> = {}
  #events = new Map<number, QueueEvent>()

  constructor(tab = 'a') {
    this.#tab = tab
  }

  /** The same storage, as another tab sees it. */
  of(tab: string): MemoryStorage {
    return Object.assign(new MemoryStorage(tab), {
      deliveries: this.deliveries,
      load: () => this.load(),
      save: (change: SessionChange) => this.save(change),
      clear: () => this.clear(),
    })
  }

  async load(): Promise<SavedSession | undefined> {
    const { state, messages } = this.#saved
    if (!state || !messages) return undefined
    return structuredClone({ state, messages, events: [...this.#events.values()].sort((a, b) => a.id - b.id) })
  }

  async save({ events, trimUntil = -1, ...change }: SessionChange): Promise<void> {
    if (this.isBroken) throw new Error('The disk is full.')
    Object.assign(this.#saved, structuredClone(change))
    for (const id of this.#events.keys()) if (id <= trimUntil) this.#events.delete(id)
    for (const event of events) this.#events.set(event.id, event)
  }

  put(delivery: Delivery): void {
    this.deliveries.set(delivery.key, structuredClone({ ...delivery, tab: this.#tab }))
  }

  remove(key: string): void {
    this.deliveries.delete(key)
  }

  async othersDeliveries(): Promise<Map<string, Delivery[]>> {
    return Map.groupBy(
      [...this.deliveries.values()].filter(({ tab }) => tab !== this.#tab),
      ({ tab }) => tab,
    )
  }

  async clear(): Promise<void> {
    this.#saved = {}
    this.#events.clear()
  }

  async destroy(): Promise<void> {
    await this.clear()
    this.deliveries.clear()
  }
}
