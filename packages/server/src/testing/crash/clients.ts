import { setTimeout as sleep } from 'node:timers/promises'
import * as messages from '@parley/api/conversations/messages'
import { addReaction } from '@parley/api/conversations/reactions'
import * as queues from '@parley/api/delivery/queues'
import type { Operation } from '@parley/api/operation'
import { encode } from '../actor.ts'
import { until } from '../until.ts'
import type { CrashRecord } from './record.ts'

export interface Account {
  name: string
  authorization: string
}

/** In milliseconds, enough for the first request to a new process on a busy machine. */
const patience = 20_000
/** During crashes clients try again soon. No poll may wait for a heartbeat after the last message. */
const shortPatience = 2500

/** A response of the server, or undefined if there was none or it only said "retry later". */
type Answer = Record<string, unknown> | undefined

/** Talks to several servers in turn, like a load balancer. */
export class Connection {
  readonly #ports: number[]
  readonly #account: Account
  readonly #failures: string[]
  readonly #patience: number
  #next = 0

  constructor(ports: number[], account: Account, failures: string[] = [], mostMilliseconds = patience) {
    this.#ports = ports
    this.#account = account
    this.#failures = failures
    this.#patience = mostMilliseconds
  }

  async ask({ method, path }: Operation, params: Record<string, unknown>): Promise<Answer> {
    const port = this.#ports[this.#next++ % this.#ports.length]
    const text = encode(params)
    const inQuery = method === 'GET'
    try {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}${inQuery ? `?${text}` : ''}`, {
        method,
        headers: { authorization: this.#account.authorization, 'content-type': 'application/x-www-form-urlencoded' },
        ...(!inQuery && { body: text }),
        signal: AbortSignal.timeout(this.#patience),
      })
      const body = (await response.json()) as Answer
      return response.status >= 500 || body?.code === 'OUTCOME_UNKNOWN' ? this.#failed(path, response.status) : body
    } catch (error) {
      return (error as Error).name === 'TimeoutError' ? undefined : this.#failed(path, (error as Error).cause ?? error)
    }
  }

  #failed(path: string, reason: unknown): undefined {
    this.#failures.push(`${path}: ${reason}`)
  }
}

/** Sends one message after another until stopped, and records which were acknowledged. */
export async function sendUntil(
  stopped: () => boolean,
  ports: number[],
  account: Account,
  channel: string,
  record: CrashRecord,
): Promise<void> {
  const connection = new Connection(ports, account, record.failures, shortPatience)
  const sends = record.acknowledged.get(account.name) ?? []
  record.acknowledged.set(account.name, sends)
  for (let n = 0; !stopped(); n++) {
    const content = `${account.name} ${n}`
    const answer = await connection.ask(messages.sendMessage, {
      type: 'stream',
      to: channel,
      topic: `topic ${n % 3}`,
      content,
    })
    if (answer?.result === 'success') {
      sends.push({ content, id: answer.id as number })
      if (n % 2 === 0) await react(connection, answer.id as number, record)
    } else if (answer) throw new Error(`refused: ${JSON.stringify(answer)}`)
    else {
      record.unknown.push(content)
      await sleep(20)
    }
  }
}

async function react(connection: Connection, id: number, { reactions }: CrashRecord): Promise<void> {
  const path = addReaction.path.replace('{message_id}', String(id))
  const answer = await connection.ask({ ...addReaction, path } as unknown as Operation, { emoji_name: 'tada' })
  if (answer?.result === 'success') reactions.acknowledged.push(id)
}

/** Polls a queue through every crash until the last message arrives, and records every event. Replaces a queue that ended. */
export async function listenUntil(
  isLast: (messageId: number) => boolean,
  ports: number[],
  account: Account,
  record: CrashRecord,
): Promise<void> {
  const connection = new Connection(ports, account, record.failures, shortPatience)
  for (let n = 1; ; n++) {
    const name = `${account.name}'s queue ${n}`
    if (await followQueue(isLast, connection, name, record)) return
    record.ended.add(name)
  }
}

/** Returns whether the last message arrived; otherwise, the server ended the queue. */
async function followQueue(
  isLast: (messageId: number) => boolean,
  connection: Connection,
  name: string,
  record: CrashRecord,
): Promise<boolean> {
  const opened = await openQueue(connection)
  const queue_id = opened.queue_id as string
  let last_event_id = opened.last_event_id as number
  const received: { eventId: number; messageId: number; content: string }[] = []
  const reactedTo: number[] = []
  record.received.set(name, received)
  record.reactions.received.set(name, reactedTo)
  for (;;) {
    const answer = await connection.ask(queues.getEvents, { queue_id, last_event_id, dont_block: Math.random() < 0.3 })
    if (answer?.code === 'BAD_EVENT_QUEUE_ID') return false
    if (answer && answer.result !== 'success') throw new Error(`a poll was refused: ${JSON.stringify(answer)}`)
    for (const event of (answer?.events ?? []) as (QueuedMessage | QueuedReaction)[]) {
      last_event_id = Math.max(last_event_id, event.id)
      if (event.type === 'reaction') reactedTo.push(event.message_id)
      if (event.type === 'message')
        received.push({ eventId: event.id, messageId: event.message.id, content: event.message.content })
    }
    if (received.length > 0 && isLast(received.at(-1)!.messageId)) return true
    if (!answer) await sleep(30)
  }
}

async function openQueue(connection: Connection): Promise<Record<string, unknown>> {
  for (;;) {
    const opened = await connection.ask(queues.register, {
      event_types: ['message', 'reaction'],
      fetch_event_types: [],
    })
    if (opened) return opened
    await sleep(30)
  }
}

interface QueuedReaction {
  id: number
  type: 'reaction'
  message_id: number
}

interface QueuedMessage {
  id: number
  type: 'message'
  message: { id: number; content: string }
}

interface StoredMessage {
  id: number
  content: string
  reactions: unknown[]
}

/** The whole history of the channel, oldest first. */
export async function readHistory(ports: number[], account: Account, channel: string): Promise<StoredMessage[]> {
  const connection = new Connection(ports, account)
  const found: StoredMessage[] = []
  for (;;) {
    const page = {
      anchor: found.at(-1)?.id ?? 'oldest',
      include_anchor: found.length === 0,
      num_before: 0,
      num_after: 1000,
      narrow: [{ operator: 'channel', operand: channel }],
      apply_markdown: false,
    }
    // The database may still be recovering.
    const answer = await until(() => connection.ask(messages.getMessages, page))
    if (answer.result !== 'success') throw new Error(`the history cannot be read: ${JSON.stringify(answer)}`)
    found.push(...(answer.messages as StoredMessage[]))
    if (answer.found_newest) return found
  }
}
