import type { QueueEvent } from '@parley/api/events'
import { Backoff, pause } from './backoff.ts'
import type { CallAnswer, Caller, CallParams } from './calls.ts'
import { ConnectionTrouble, ParleyError } from './errors.ts'
import type { State } from './state.ts'

export type RegisterAnswer = CallAnswer<'register'> & State

/** The state at first, and again whenever the queue was lost; between them what happened to it. */
export type News = { state: RegisterAnswer } | { event: QueueEvent }

export interface EventOptions {
  /** What to ask of the queue; see the operation `register`. */
  register?: CallParams<'register'>
  /** Ends the iteration. */
  signal?: AbortSignal | undefined
}

/** This client understands everything that a client can be asked to understand. */
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
  { register = {}, signal }: EventOptions,
): AsyncGenerator<News, void, undefined> {
  while (!signal?.aborted) {
    const state = await persist(signal, () =>
      client.call('register', { client_capabilities: allCapabilities, ...register }, { signal }),
    )
    if (!state) return
    let isLost = false
    try {
      yield { state }
      isLost = yield* pollQueue(client, state, signal)
    } finally {
      if (!isLost) await tidyUp(client, state.queue_id)
    }
    // A server that came back has lost everybody's queue; not all need to ask for a new one at once.
    await pause(Math.random() * mostHaste, signal)
  }
}

const mostHaste = 1000
const tidyingMilliseconds = 5000

/** The server would drop an idle queue by itself, so that a failure harms nobody. */
async function tidyUp(client: Caller, queue_id: string): Promise<void> {
  const signal = AbortSignal.timeout(tidyingMilliseconds)
  await client.call('deleteQueue', { queue_id }, { signal }).catch(() => {})
}

/** The queue's events. Returns whether they ended because the queue is lost. */
async function* pollQueue(
  client: Caller,
  { queue_id, last_event_id: start, ...state }: RegisterAnswer,
  signal: AbortSignal | undefined,
): AsyncGenerator<News, boolean, undefined> {
  const patience = Number(state.event_queue_longpoll_timeout_seconds ?? 90) * 1000
  let last_event_id = start
  for (;;) {
    const answer = await persist(signal, (attempt) =>
      client.call('getEvents', { queue_id, last_event_id }, { signal: timeLimited(attempt, patience) }),
    ).catch(lostQueue)
    if (!answer) return signal?.aborted !== true
    for (const event of answer.events) {
      last_event_id = Math.max(last_event_id, event.id)
      yield { event }
    }
  }
}

/** A connection that died silently would otherwise be waited on for ever. */
function timeLimited(signal: AbortSignal | undefined, milliseconds: number): AbortSignal {
  const limit = AbortSignal.timeout(milliseconds)
  return signal ? AbortSignal.any([signal, limit]) : limit
}

function lostQueue(error: unknown): undefined {
  if (error instanceof ParleyError && error.code === 'BAD_EVENT_QUEUE_ID') return undefined
  throw error
}

/** Tries until it works, with pauses. Undefined once the signal is given; what trying cannot mend is thrown. */
async function persist<T>(
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T | undefined> {
  const backoff = new Backoff()
  while (!signal?.aborted) {
    try {
      return await attempt(signal)
    } catch (error) {
      if (signal?.aborted) return undefined
      await pause(waitAfter(error, backoff), signal)
    }
  }
  return undefined
}

function waitAfter(error: unknown, backoff: Backoff): number {
  if (error instanceof ParleyError && error.code === 'RATE_LIMIT_HIT') return Number(error.fields['retry-after']) * 1000
  if (!isPassing(error)) throw error
  return backoff.failed()
}

/** What may be over in a moment: no connection, no answer in time, a server that is starting or in trouble. */
function isPassing(error: unknown): boolean {
  if (error instanceof ParleyError) return error.status >= 500
  return error instanceof ConnectionTrouble || (error as Error | undefined)?.name === 'TimeoutError'
}
