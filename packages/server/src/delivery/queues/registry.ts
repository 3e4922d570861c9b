import type { FastifyBaseLogger } from 'fastify'
import { batched } from '../../platform/batch-loader.ts'
import type { Database } from '../../platform/db/pool.ts'
import { seqOf } from './event-id.ts'
import { BadEventQueueId, positionOf, type Queue } from './queue.ts'
import { confirmQueues, type FoundQueue, findQueues } from './queue-store.ts'

export interface Poll {
  userId: number
  realmId: number
  queueId: string
  /** Undefined or -1: from the start of the queue. */
  lastEventId: number | undefined
}

export interface RegistryDeps {
  db: Database
  log: FastifyBaseLogger
  /** Deletes a queue in all processes. */
  endQueue(realmId: number, queueId: string): Promise<unknown>
}

/** The queues that this process has looked up lately, and those that have ended. */
export class QueueRegistry {
  readonly #log: FastifyBaseLogger
  readonly #endQueue: RegistryDeps['endQueue']
  /** Batched, because after a restart the polls of all clients arrive at once. */
  readonly #find: (id: string) => Promise<FoundQueue | undefined>
  readonly #confirm: (queue: FoundQueue) => Promise<undefined>
  readonly #epochOf: (realmId: number) => number | undefined
  readonly #queues = new Map<string, Queue>()
  /** Queues that failed and are not yet deleted from the database. */
  readonly #failed = new Set<string>()
  /** Queues that ended in this minute and in the one before: a lookup that started earlier may still find them. */
  #ended = [new Set<string>(), new Set<string>()]

  /** `epochOf` says which epoch of a realm's log this process follows. */
  constructor({ db, log, endQueue }: RegistryDeps, epochOf: (realmId: number) => number | undefined) {
    this.#log = log
    this.#endQueue = endQueue
    this.#epochOf = epochOf
    this.#find = batched((ids) => findQueues(db, ids))
    this.#confirm = batched((queues) => confirmQueues(db, queues))
  }

  /** Only as long as the position of its client has been checked in the current epoch. */
  cached(id: string): Queue | undefined {
    const queue = this.#queues.get(id)
    return queue && queue.epoch === this.#epochOf(queue.realm_id) ? queue : undefined
  }

  /** The queue that a client polls. Throws if the user has no such queue. */
  async find({ queueId, userId, realmId, lastEventId }: Poll): Promise<Queue> {
    const cached = this.cached(queueId)
    const queue = cached ?? (await this.#find(queueId))
    if (!queue || this.hasEnded(queueId) || queue.user_id !== userId || queue.realm_id !== realmId)
      throw new BadEventQueueId(queueId)
    if (!cached) await this.#checkEpoch(queue as FoundQueue, lastEventId)
    if (this.hasEnded(queueId)) throw new BadEventQueueId(queueId)
    this.#queues.set(queueId, queue)
    return queue
  }

  /** The first poll of a queue in an epoch: a client that has seen lost events must register again. */
  async #checkEpoch(queue: FoundQueue, lastEventId: number | undefined): Promise<void> {
    if (queue.last_common_event === null) return
    if (seqOf(positionOf(queue, lastEventId)) > queue.last_common_event) {
      await this.#endQueue(queue.realm_id, queue.id)
      throw new BadEventQueueId(queue.id)
    }
    await this.#confirm(queue)
  }

  hasEnded(queueId: string): boolean {
    return this.#failed.has(queueId) || this.#ended.some((ended) => ended.has(queueId))
  }

  /** Notes that a queue was deleted. */
  end(queueId: string): void {
    this.#queues.delete(queueId)
    this.#ended[0]!.add(queueId)
  }

  /** Ends a failed queue: immediately in this process, and in all processes once it is deleted from the database. */
  fail({ id, realm_id, user_id }: Queue, error: unknown): BadEventQueueId {
    this.#log.error({ err: error, queue: id, realm: realm_id, user: user_id }, 'an event queue failed and was ended')
    this.#queues.delete(id)
    this.#failed.add(id)
    void this.#endQueue(realm_id, id).then(
      () => this.#failed.delete(id),
      (failure: unknown) => this.#log.error({ err: failure, queue: id }, 'deleting a failed event queue failed'),
    )
    return new BadEventQueueId(id)
  }

  /** Looks up all queues again. */
  forget(): void {
    this.#queues.clear()
  }

  /** Called once a minute. */
  forgetIdle(): void {
    this.#queues.clear()
    this.#ended = [new Set(), this.#ended[0]!]
  }
}
