import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { scripted } from '../testing.ts'
import type { ParleyClient } from './client.ts'
import type { EventOptions, StateOrEvent } from './events.ts'

const registered = { queue_id: 'q1', last_event_id: 5 }
const heartbeat = (id: number) => ({ type: 'heartbeat', id })

/** Reads so many pieces of news and stops. */
async function read(client: ParleyClient, count: number, options: EventOptions = {}): Promise<StateOrEvent[]> {
  const news: StateOrEvent[] = []
  for await (const one of client.events(options)) {
    news.push(one)
    if (news.length === count) break
  }
  return news
}

/** Time passes at once, so that nobody waits for a pause to end. */
async function withoutWaiting<T>(work: () => Promise<T>): Promise<T> {
  const timer = mock.method(globalThis, 'setTimeout', (done: () => void) => setImmediate(done))
  try {
    return await work()
  } finally {
    timer.mock.restore()
  }
}

test('the state comes first, then events, each asked for after the last', async () => {
  const { client, received } = scripted(
    registered,
    { queue_id: 'q1', events: [heartbeat(6), heartbeat(9)] },
    { queue_id: 'q1', events: [heartbeat(10)] },
  )
  const news = await read(client, 4)
  assert.deepEqual(
    news.map((one) => ('state' in one ? one.state.queue_id : one.event.id)),
    ['q1', 6, 9, 10],
  )
  assert.deepEqual(
    received.slice(1, 3).map(({ params }) => params),
    [
      { queue_id: 'q1', last_event_id: '5' },
      { queue_id: 'q1', last_event_id: '9' },
    ],
  )
})

test('a reader who stops leaves no queue behind', async () => {
  const { client, received } = scripted(registered)
  await read(client, 1)
  assert.deepEqual(
    { ...received.at(-1)!, authorization: '' },
    {
      method: 'DELETE',
      path: '/events',
      params: { queue_id: 'q1' },
      authorization: '',
    },
  )
})

test('broken connections and faults of the server are tried again after the same event', async () => {
  const { client, received } = scripted(
    new TypeError('fetch failed'),
    { status: 503, code: 'SERVICE_UNAVAILABLE' },
    registered,
    { status: 500, code: 'INTERNAL_SERVER_ERROR' },
    new TypeError('fetch failed'),
    { status: 429, code: 'RATE_LIMIT_HIT', 'retry-after': 0.5 },
    { queue_id: 'q1', events: [heartbeat(6)] },
  )
  const news = await withoutWaiting(() => read(client, 2))
  assert.equal(news.length, 2)
  const polls = received.filter(({ path, method }) => path === '/events' && method === 'GET')
  assert.deepEqual(
    polls.map(({ params }) => params.last_event_id),
    ['5', '5', '5', '5'],
  )
})

test('a lost queue is replaced, and the reader receives a new state', async () => {
  const { client } = scripted(
    registered,
    { status: 400, code: 'BAD_EVENT_QUEUE_ID', queue_id: 'q1' },
    { queue_id: 'q2', last_event_id: 50 },
    { queue_id: 'q2', events: [heartbeat(51)] },
  )
  const news = await withoutWaiting(() => read(client, 3))
  assert.deepEqual(
    news.map((one) => ('state' in one ? one.state.queue_id : one.event.id)),
    ['q1', 'q2', 51],
  )
})

test('what trying again cannot mend is thrown', async () => {
  const { client } = scripted({ status: 401, code: 'UNAUTHORIZED' })
  await assert.rejects(read(client, 1), { code: 'UNAUTHORIZED' })
})

test('a signal ends the iteration while it waits', async () => {
  const { client } = scripted(registered)
  const stop = new AbortController()
  const news: StateOrEvent[] = []
  for await (const one of client.events({ signal: stop.signal })) {
    news.push(one)
    setImmediate(() => stop.abort())
  }
  assert.equal(news.length, 1)
})

test('what is asked of the queue goes into the registration', async () => {
  const { client, received } = scripted(registered)
  await read(client, 1, { register: { event_types: ['message'] } })
  assert.equal(received[0]!.params.event_types, '["message"]')
  assert.match(received[0]!.params.client_capabilities!, /"empty_topic_name":true/)
})

test('a queue is resumed without a registration: first what was missed, then what happens', async () => {
  const { client, received } = scripted(
    { queue_id: 'q1', events: [heartbeat(6)] },
    { queue_id: 'q1', events: [] },
    { queue_id: 'q1', events: [heartbeat(7)] },
  )
  const current: boolean[] = []
  const resume = { queue_id: 'q1', last_event_id: 5 }
  await read(client, 2, { resume, keepsQueue: true, onCurrent: (isCurrent) => current.push(isCurrent) })
  assert.deepEqual(
    received.map(({ path, params }) => [path, params.last_event_id, params.dont_block]),
    [
      ['/events', '5', 'true'],
      ['/events', '6', 'true'],
      ['/events', '6', undefined],
    ],
  )
  assert.deepEqual(current, [true])
})

test('a resumed queue that is lost is replaced', async () => {
  const lost = { status: 400, code: 'BAD_EVENT_QUEUE_ID', queue_id: 'q0' }
  const { client } = scripted(lost, registered, { queue_id: 'q1', events: [heartbeat(6)] })
  const current: boolean[] = []
  const resume = { queue_id: 'q0', last_event_id: 3 }
  const news = await read(client, 2, { resume, onCurrent: (isCurrent) => current.push(isCurrent) })
  assert.ok('state' in news[0]!)
  assert.deepEqual(current, [false, true])
})
