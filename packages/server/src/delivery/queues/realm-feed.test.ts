import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Internal, LogEvent } from '../../events/log.ts'
import { Vault } from '../../platform/secrets.ts'
import { keptBytes } from '../../testing/load/kept-bytes.ts'
import { Listener } from './listener.ts'
import { RealmFeed } from './realm-feed.ts'
import type { Waiter } from './waiter.ts'

const channel = 7
const outcomes = { delivered: () => {}, failed: (_: Waiter, error: unknown) => assert.fail(error as Error) }
let seq = 0

function eventIn(to: number, internal: Internal | null = null): LogEvent {
  return {
    seq: ++seq,
    type: 'typing',
    payload: '{"type":"typing"}',
    audience: { channel: to },
    personal: null,
    internal,
  }
}

function subscriber(feed: RealmFeed, userId: number): Listener {
  const listener = new Listener(userId, 400, [], new Map([[channel, [{ from: 0, to: null }]]]))
  feed.addListener(listener)
  return listener
}

/** A client that waits, and goes on waiting after every event; `got` has the numbers of the events. */
function client(feed: RealmFeed, listener: Listener, queueId = `of ${listener.userId}`) {
  const got: number[] = []
  const give = (events: { id: number }[]) => got.push(...events.map(({ id }) => id / 1_000_000)) > 0
  const options = { narrow: [], all_public_streams: false, event_types: null, capabilities: {} }
  const queue = { id: queueId, user_id: listener.userId, options }
  const waiter = { queue, listener, last: 0, isOpen: true, give, dismiss() {}, refuse() {} } as unknown as Waiter
  feed.wait(waiter)
  return { waiter, got }
}

function cpuOfEvents(feed: RealmFeed): number {
  const before = process.cpuUsage()
  for (let n = 0; n < 300; n++) feed.take([eventIn(channel)], outcomes)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('clients that left cost later events of their channels nothing', () => {
  const feed = new RealmFeed(new Vault('a secret only for this test'))
  client(feed, subscriber(feed, 1))
  cpuOfEvents(feed)
  const before = cpuOfEvents(feed)
  for (let id = 2; id < 30_000; id++) feed.stop(client(feed, subscriber(feed, id)).waiter)
  feed.take([eventIn(channel)], outcomes)

  const after = cpuOfEvents(feed)

  assert.ok(after < 10 * before + 5000, `${after} µs instead of ${before}`)
})

test('a client that left and came back receives the events of its channels again, unless it unsubscribed', () => {
  const feed = new RealmFeed(new Vault('a secret only for this test'))
  const [ben, gus] = [subscriber(feed, 1), subscriber(feed, 2)]
  for (const listener of [ben, gus]) feed.stop(client(feed, listener).waiter)
  const missed = eventIn(channel)
  feed.take([missed], outcomes)
  const left = { channel_id: channel, user_ids: [gus.userId], to_event: missed.seq }
  feed.take([eventIn(8, { left: [left] })], outcomes)

  const [back, gone] = [client(feed, ben), client(feed, gus)]
  const next = eventIn(channel)
  feed.take([next], outcomes)

  assert.deepEqual([back.got, gone.got], [[next.seq], []])
})

test('a user with another waiting client goes on receiving events when idle queues are forgotten', () => {
  const feed = new RealmFeed(new Vault('a secret only for this test'))
  const ben = subscriber(feed, 1)
  const [idle, waiting] = [client(feed, ben, 'idle'), client(feed, ben, 'waiting')]
  feed.stop(idle.waiter)

  feed.dropIfIdle(ben)
  const next = eventIn(channel)
  feed.take([next], outcomes)

  assert.deepEqual([idle.got, waiting.got, feed.waitingOf(ben)], [[], [next.seq], 1])
})

test('polls that were answered are collected as young objects', () => {
  const feed = new RealmFeed(new Vault('a secret only for this test'))
  const listeners = Array.from({ length: 20 }, (_, id) => subscriber(feed, id))
  const content = () => ({ content: Array<number>(100).fill(0.5) })

  const kept = keptBytes({
    create: (n) => Object.assign(client(feed, listeners[n % 20]!).waiter, content()),
    remove: (waiter) => feed.stop(waiter),
  })

  assert.ok(kept < 500_000, `${kept} bytes were kept`)
})
