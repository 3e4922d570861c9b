import type { MessageObject } from '@parley/api/conversations/messages'
import type { QueueEvent } from '@parley/api/events'
import { deletedIds } from '../store/state.ts'
import type { Caller } from '../wire/calls.ts'
import { asError } from '../wire/errors.ts'
import type { MessageCache } from './cache.ts'
import { matches, type Narrow } from './narrow.ts'

export type Anchor = number | 'newest' | 'oldest' | 'first_unread'
type Direction = 'older' | 'newer'

const firstBatch = 60
const nextBatch = 100

/** A window as it is stored. */
export interface SavedWindow {
  narrow: Narrow
  ids: readonly number[]
  hasOldest: boolean
  hasNewest: boolean
}

/** A contiguous range of the messages of one narrow, which grows at both ends. */
export class MessageWindow {
  readonly narrow: Narrow
  /** Ascending. Replaced, never changed, so that readers can compare. */
  ids: readonly number[] = []
  hasOldest = false
  hasNewest = false
  /** Where the first load was anchored: the first unread message, or the one that was asked for. */
  anchor: number | undefined
  error: Error | undefined
  isLoaded = false
  readonly #loading = new Map<Direction, Promise<void>>()
  #requests = 0
  /** Messages since the first of these requests. Its answer may lack them. */
  #arrived: MessageObject[] = []
  readonly #deps: WindowDeps

  constructor(narrow: Narrow, deps: WindowDeps) {
    this.narrow = narrow
    this.#deps = deps
  }

  /** At most so many of the newest messages, without those that are excluded. */
  save(most: number, isIncluded: (id: number) => boolean): SavedWindow {
    const all = this.ids.filter(isIncluded)
    const ids = all.slice(-most)
    return {
      narrow: this.narrow,
      ids,
      hasOldest: this.hasOldest && ids.length === all.length,
      hasNewest: this.hasNewest,
    }
  }

  restore({ ids, hasOldest, hasNewest }: SavedWindow): void {
    Object.assign(this, { ids, hasOldest, hasNewest, isLoaded: true })
  }

  /** Loads the messages around an anchor, in place of those the window has. */
  async open(anchor: Anchor): Promise<void> {
    const before = anchor === 'oldest' ? 0 : firstBatch
    const after = anchor === 'newest' ? 0 : firstBatch
    await this.#load(async () => {
      const answer = await this.#fetch(anchor, before, after)
      this.#deps.cache.add(answer.messages)
      this.ids = answer.messages.map(({ id }) => id)
      this.hasOldest = answer.found_oldest
      this.hasNewest = answer.found_newest
      this.anchor = answer.found_newest && anchor === 'newest' ? undefined : answer.anchor
      this.isLoaded = true
      this.#appendMissing()
    })
  }

  /** Loads more at one end, once at a time. */
  loadMore(direction: Direction): Promise<void> {
    const isComplete = direction === 'older' ? this.hasOldest : this.hasNewest
    if (isComplete || !this.isLoaded || this.ids.length === 0) return Promise.resolve()
    const running = this.#loading.get(direction)
    if (running) return running
    const started = this.#load(() => this.#extend(direction)).finally(() => this.#loading.delete(direction))
    this.#loading.set(direction, started)
    return started
  }

  async #extend(direction: Direction): Promise<void> {
    const isOlder = direction === 'older'
    const edgeNow = () => (isOlder ? this.ids[0] : this.ids.at(-1))
    const edge = edgeNow()!
    const answer = await this.#fetch(edge, isOlder ? nextBatch : 0, isOlder ? 0 : nextBatch)
    this.#deps.cache.add(answer.messages)
    // The window was opened elsewhere since.
    if (edgeNow() !== edge) return
    const found = answer.messages.map(({ id }) => id).filter((id) => id !== edge)
    this.ids = isOlder ? [...found, ...this.ids] : [...this.ids, ...found]
    if (isOlder) this.hasOldest = answer.found_oldest
    else this.hasNewest = answer.found_newest
    this.#appendMissing()
  }

  #appendMissing(): void {
    const arrived = this.#arrived.filter(({ id }) => this.#deps.cache.byId.has(id))
    for (const message of [...(this.#deps.unsent?.() ?? []), ...arrived]) this.append(message)
  }

  async #load(work: () => Promise<void>): Promise<void> {
    this.#requests++
    try {
      this.error = undefined
      await work()
    } catch (error) {
      this.error = asError(error)
    }
    if (--this.#requests === 0) this.#arrived = []
    this.#deps.changed()
  }

  #fetch(anchor: Anchor, num_before: number, num_after: number) {
    const narrow = this.narrow.map((term) => ({ ...term }))
    return this.#deps.client.call('getMessages', {
      narrow,
      num_before,
      num_after,
      anchor,
      allow_empty_topic_name: true,
      client_gravatar: true,
    })
  }

  /** Adds a message at the end, if the window shows the end and the message belongs there. A restored one may be older. */
  append(message: MessageObject): void {
    if (this.#requests > 0) this.#arrived.push(message)
    const isLast = message.id > (this.ids.at(-1) ?? 0)
    if (!isLast) this.#insert(message)
    else if (this.hasNewest && matches(this.narrow, message, this.#deps.viewer) === true)
      this.ids = [...this.ids, message.id]
  }

  remove(ids: readonly number[]): void {
    if (this.ids.some((id) => ids.includes(id))) this.ids = this.ids.filter((id) => !ids.includes(id))
  }

  apply(event: QueueEvent): void {
    if (event.type === 'message') this.append(this.#deps.cache.byId.get(event.message.id)!)
    if (event.type === 'delete_message') this.remove(deletedIds(event))
    if (event.type === 'update_message') this.#applyMove(event)
  }

  /** Messages that were moved may leave the narrow or enter it. */
  #applyMove({ message_ids, subject, new_stream_id }: Extract<QueueEvent, { type: 'update_message' }>): void {
    if (subject === undefined && new_stream_id === undefined) return
    for (const id of message_ids) {
      const message = this.#deps.cache.byId.get(id)
      if (!message) continue
      if (matches(this.narrow, message, this.#deps.viewer) === false) this.remove([id])
      else this.#insert(message)
    }
  }

  #insert(message: MessageObject): void {
    const isBetween = message.id > (this.ids[0] ?? Infinity) || this.hasOldest
    if (isBetween && !this.ids.includes(message.id) && matches(this.narrow, message, this.#deps.viewer) === true)
      this.ids = [...this.ids, message.id].sort((a, b) => a - b)
  }
}

export interface WindowDeps {
  client: Caller
  cache: MessageCache
  viewer: number
  changed: () => void
  /** Messages that are shown although the server does not have them yet. */
  unsent?: () => Iterable<MessageObject>
}
