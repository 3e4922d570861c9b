import { Written } from '../find-differences.ts'
import { hashOf, type Run } from '../run.ts'
import { ReadState } from './imported-read-state.ts'
import { prepareMessages } from './prepare-messages.ts'
import type { ImportedMessage } from './records.ts'
import { Destinations, type Stored, storeMessages } from './store.ts'
import { TopicNames } from './topics.ts'

const messagesAtOnce = 2500

interface Keyed {
  key: string
  message: ImportedMessage
  topic: string | undefined
}

interface Known {
  id: number
  /** Null if it was deleted since. */
  topicId: number | null
}

/**
 * Writes the messages in order of time. Those that an earlier import, or an earlier part of this one, has written are skipped;
 * so the same file again adds nothing.
 */
export class Loading {
  readonly written = new Written()
  readonly #run: Run
  readonly #topics: TopicNames
  readonly #destinations = new Destinations()
  readonly #readState: ReadState
  /** Topics of threads that have begun here, by place and thread. */
  readonly #begun = new Map<string, number>()
  readonly #progress: (count: number) => void

  constructor(run: Run, progress: (count: number) => void) {
    this.#run = run
    this.#topics = new TopicNames(run.options.threads)
    this.#readState = new ReadState(run)
    this.#progress = progress
  }

  async run(): Promise<void> {
    for await (const batch of batchesOf(this.#keyed())) {
      await this.#write(batch)
      this.#progress(batch.length)
    }
    await this.#readState.store(this.#destinations.conversations)
  }

  /** A post has no id: it is known by its place, author and time. Equal ones of one file are counted. */
  async *#keyed(): AsyncGenerator<Keyed> {
    let [at, sameTime] = [Number.NaN, new Map<string, number>()]
    for await (const message of this.#run.plan.messages.read()) {
      if (message.at !== at) [at, sameTime] = [message.at, new Map()]
      const base = `${message.place}\n${message.author ?? message.sender}\n${at}`
      const count = sameTime.get(base) ?? 0
      sameTime.set(base, count + 1)
      const topic = message.members ? undefined : this.#topics.of(message)
      yield { key: count === 0 ? base : `${base}\n${count}`, message, topic }
    }
  }

  async #write(batch: Keyed[]): Promise<void> {
    const known = await this.#findKnown(batch)
    const fresh = batch.filter(({ key }) => !known.has(key))
    const prepared = await prepareMessages(this.#run, this.#topics, fresh)
    const stored = fresh.length === 0 ? [] : await this.#store(prepared)
    for (const one of stored) this.written.add(one)
    const ids = new Map(fresh.map(({ key }, index) => [key, stored[index]!.id]))
    for (const { key, message } of batch) this.#readState.pass(message, known.get(key)?.id ?? ids.get(key)!)
    this.#run.plan.count('messages written', stored.length)
    this.#run.plan.count('messages that were here', known.size)
  }

  #store(prepared: Parameters<typeof storeMessages>[2]): Promise<Stored[]> {
    return storeMessages(
      this.#run,
      this.#destinations,
      prepared,
      ({ message }) => message.thread && this.#begun.get(threadKey(message)),
    )
  }

  async #findKnown(batch: Keyed[]): Promise<Map<string, Known>> {
    const { client, realm } = this.#run
    const { rows } = await client.query<{ position: number; new_id: number; topic_id: number | null }>(
      `select k.position, m.new_id, s.topic_id
         from unnest($2::bytea[]) with ordinality as k(key_hash, position)
         join import_map m on m.realm_id = $1 and m.kind = 'message' and m.key_hash = k.key_hash
         left join messages s on s.realm_id = m.realm_id and s.id = m.new_id`,
      [realm.id, batch.map(({ key }) => hashOf(key))],
    )
    const known = new Map<string, Known>()
    for (const { position, new_id, topic_id } of rows) {
      const { key, message } = batch[position - 1]!
      known.set(key, { id: new_id, topicId: topic_id })
      if (topic_id !== null && message.thread && this.#topics.isInTopicOfThread(message))
        this.#begun.set(threadKey(message), topic_id)
    }
    return known
  }
}

function threadKey({ place, thread }: ImportedMessage): string {
  return `${place} ${thread!.key}`
}

async function* batchesOf(all: AsyncIterable<Keyed>): AsyncGenerator<Keyed[]> {
  let batch: Keyed[] = []
  for await (const one of all) {
    batch.push(one)
    if (batch.length < messagesAtOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
