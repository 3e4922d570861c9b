import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { type ComposedMessage, fieldOf, type Json, joined, toJson, withHead } from '../../../events/event-json.ts'
import type { Audience, LogEvent, Personal } from '../../../events/log.ts'
import { isConflict, isConnectionError, isRefusal } from '../../../platform/db/db-errors.ts'
import { ServiceUnavailable } from '../../../platform/http/api-error.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import { Batches, type SentRow } from './batches.ts'

/** A message that was checked and rendered, as send_messages() takes it. */
export interface PreparedMessage {
  realm_id: number
  /** Stored only while the realm still has this version; null for notices, which need no permission. */
  access_version: number | null
  queue_id: string | null
  local_id: string | null
  /** The claim of a request with an Idempotency-Key. */
  claim_id: number | null
  sender_id: number
  /** Null for direct messages: the database looks it up by `user_ids`. */
  recipient_id: number | null
  channel_id: number | null
  topic_name: string | null
  topic_key: string | null
  user_ids: number[] | null
  client: string
  content: string
  rendered_content: string
  read_by_sender: boolean
  mentions_channel: boolean
  has_attachment: boolean
  has_image: boolean
  has_link: boolean
  /** The event as JSON, without the fields that only the database knows: send_messages() puts them in front. */
  payload: Json<ComposedMessage>
  audience: Audience
  personal: Personal | null
  /** Initial flags of the users who have any: [user id, bits]. */
  flags: [number, number][] | null
}

interface PendingSend {
  message: PreparedMessage
  resolve: (row: SentRow) => void
  reject: (error: unknown) => void
}

const largestBatch = 128
/** Until a batch that takes longer is answered, sends are refused instead of queued behind it. */
const stuckMilliseconds = 3000

/**
 * Group commit. Sends that arrive while a batch is being written form the next batch: one statement, one commit and
 * one wake-up for all of them. There is no timer, so that a single send does not wait.
 */
export class Committer {
  readonly #batches: Batches
  readonly #metrics: Metrics
  readonly #log: FastifyBaseLogger
  readonly #committed: (realmId: number, events: LogEvent[]) => void
  #queue: PendingSend[] = []
  #busy = false
  /** When the batch that is being written was started. */
  #since = 0

  constructor(
    pool: pg.Pool,
    metrics: Metrics,
    log: FastifyBaseLogger,
    committed: (realmId: number, events: LogEvent[]) => void,
  ) {
    this.#batches = new Batches(pool)
    this.#metrics = metrics
    this.#log = log
    this.#committed = committed
  }

  /** Whether the database has not answered for so long that something must be wrong. */
  get isStuck(): boolean {
    return this.#busy && performance.now() - this.#since > stuckMilliseconds
  }

  send(message: PreparedMessage): Promise<SentRow> {
    if (this.isStuck) return Promise.reject(new ServiceUnavailable())
    return new Promise((resolve, reject) => {
      this.#queue.push({ message, resolve, reject })
      if (!this.#busy) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#busy = true
    while (this.#queue.length > 0) await this.#write(this.#queue.splice(0, largestBatch))
    this.#busy = false
  }

  async #write(batch: PendingSend[]): Promise<void> {
    this.#since = performance.now()
    try {
      await this.#store(batch)
    } catch (error) {
      await this.#afterFailure(batch, error)
    }
  }

  /**
   * A batch that the database refused is retried message by message, so that one bad message does not fail the others.
   * After any other error, a retry could store messages twice.
   */
  async #afterFailure(batch: PendingSend[], error: unknown): Promise<void> {
    const isRefused = isRefusal(error) && !isConnectionError(error)
    if (!isRefused || (batch.length === 1 && !isConflict(error))) {
      for (const { reject } of batch) reject(error)
      return
    }
    for (const member of batch) await this.#store([member]).catch(member.reject)
  }

  async #store(batch: PendingSend[]): Promise<void> {
    const messages = batch.map(({ message }) => message)
    const realmOfEach = () => messages.map(({ realm_id }) => realm_id)
    const rows = await sendMessages((realmIds, text) => this.#batches.store(realmIds, text, realmOfEach), messages)
    this.#finish(messages, rows)
    for (const row of rows) batch[row.ordinal]!.resolve(row)
  }

  /** The messages are stored, so that an error from here on must not be reported as a failed send. */
  #finish(messages: PreparedMessage[], rows: SentRow[]): void {
    try {
      this.#count(rows)
      this.#publish(messages, rows)
    } catch (error) {
      this.#log.error(
        { err: error },
        'Could not publish the events of stored messages; they will be read from the event log.',
      )
    }
  }

  #count(rows: SentRow[]): void {
    this.#metrics.batches.inc()
    this.#metrics.sent.inc(rows.filter(({ status }) => status === 'sent').length)
  }

  #publish(messages: PreparedMessage[], rows: SentRow[]): void {
    const byRealm = new Map<number, LogEvent[]>()
    for (const event of loggedEvents(messages, rows)) {
      const events = byRealm.get(event.realmId)
      if (events) events.push(event)
      else byRealm.set(event.realmId, [event])
    }
    for (const [realmId, events] of byRealm) this.#committed(realmId, events)
  }
}

/** Stores messages with their events in one statement, inside a transaction or as its own transaction. */
export function sendMessages(
  run: (realmIds: number[], batch: string) => Promise<SentRow[]>,
  messages: PreparedMessage[],
): Promise<SentRow[]> {
  const realmIds = [...new Set(messages.map(({ realm_id }) => realm_id))]
  return run(realmIds, `[${messages.map(batchMember).join()}]`)
}

/** Inserts the payload as it is, because it is JSON already: nothing has to be escaped and parsed again. */
function batchMember(message: PreparedMessage, ordinal: number): string {
  const others = toJson({ ...message, ordinal, payload: undefined })
  return joined(fieldOf('payload', message.payload), others)
}

/** The events that send_messages() appended, as they are in the event log, as far as it returned them. */
export function loggedEvents(messages: PreparedMessage[], rows: SentRow[]): (LogEvent & { realmId: number })[] {
  return rows
    .filter(({ event_head }) => event_head !== null)
    .map((row) => {
      const { realm_id, payload, audience, personal } = messages[row.ordinal]!
      return {
        realmId: realm_id,
        seq: row.seq!,
        type: 'message',
        payload: withHead(row.event_head!, payload),
        audience,
        personal,
        internal: null,
      }
    })
}
