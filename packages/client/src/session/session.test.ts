import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { flagChange } from '../messages/local-events.ts'
import { narrows } from '../messages/narrow.ts'
import { MemoryStorage, scripted } from '../testing.ts'
import type { TabMessage, TabPort } from '../wire/tab-feed.ts'
import { Session } from './session.ts'

const state = {
  queue_id: 'q1',
  last_event_id: 5,
  user_id: 1,
  max_message_id: 7,
  realm_users: [{ user_id: 1, full_name: 'Ann', email: 'ann@x.example' }],
  subscriptions: [{ stream_id: 3 }],
}
const topic = narrows.topic(3, 'tea')
const message = (id: number) => ({
  id,
  type: 'stream',
  stream_id: 3,
  subject: 'tea',
  sender_id: 2,
  flags: [] as string[],
})
const arrival = (event: number, id: number) => ({ type: 'message', id: event, flags: [], message: message(id) })
const page = { messages: [message(6), message(7)], found_oldest: true, found_newest: true, anchor: 7 }
const events = (...list: object[]) => ({ queue_id: 'q1', events: list })

/** A poll that no event ends. */
const waiting = () => new Promise<object>(() => {})

/** Tabs that share a leader's lock and hear each other, as in a browser. */
class Room {
  readonly #waiting: (() => void)[] = []
  readonly #listeners = new Map<string, (message: TabMessage) => void>()
  readonly #gone = new Map<string, PromiseWithResolvers<void>>()
  #leader: { tab: string; lost: AbortController } | undefined
  isDeaf = false

  port(id: string): TabPort {
    this.#gone.set(id, Promise.withResolvers())
    return {
      id,
      post: (sent) => {
        for (const [tab, listener] of this.#listeners)
          if (tab !== id && !this.isDeaf)
            setImmediate(() => this.#listeners.has(tab) && listener(structuredClone(sent)))
      },
      listen: (listener) => void this.#listeners.set(id, listener),
      lead: (work, takes) => this.#lead(id, work, takes),
      whenGone: (tab) => this.#gone.get(tab)?.promise ?? Promise.resolve(),
      onWake: () => {},
    }
  }

  /** As if the tab were closed. */
  close(id: string): void {
    this.#listeners.delete(id)
    this.#gone.get(id)!.resolve()
    if (this.#leader?.tab !== id) return
    this.#leader = undefined
    this.#waiting.shift()?.()
  }

  #lead(tab: string, work: (lost: AbortSignal) => Promise<void>, takes: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        const lost = new AbortController()
        this.#leader = { tab, lost }
        work(lost.signal).then(resolve, reject)
      }
      if (takes) this.#leader?.lost.abort()
      if (takes || !this.#leader) start()
      else this.#waiting.push(start)
    })
  }
}

function newTab(room: Room, storage: MemoryStorage, id: string, ...answers: Parameters<typeof scripted>) {
  const { client, received } = scripted(...answers)
  const platform = {
    storage: storage.of(id),
    tabs: room.port(id),
    whenQuiet: (work: () => void) => void setImmediate(work),
  }
  const session = new Session(client, platform)
  after(() => session.stop())
  const start = async () => {
    await session.restore()
    void session.run()
  }
  return { session, received, start }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a later start shows what was stored, and asks the same queue for what happened in between', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const first = newTab(room, storage, 'a', state, waiting, page)
  await first.start()
  await settled()
  await first.session.window(topic).open('newest')
  await settled()
  first.session.flush()
  room.close('a')
  const second = newTab(room, storage, 'b', events(arrival(8, 9)), events())
  await second.session.restore()
  assert.deepEqual(second.session.window(topic).ids, [6, 7])
  assert.deepEqual([second.session.isCurrent, second.received.length], [false, 0])
  void second.session.run()
  await settled()
  assert.deepEqual(second.session.window(topic).ids, [6, 7, 9])
  assert.equal(second.session.isCurrent, true)
  assert.deepEqual(
    second.received.map(({ path, params }) => [path, params.last_event_id]),
    [
      ['/events', '5'],
      ['/events', '8'],
      ['/events', '8'],
    ],
  )
})

test('a tab that does not lead asks the server for nothing and has the same events', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const news = Promise.withResolvers<object>()
  const leader = newTab(room, storage, 'a', state, () => news.promise)
  const other = newTab(room, storage, 'b')
  await leader.start()
  await other.start()
  await settled()
  assert.equal(other.session.viewerId, 1)
  news.resolve(events(arrival(6, 8), arrival(9, 10)))
  await settled()
  assert.equal(other.session.store!.conversations.newest, 10)
  assert.deepEqual([other.session.isCurrent, other.session.connection], [true, 'online'])
  assert.equal(other.received.length, 0)
})

test('a tab that missed events gets them from the leader', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const missed = Promise.withResolvers<object>()
  const next = Promise.withResolvers<object>()
  const leader = newTab(
    room,
    storage,
    'a',
    state,
    () => missed.promise,
    () => next.promise,
  )
  const other = newTab(room, storage, 'b')
  await leader.start()
  await other.start()
  await settled()
  room.isDeaf = true
  missed.resolve(events(arrival(6, 8)))
  await settled()
  room.isDeaf = false
  next.resolve(events(arrival(7, 9)))
  await settled()
  assert.deepEqual([...other.session.messages.byId.keys()], [8, 9])
})

test('when the leader is closed, another tab continues at its own position', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const leader = newTab(room, storage, 'a', state, events(arrival(6, 8)))
  const other = newTab(room, storage, 'b', events(arrival(7, 9)))
  await leader.start()
  await settled()
  await other.start()
  await settled()
  room.close('a')
  await settled()
  assert.deepEqual(other.received[0]!.params, { queue_id: 'q1', last_event_id: '6', dont_block: 'true' })
  assert.equal(other.session.store!.conversations.newest, 9)
})

test('a delivery of a closed tab is continued with its key', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const lost = new TypeError('fetch failed')
  const first = newTab(room, storage, 'a', state, waiting, page, lost, lost)
  await first.start()
  await settled()
  await first.session.window(topic).open('newest')
  first.session.outbox.send({ stream_id: 3, topic: 'tea' }, 'hi', '<p>hi</p>')
  void first.session.change(
    'updateMessageFlags',
    { messages: [7], op: 'add', flag: 'starred' },
    flagChange('add', 'starred', [7]),
  )
  await settled()
  // The order of polls and deliveries is not defined.
  const any = { ...events(), id: 8, messages: [] }
  const keys = [...storage.deliveries.keys()]
  assert.equal(keys.length, 2)
  room.close('a')
  const second = newTab(room, storage, 'b', any, any, any, any)
  await second.start()
  await settled()
  const sent = second.received.filter(({ idempotencyKey }) => idempotencyKey)
  assert.deepEqual(
    sent.map(({ idempotencyKey }) => idempotencyKey),
    keys,
  )
  assert.equal(storage.deliveries.size, 0)
})

test('a change of the day before yesterday is sent only if the user wants it', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const change = flagChange('add', 'starred', [7])
  const params = { messages: [7], op: 'add', flag: 'starred' } as never
  const at = Date.now() - 48 * 3_600_000
  storage.of('a').put({ key: 'k', name: 'updateMessageFlags', params, at, change })
  const tab = newTab(room, storage, 'b', state, waiting, { messages: [] })
  await tab.start()
  await settled()
  assert.equal(tab.session.abandoned!.expired.length, 1)
  assert.equal(tab.received.filter(({ idempotencyKey }) => idempotencyKey).length, 0)
  tab.session.abandoned!.settle(true)
  await settled()
  assert.deepEqual([tab.session.abandoned!.expired.length, storage.deliveries.size], [0, 0])
})

test('what cannot be read is deleted, but not what waits to be sent', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const damaged = { queue_id: 'q1', last_event_id: 5, state: { user_id: 1 } }
  await storage.save({ state: damaged, messages: { last_event_id: 5, windows: [], messages: [] }, events: [] })
  storage.of('a').put({ key: 'k', name: 'updateMessageFlags', params: {} as never, at: Date.now() })
  const { session } = newTab(room, storage, 'b')
  await session.restore()
  assert.equal(session.store, undefined)
  assert.deepEqual([await storage.load(), storage.deliveries.size], [undefined, 1])
})

test('signing out deletes everything', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const { session, start } = newTab(room, storage, 'a', state)
  await start()
  await settled()
  session.outbox.send({ stream_id: 3, topic: 'tea' }, 'hi', '<p>hi</p>')
  await session.forget()
  assert.deepEqual([await storage.load(), storage.deliveries.size], [undefined, 0])
})

test('stored and replayed events lead to the same state', async () => {
  const [room, storage] = [new Room(), new MemoryStorage()]
  const list = [
    arrival(6, 8),
    arrival(7, 9),
    { type: 'update_message_flags', id: 8, op: 'add', flag: 'read', messages: [8], all: false },
  ]
  /** Events that come earlier are in the state that is stored. */
  const afterStoring = async () => {
    while (!(await storage.load())) await settled()
    return events(...list)
  }
  const first = newTab(room, storage, 'a', state, afterStoring)
  const isComplete = new Promise<void>((resolve) => first.session.onEvent(({ id }) => id === 8 && resolve()))
  await first.start()
  await isComplete
  first.session.flush()
  await settled()
  room.close('a')
  assert.equal((await storage.load())!.events.length, 3)
  const second = newTab(room, storage, 'b')
  await second.session.restore()
  assert.deepEqual(
    JSON.parse(JSON.stringify(second.session.store!.snapshot())),
    JSON.parse(JSON.stringify(first.session.store!.snapshot())),
  )
})
