import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { cpuSeconds, residentBytes, type Started } from '../lib/processes.ts'
import { percentile, type Row, ratio } from '../lib/statistics.ts'

interface Client {
  connection: Connection
  /** The request that polls for the next event; built from the previous response. */
  wait: string
}

interface Delivery {
  latencies: number[]
  perSecond: number
  cpuMicroseconds: number
}

/** Measures 3 and 4: one message to many waiting clients, which all poll again at once. */
export async function delivery(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of bench.clientCounts) {
    const repeats = Math.max(5, Math.min(200, Math.ceil(20_000 / count)))
    const raw = await measure(bench.raw, await rawClients(bench, count), rawSend(bench), repeats)
    const ours = await measure(bench.server, await queueClients(bench, count), send(bench), repeats)
    rows.push(latencyRow(count, ours, raw))
    if (count >= 1000) rows.push(...throughputRows(count, ours, raw))
  }
  return rows
}

/** How many clients receive something each second, with this many waiting. */
export async function deliveriesPerSecond(bench: Bench, count: number, repeats: number): Promise<number> {
  return (await measure(bench.server, await queueClients(bench, count), send(bench), repeats)).perSecond
}

/** Microseconds of CPU time for each delivery to a waiting client, its next poll included. */
export async function pollingCost(bench: Bench, count: number, repeats: number): Promise<number> {
  return (await measure(bench.server, await queueClients(bench, count), send(bench), repeats)).cpuMicroseconds
}

function latencyRow(count: number, ours: Delivery, raw: Delivery): Row {
  const [a, b] = [percentile(ours.latencies, 0.99), percentile(raw.latencies, 0.99)]
  return {
    measure: `4 send → receipt p99, ${count} waiting`,
    subject: `${a.toFixed(1)} ms (p50 ${percentile(ours.latencies, 0.5).toFixed(1)})`,
    reference: `raw node:http in memory: ${b.toFixed(1)} ms`,
    ratio: ratio(a / b),
    goal: count === 1 ? '≤ 15 ms' : count <= 1000 ? '≤ 2 × bare socket' : '≤ 1.5 × bare socket',
  }
}

function throughputRows(count: number, ours: Delivery, raw: Delivery): Row[] {
  return [
    {
      measure: `3 deliveries/s in one process, ${count} waiting`,
      subject: `${Math.round(ours.perSecond)}`,
      reference: `raw node:http: ${Math.round(raw.perSecond)}`,
      ratio: ratio(ours.perSecond / raw.perSecond),
      goal: '≥ 10,000/s',
    },
    {
      measure: `3 CPU a delivery, new poll included, ${count} waiting`,
      subject: `${ours.cpuMicroseconds.toFixed(0)} µs`,
      reference: `raw node:http: ${raw.cpuMicroseconds.toFixed(0)} µs`,
      ratio: ratio(ours.cpuMicroseconds / raw.cpuMicroseconds),
      goal: '≤ 1.40 ×',
    },
  ]
}

/**
 * Sends one message after another, each when all clients wait again; measures the latency from send to each receipt.
 */
async function measure(
  server: Started,
  clients: Client[],
  sendOne: () => Promise<unknown>,
  repeats: number,
): Promise<Delivery> {
  let polls = clients.map((client) => client.connection.ask(client.wait))
  await settled(clients.length)
  // The first polls of a client miss the cache; the measured ones should not.
  for (let n = 0; n < warmUps; n++) polls = (await deliver(clients, polls, sendOne)).polls
  const cpu = cpuSeconds(server.pid)
  const latencies: number[] = []
  let milliseconds = 0
  for (let n = 0; n < repeats; n++) {
    const delivered = await deliver(clients, polls, sendOne)
    polls = delivered.polls
    latencies.push(...delivered.latencies)
    milliseconds += Math.max(...delivered.latencies)
  }
  const used = cpuSeconds(server.pid) - cpu
  for (const { connection } of clients) connection.close()
  for (const poll of polls) poll.catch(() => {})
  const total = repeats * clients.length
  return { latencies, perSecond: (total * 1000) / milliseconds, cpuMicroseconds: (used * 1e6) / total }
}

const warmUps = 15

/** One send, its delivery to all clients, and their next polls. */
async function deliver(clients: Client[], waiting: Promise<Buffer>[], sendOne: () => Promise<unknown>) {
  const sent = performance.now()
  const latencies: number[] = []
  const polls: Promise<Buffer>[] = []
  const receive = async (poll: Promise<Buffer>, index: number) => {
    const body = await poll
    latencies.push(performance.now() - sent)
    const client = clients[index]!
    client.wait = nextText(client.wait, body)
    polls[index] = client.connection.ask(client.wait)
  }
  await Promise.all([...waiting.map(receive), sendOne()])
  // Lets the new polls arrive first: only deliveries to waiting clients are measured.
  await sleep(5 + clients.length / 50)
  return { latencies, polls }
}

/** Gives the last polls time to arrive; the server must be waiting, not reading, when the clock starts. */
function settled(count: number): Promise<void> {
  return sleep(200 + count / 5)
}

async function rawClients(bench: Bench, count: number): Promise<Client[]> {
  return openAll(bench.raw.port, await rawWaits(bench, count))
}

async function rawWaits({ raw, realm }: Bench, count: number): Promise<string[]> {
  const wait = requestText({
    method: 'GET',
    path: `/wait?queue_id=${randomUUID()}&last_event_id=0`,
    host: '127.0.0.1',
    authorization: realm.owner.authorization,
  })
  // The first response contains the position of the bare server.
  const connection = await Connection.open(raw.port)
  const next = nextText(wait, await connection.ask(wait))
  connection.close()
  return Array<string>(count).fill(next)
}

function rawSend({ raw, realm }: Bench): () => Promise<unknown> {
  return sendOn(
    raw.port,
    requestText({
      method: 'POST',
      path: '/send',
      host: '127.0.0.1',
      authorization: realm.owner.authorization,
      form: { content: 'x' },
    }),
  )
}

/** Each client is a different user with its own queue, subscribed to the channel of all users. */
export async function queueClients(bench: Bench, count: number): Promise<Client[]> {
  return openAll(bench.server.port, await queueWaits(bench, count))
}

export async function queueWaits({ server, realm }: Bench, count: number): Promise<string[]> {
  const registrar = await Connection.open(server.port)
  const form = { event_types: '["message"]', fetch_event_types: '[]', apply_markdown: 'true' }
  const waits: string[] = []
  for (let n = 0; n < count; n++) {
    const { authorization } = realm.people[n % realm.people.length]!
    const body = await registrar.ask(
      requestText({ method: 'POST', path: '/api/v1/register', host: '127.0.0.1', authorization, form }),
    )
    const { queue_id, last_event_id } = JSON.parse(body.toString())
    waits.push(pollText(authorization, queue_id, last_event_id))
  }
  registrar.close()
  return waits
}

function pollText(authorization: string, queueId: string, last: number): string {
  return requestText({
    method: 'GET',
    path: `/api/v1/events?queue_id=${queueId}&last_event_id=${last}`,
    host: '127.0.0.1',
    authorization,
  })
}

function nextText(wait: string, body: Buffer): string {
  const ids = [...body.toString().matchAll(/\{"id":(\d+),"type":"message"/g)]
  const last = ids.at(-1)?.[1]
  if (!last) throw new Error(`no event in ${body.toString().slice(0, 300)}`)
  return wait.replace(/last_event_id=\d+/, `last_event_id=${last}`)
}

export function send({ server, realm }: Bench): () => Promise<unknown> {
  const form = { type: 'stream', to: realm.everybody, topic: 'delivery', content: 'y'.repeat(400) }
  return sendOn(
    server.port,
    requestText({
      method: 'POST',
      path: '/api/v1/messages',
      host: '127.0.0.1',
      authorization: realm.owner.authorization,
      form,
    }),
  )
}

function sendOn(port: number, request: string): () => Promise<unknown> {
  let connection: Promise<Connection> | undefined
  return async () => {
    connection ??= Connection.open(port)
    return (await connection).ask(request)
  }
}

/** Opened last, because a server closes connections that stay silent for long. */
async function openAll(port: number, waits: string[]): Promise<Client[]> {
  const clients: Client[] = []
  for (const wait of waits) clients.push({ connection: await Connection.open(port), wait })
  return clients
}

/** Measure 5: memory of an idle queue with its waiting connection. */
export async function idleQueues(bench: Bench): Promise<Row[]> {
  const count = bench.idleQueues
  const raw = await growth(await bench.startRaw(collecting), await rawWaits(bench, count))
  const ours = await growth(await bench.startServer(1, collecting), await queueWaits(bench, count))
  return [
    {
      measure: `5 memory for an idle queue and its connection, ${count} of them`,
      subject: `${(ours / 1024).toFixed(1)} kB`,
      reference: `raw node:http: ${(raw / 1024).toFixed(1)} kB`,
      ratio: ratio(ours / raw),
      goal: '≤ 1.50 ×',
    },
  ]
}

const collecting = { NODE_OPTIONS: `--import=${join(import.meta.dirname, '../lib/collect-on-signal.ts')}` }

/**
 * Memory per additional connection. The process is new, and another one registered the queues: reused memory would hide
 * the growth. A tenth of the connections warms it up.
 */
async function growth(server: Started, waits: string[]): Promise<number> {
  const warmUp = Math.ceil(waits.length / 10)
  const first = await park(server, waits.slice(0, warmUp))
  const before = await collectedBytes(server.pid)
  const others = await park(server, waits.slice(warmUp))
  const grown = (await collectedBytes(server.pid)) - before
  for (const { connection } of [...first, ...others]) connection.close()
  await server.stop()
  return grown / others.length
}

/**
 * Without garbage: how much of it there is depends on how fast the connections came, and weighs more than they do. Unused
 * connections to the database are closed first.
 */
async function collectedBytes(pid: number): Promise<number> {
  await sleep(restMilliseconds)
  process.kill(pid, 'SIGUSR2')
  await sleep(collectMilliseconds)
  return residentBytes(pid)
}

const restMilliseconds = 15_000
const collectMilliseconds = 2000

async function park(server: Started, waits: string[]): Promise<Client[]> {
  const clients = await openAll(server.port, waits)
  for (const { connection, wait } of clients) connection.ask(wait).catch(() => {})
  await settled(clients.length * 3)
  return clients
}
