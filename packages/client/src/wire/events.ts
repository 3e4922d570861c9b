import type { QueueEvent } from '@parley/api/events'
import type { State } from '../store/state.ts'
import { Backoff, pause } from './backoff.ts'
import type { Caller, CallParams, CallResponse } from './calls.ts'
import { ConnectionError, ParleyError } from './errors.ts'

export type RegisterResponse = CallResponse<'register'> & State

/** First the state, then events. After the queue is lost, a new state follows. */
export type StateOrEvent = { state: RegisterResponse } | { event: QueueEvent }

/** Until where the events of a queue were read. */
export interface QueuePosition {
  queue_id: string
  last_event_id: number
}

export interface EventOptions {
  /** Parameters of the operation `register`. */
  register?: CallParams<'register'>
  /** Continues with this queue. A new one is registered only if it is lost. */
  resume?: QueuePosition | undefined
  /** Leaves the queue to the next reader instead of deleting it. */
  keepsQueue?: boolean
  /** Called with true when all events until now were read, and with false when the queue is lost. */
  onCurrent?: (isCurrent: boolean) => void
  /** Called with true when the server cannot be reached, and with false when it answers again. */
  onTrouble?: (isDown: boolean) => void
  /** Ends the iteration. */
  signal?: AbortSignal | undefined
}

/** This client supports all capabilities. */
export const allCapabilities = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
  user_list_incomplete: true,
  include_deactivated_groups: true,
  archived_channels: true,
  empty_topic_name: true,
}

export async function* followEvents(
  client: Caller,
  options: EventOptions,
): AsyncGenerator<StateOrEvent, void, undefined> {
  const { signal, onCurrent = () => {}, keepsQueue = false } = options
  let { resume } = options
  while (!signal?.aborted) {
    const state = resume ? undefined : await register(client, options)
    const position = resume ?? state
    if (!position) return
    let isLost = false
    try {
      if (state) yield { state }
      isLost = yield* pollQueue(client, position, options, resume !== undefined)
    } finally {
      if (!isLost && !keepsQueue) await tidyUp(client, position.queue_id)
    }
    if (isLost) onCurrent(false)
    // After a restart without queues, clients must not all register at the same moment.
    if (!resume) await pause(Math.random() * maxJitter, signal)
    resume = undefined
  }
}

function register(client: Caller, { register: params = {}, signal, onTrouble }: EventOptions) {
  return persist(signal, onTrouble, () =>
    client.call('register', { client_capabilities: allCapabilities, ...params }, { signal }),
  )
}

const maxJitter = 1000
const deleteTimeout = 5000

/** A failure is harmless: the server deletes idle queues. */
async function tidyUp(client: Caller, queue_id: string): Promise<void> {
  const signal = AbortSignal.timeout(deleteTimeout)
  await client.call('deleteQueue', { queue_id }, { signal }).catch(() => {})
}

/** The events of the queue. Returns whether the queue was lost. */
async function* pollQueue(
  client: Caller,
  { queue_id, last_event_id: start, ...state }: QueuePosition & { event_queue_longpoll_timeout_seconds?: unknown },
  { signal, onTrouble, onCurrent = () => {} }: EventOptions,
  isResumed: boolean,
): AsyncGenerator<StateOrEvent, boolean, undefined> {
  const patience = Number(state.event_queue_longpoll_timeout_seconds ?? 90) * 1000
  let last_event_id = start
  // What happened before is read without waiting, so that the reader knows when it is up to date.
  let isCurrent = !isResumed
  if (isCurrent) onCurrent(true)
  for (;;) {
    const poll = { queue_id, last_event_id, ...(!isCurrent && { dont_block: true }) }
    const answer = await persist(signal, onTrouble, (attempt) =>
      client.call('getEvents', poll, { signal: timeLimited(attempt, patience) }),
    ).catch(lostQueue)
    if (!answer) return signal?.aborted !== true
    for (const event of answer.events) {
      last_event_id = Math.max(last_event_id, event.id)
      yield { event }
    }
    if (isCurrent || answer.events.length > 0) continue
    isCurrent = true
    onCurrent(true)
  }
}

/** Without a timeout, the client would wait forever on a dead connection. */
function timeLimited(signal: AbortSignal | undefined, milliseconds: number): AbortSignal {
  const limit = AbortSignal.timeout(milliseconds)
  return signal ? AbortSignal.any([signal, limit]) : limit
}

function lostQueue(error: unknown): undefined {
  if (error instanceof ParleyError && error.code === 'BAD_EVENT_QUEUE_ID') return undefined
  throw error
}

/** Retries with pauses. Returns undefined once aborted; throws errors that a retry cannot fix. */
async function persist<T>(
  signal: AbortSignal | undefined,
  onTrouble: (isDown: boolean) => void = () => {},
  attempt: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T | undefined> {
  const backoff = new Backoff()
  while (!signal?.aborted) {
    try {
      const result = await attempt(signal)
      onTrouble(false)
      return result
    } catch (error) {
      if (signal?.aborted) return undefined
      if (error instanceof ConnectionError) onTrouble(true)
      await pause(waitAfter(error, backoff), signal)
    }
  }
  return undefined
}

function waitAfter(error: unknown, backoff: Backoff): number {
  if (error instanceof ParleyError && error.code === 'RATE_LIMIT_HIT') return Number(error.fields['retry-after']) * 1000
  if (!isTemporary(error)) throw error
  return backoff.failed()
}

/** Temporary failures: no connection, a timeout, or a server that is starting or overloaded. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ParleyError) return error.status >= 500
  return error instanceof ConnectionError || (error instanceof Error && error.name === 'TimeoutError')
}
