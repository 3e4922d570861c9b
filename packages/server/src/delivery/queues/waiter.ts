import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { ApiError } from '../../platform/http/api-error.ts'
import type { Listener } from './listener.ts'
import type { Queue } from './queue.ts'
import type { WireEvent } from './wire-events.ts'

/** The position of a client in its queue. */
export interface QueuePosition {
  queue: Queue
  listener: Listener
  last: number
}

/** A client that waits for events: until the next ones arrive (long poll), or until it disconnects (stream). */
export interface Waiter extends QueuePosition {
  /** The second of the hub's clock in which a heartbeat is due; undefined while the client does not wait. */
  due: number | undefined
  /** Whether the client is still connected. */
  readonly isOpen: boolean
  /** Sends events. Returns false if that ended the wait. */
  give(events: WireEvent[]): boolean
  /** Ends the wait without an event. */
  dismiss(): void
  /** Ends the wait because the queue was deleted. A poll is answered without events; the next one gets the error. */
  end(error: ApiError): void
  /** Ends the wait because the queue failed. */
  refuse(error: ApiError): void
}

/** Alternating names and values, which is the fastest format for `writeHead`. */
export type Headers = readonly string[]

export function headersOf(fields: object): Headers {
  return Object.entries(fields).flatMap(([name, value]) => [name, String(value)])
}

/** A response in JSON that is sent now or later. */
export class JsonReply {
  protected readonly response: ServerResponse
  protected headers: Headers

  constructor(response: ServerResponse, headers: Headers) {
    this.response = response
    this.headers = headers
  }

  get isOpen(): boolean {
    return !this.response.destroyed
  }

  send(status: number, text: string, bytes = Buffer.byteLength(text)): void {
    this.response.writeHead(status, [...this.headers, ...jsonType, 'content-length', `${bytes}`])
    this.response.end(text)
  }
}

const jsonType = ['content-type', 'application/json; charset=utf-8']

/** Long polling: one response, then the client polls again. */
export class PollWaiter implements Waiter {
  readonly queue: Queue
  readonly listener: Listener
  last: number
  due: number | undefined
  readonly #reply: JsonReply
  readonly #ignored: string[]

  constructor({ queue, listener, last }: QueuePosition, reply: JsonReply, ignored: string[]) {
    this.queue = queue
    this.listener = listener
    this.last = last
    this.due = undefined
    this.#reply = reply
    this.#ignored = ignored
  }

  get isOpen(): boolean {
    return this.#reply.isOpen
  }

  give(events: WireEvent[]): boolean {
    sendEvents(this.#reply, this.queue.id, events, this.#ignored)
    return false
  }

  dismiss(): void {
    this.give([])
  }

  end(): void {
    this.dismiss()
  }

  refuse(error: ApiError): void {
    this.#reply.send(error.status, JSON.stringify(error.body()))
  }
}

/** Sends the response to a poll, without counting bytes again: ids of existing queues are UUIDs. */
export function sendEvents(reply: JsonReply, queueId: string, events: WireEvent[], ignored: string[]): void {
  const text = pollAnswer(queueId, events, ignored)
  let bytes = text.length
  for (const { extraBytes } of events) bytes += extraBytes
  reply.send(200, text, ignored.length > 0 ? undefined : bytes)
}

/** The response to a poll of an existing queue, concatenated from events that are already serialized. */
export function pollAnswer(queueId: string, events: WireEvent[], ignored: string[]): string {
  const unsupported = ignored.length > 0 ? `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}` : ''
  const list = events.length === 1 ? events[0]!.text : events.map(({ text }) => text).join()
  return `{"result":"success","msg":"","queue_id":"${queueId}","events":[${list}]${unsupported}}`
}

/** Clients with more unsent bytes than this are disconnected. They can reconnect with their last event id. */
const maxUnsentBytes = 1024 * 1024

/** Server-Sent Events: the same events with the same ids over one connection. */
export class StreamWaiter implements Waiter {
  readonly queue: Queue
  readonly listener: Listener
  last: number
  due: number | undefined
  readonly #response: ServerResponse

  constructor({ queue, listener, last }: QueuePosition, response: ServerResponse, headers: Headers) {
    this.queue = queue
    this.listener = listener
    this.last = last
    this.due = undefined
    this.#response = response
    response.writeHead(200, [
      ...headers,
      ...['content-type', 'text/event-stream; charset=utf-8'],
      ...['x-accel-buffering', 'no'],
    ])
    response.write(`: queue ${queue.id}\n\n`)
  }

  get isOpen(): boolean {
    return !this.#response.destroyed
  }

  /** Resolves when the client can receive more, or has disconnected. */
  async catchUp(events: WireEvent[]): Promise<void> {
    if (this.#response.write(streamText(events))) return
    const done = new AbortController()
    const { signal } = done
    await Promise.race([once(this.#response, 'drain', { signal }), once(this.#response, 'close', { signal })])
    done.abort()
  }

  give(events: WireEvent[]): boolean {
    this.#response.write(streamText(events))
    if (this.#response.writableLength <= maxUnsentBytes) return true
    this.#response.destroy()
    return false
  }

  dismiss(): void {
    this.#response.end()
  }

  /** A stream that only closed would be opened again, and an EventSource does not show why that is refused. */
  end(error: ApiError): void {
    this.refuse(error)
  }

  refuse(error: ApiError): void {
    this.#response.end(streamError(error))
  }
}

function streamText(events: WireEvent[]): string {
  return events.map(({ id, text }) => `id: ${id}\ndata: ${text}\n\n`).join('')
}

export function streamError(error: ApiError): string {
  return `event: error\ndata: ${JSON.stringify(error.body())}\n\n`
}
