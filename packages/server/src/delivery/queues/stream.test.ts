import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../../testing/actor.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import type { Poll } from './registry.ts'

interface Streamed {
  id: number
  data: { id: number; type: string; message?: { content: string } }
}

/** Reads the queue as Server-Sent Events until `count` events have arrived. */
async function streamEvents(
  { app }: World,
  actor: Actor,
  path: string,
  count: number,
  onOpen: () => Promise<unknown>,
  headers = {},
) {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return new Promise<Streamed[]>((resolve, reject) => {
    const open = request({
      port,
      host: '127.0.0.1',
      path: `/api/v1/events?${path}`,
      headers: { ...actor.headers, accept: 'text/event-stream', ...headers },
    })
    open.on('response', (response) => {
      assert.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8')
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
        const events = parse(text)
        if (events.length < count) return
        resolve(events)
        open.destroy()
      })
      onOpen().catch(reject)
    })
    open.on('error', (error) => ((error as NodeJS.ErrnoException).code === 'ECONNRESET' ? undefined : reject(error)))
    open.end()
  })
}

function parse(text: string): Streamed[] {
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)\n\n/gm)].map(([, id, data]) => ({
    id: Number(id),
    data: JSON.parse(data!),
  }))
}

test('a queue can be read as Server-Sent Events: existing events first, then new ones, with the same ids', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const { queue_id, last_event_id } = await ben.registers()
  await ann.sends({ to: [ben], content: 'before' })
  const events = await streamEvents(world, ben, `queue_id=${queue_id}&last_event_id=${last_event_id}`, 3, async () => {
    await ann.sends({ to: [ben], content: 'during' })
    await ann.sends({ to: [ben], content: 'after' })
  })
  assert.deepEqual(
    events.map(({ data }) => data.message?.content),
    ['before', 'during', 'after'],
  )
  assert.deepEqual(
    (await ben.receives('message')).map(({ id }) => id),
    events.map(({ id }) => id),
  )
})

test('an interrupted stream continues after the Last-Event-ID header', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const { queue_id } = await ben.registers()
  await ann.sends({ to: [ben], content: 'one' })
  await ann.sends({ to: [ben], content: 'two' })
  const [first] = await ben.receives('message')
  const events = await streamEvents(world, ben, `queue_id=${queue_id}`, 1, async () => {}, {
    'last-event-id': String(first!.id),
  })
  assert.deepEqual(
    events.map(({ data }) => data.message?.content),
    ['two'],
  )
})

async function opensStream(t: TestContext, { app }: World, actor: Actor, queue_id: string): Promise<IncomingMessage> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const headers = { ...actor.headers, accept: 'text/event-stream' }
  const path = `/api/v1/events?queue_id=${queue_id}&last_event_id=-1`
  const open = request({ port, host: '127.0.0.1', path, headers }).on('error', () => {})
  t.after(() => open.destroy())
  const [response] = await once(open.end(), 'response')
  return response
}

test('a stream beyond the limit of waiting clients per user is refused until another one ends', async (t) => {
  const world = await newWorld()
  const { ben } = world
  const queues: string[] = []
  for (let n = 0; n < 21; n++) queues.push((await ben.registers({ event_types: ['message'] })).queue_id)
  const open: IncomingMessage[] = []
  for (const queue of queues.slice(0, 20)) open.push(await opensStream(t, world, ben, queue))
  const refused = await opensStream(t, world, ben, queues[20]!)
  assert.equal(refused.statusCode, 429)
  assert.equal(refused.headers['retry-after'], '1')

  open[0]!.destroy()
  await until(async () => (await opensStream(t, world, ben, queues[20]!)).statusCode === 200)
})

test('a client that disconnects while its events are loaded does not count as waiting', async (t) => {
  const world = await newWorld()
  const { ben, ctx } = world
  const { queue_id } = await ben.registers({ event_types: ['message'] })
  const place = ctx.queues.place.bind(ctx.queues)
  const entered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  t.mock.method(ctx.queues, 'place', async (poll: Poll) => {
    entered.resolve()
    await gate.promise
    return place(poll)
  })
  const waiting = async () => (await ctx.metrics.registry.metrics()).match(/parley_waiting_polls (\d+)/)![1]
  const before = await waiting()
  const { port } = world.app.server.address() as AddressInfo
  const headers = { ...ben.headers, accept: 'text/event-stream' }
  const path = `/api/v1/events?queue_id=${queue_id}&last_event_id=-1`
  const open = request({ port, host: '127.0.0.1', path, headers }).on('error', () => {})
  open.end()
  await entered.promise
  open.destroy()
  await sleep(100)
  gate.resolve()
  await sleep(100)
  assert.equal(await waiting(), before)
})
