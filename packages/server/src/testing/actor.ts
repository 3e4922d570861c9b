import assert from 'node:assert/strict'
import * as messages from '@parley/api/conversations/messages'
import * as queues from '@parley/api/delivery/queues'
import type { QueueEvent } from '@parley/api/events'
import type { Operation, ParamsOf, PathOf, ResponseOf } from '@parley/api/operation'
import type { FastifyInstance } from 'fastify'
import type { TProperties } from 'typebox'
import { assertError, assertEvent, assertResponse } from './schema.ts'

export interface ErrorBody {
  result: 'error'
  msg: string
  code: string
  status: number
  [field: string]: unknown
}

export interface Credentials {
  host: string
  email: string
  key: string
}

type Loose<T> = { [K in keyof T]?: T[K] }
type Event<T extends QueueEvent['type']> = Extract<QueueEvent, { type: T }>

/** Encodes parameters as clients do: strings unchanged, everything else as JSON. */
export function encode(params: Record<string, unknown>): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return form.toString()
}

/** A user in a test, who talks to the server like any client. Every response is checked against its schema. */
export class Actor {
  readonly id: number
  readonly name: string
  readonly credentials: Credentials
  readonly #app: FastifyInstance
  #queue: { id: string; last: number } | undefined
  readonly #received: QueueEvent[] = []

  constructor(app: FastifyInstance, id: number, name: string, credentials: Credentials) {
    this.#app = app
    this.id = id
    this.name = name
    this.credentials = credentials
  }

  get headers(): Record<string, string> {
    const { host, email, key } = this.credentials
    return {
      host,
      authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`,
      'user-agent': 'ParleyTest/1.0',
    }
  }

  /** Calls an operation that must succeed. */
  async does<P extends TProperties, Q extends TProperties, R extends TProperties>(
    operation: Operation<P, Q, R>,
    params: Loose<ParamsOf<Operation<P, Q, R>>> & { path?: PathOf<Operation<P, Q, R>> } = {},
  ): Promise<ResponseOf<Operation<P, Q, R>>> {
    const { status, body } = await this.request(operation as Operation, params)
    assert.equal(status, 200, `${operation.name} was refused: ${JSON.stringify(body)}`)
    assertResponse(operation.name, body)
    return body as never
  }

  /** Calls an operation that must be refused, with any parameters. */
  async isRefused(operation: Operation, params: Record<string, unknown> = {}): Promise<ErrorBody> {
    const { status, body } = await this.request(operation, params)
    assert.ok(
      status >= 400 && status < 500,
      `${operation.name} answered ${status}: ${JSON.stringify(body).slice(0, 300)}`,
    )
    assertError(body)
    return { ...(body as ErrorBody), status }
  }

  async request(operation: Operation, { path = {}, ...params }: Record<string, unknown>) {
    const target = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(String((path as Record<string, unknown>)[name])),
    )
    const text = encode(params)
    const inQuery = operation.method === 'GET'
    const response = await this.#app.inject({
      method: operation.method,
      url: `/api/v1${target}${inQuery && text ? `?${text}` : ''}`,
      headers: { ...this.headers, ...(!inQuery && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(!inQuery && { payload: text }),
    })
    return { status: response.statusCode, body: response.json() as unknown, headers: response.headers }
  }

  /** Registers an event queue; `receives` reads from it. */
  async registers(params: Loose<ParamsOf<typeof queues.register>> = {}): Promise<ResponseOf<typeof queues.register>> {
    const state = await this.does(queues.register, {
      client_capabilities: {
        notification_settings_null: true,
        stream_typing_notifications: true,
        empty_topic_name: true,
      },
      include_subscribers: true,
      ...params,
    })
    this.#queue = { id: state.queue_id, last: state.last_event_id }
    this.#received.length = 0
    return state
  }

  /** All events of a type since `registers`, without waiting. */
  async receives<T extends QueueEvent['type']>(type: T): Promise<Event<T>[]> {
    await this.reads()
    return this.#received.filter((event) => event.type === type) as Event<T>[]
  }

  /** The new events in the queue. */
  async reads(): Promise<QueueEvent[]> {
    assert.ok(this.#queue, `${this.name} does not listen`)
    const { id: queue_id, last: last_event_id } = this.#queue
    const { events } = await this.does(queues.getEvents, { queue_id, last_event_id, dont_block: true })
    for (const event of events) {
      assertEvent(event)
      assert.ok(event.id > this.#queue.last, 'event ids must increase')
      this.#queue.last = event.id
    }
    this.#received.push(...events)
    return events
  }

  get queueId(): string {
    return this.#queue!.id
  }

  /** Sends to a channel by name, or to users. */
  async sends(
    message: { channel?: string; topic?: string; to?: Actor[]; content?: string } & Record<string, unknown>,
  ): Promise<number> {
    const { channel, topic = 'greetings', to = [], content = 'hello', ...rest } = message
    const { id } = await this.does(messages.sendMessage, {
      ...(channel ? { type: 'stream', to: channel, topic } : { type: 'direct', to: to.map((person) => person.id) }),
      content,
      ...rest,
    })
    return id
  }
}
