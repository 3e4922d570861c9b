import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { median, percentile, type Row, ratio } from '../lib/statistics.ts'

const bots = 200
const botsPerOwner = 50
const hanging = 20
const pairs = 3
const rounds = 2
const perSecond = 40

/**
 * 200 outgoing webhooks: how much the others slow down when one endpoint in ten accepts requests and never responds.
 */
export async function webhooks(bench: Bench): Promise<Row[]> {
  const endpoints = await openEndpoints()
  const ids = await makeBots(bench, endpoints.port)
  const times: Record<'quiet' | 'beset', number[][]> = { quiet: [], beset: [] }
  // In turn, and the median of each, so that one pause of the machine does not decide.
  for (let n = 0; n < pairs; n++)
    for (const [kind, silent] of [
      ['quiet', 0],
      ['beset', hanging],
    ] as const) {
      endpoints.hang(silent)
      await write(bench, ids, endpoints, 1) // until they hang, or until the backlog is delivered
      times[kind].push(await write(bench, ids, endpoints, rounds))
    }
  endpoints.close()
  const p = (fraction: number, runs: number[][]) => median(runs.map((run) => percentile(run, fraction)))
  const { quiet, beset } = times
  const [a, b] = [p(0.99, beset), p(0.99, quiet)]
  return [
    {
      measure: `send → webhook endpoint p99, ${bots - hanging} webhooks beside ${hanging} that hang`,
      subject: `${a.toFixed(1)} ms (p50 ${p(0.5, beset).toFixed(1)})`,
      reference: `none hangs: ${b.toFixed(1)} ms (p50 ${p(0.5, quiet).toFixed(1)})`,
      ratio: ratio(a / b),
      goal: '≤ 1.50 ×',
    },
  ]
}

interface Endpoints {
  port: number
  /** When each message arrived, by id. */
  arrivals: Map<number, number>
  hang(count: number): void
  close(): void
}

/** An endpoint for each bot, distinguished by path: /0, /1, … */
async function openEndpoints(): Promise<Endpoints> {
  const arrivals = new Map<number, number>()
  let silent = 0
  const parked: ServerResponse[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const now = performance.now()
    arrivals.set(JSON.parse(await text(request)).message.id, now)
    if (Number(request.url!.slice(1)) >= silent) response.end('{}')
    else parked.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    arrivals,
    hang: (count) => {
      silent = count
      if (count === 0) for (const response of parked.splice(0)) response.end('{}')
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function makeBots(bench: Bench, port: number): Promise<number[]> {
  const connection = await Connection.open(bench.server.port)
  const ids: number[] = []
  for (let n = 0; n < bots; n++) {
    const form = {
      full_name: `Bot ${n}`,
      short_name: `b${n}`,
      bot_type: '3',
      payload_url: `http://127.0.0.1:${port}/${n}`,
    }
    const owner = bench.realm.people[Math.floor(n / botsPerOwner)]!
    ids.push((await post(bench, connection, '/bots', form, owner)).user_id!)
  }
  connection.close()
  return ids
}

/** Sends to every bot in turn, at a steady rate; returns the delivery times of the endpoints that never hang. */
async function write(bench: Bench, ids: number[], { arrivals }: Endpoints, times: number): Promise<number[]> {
  const connection = await Connection.open(bench.server.port)
  const sent = new Map<number, number>()
  for (let n = 0; n < times * ids.length; n++) {
    const began = performance.now()
    const form = { type: 'direct', to: `[${ids[n % ids.length]}]`, content: 'hello' }
    const { id } = await post(bench, connection, '/messages', form)
    if (n % ids.length >= hanging) sent.set(id!, began)
    await sleep(Math.max(0, 1000 / perSecond - (performance.now() - began)))
  }
  connection.close()
  while ([...sent.keys()].some((id) => !arrivals.has(id))) await sleep(50)
  return [...sent].map(([id, began]) => arrivals.get(id)! - began)
}

async function post(
  { realm }: Bench,
  connection: Connection,
  path: string,
  form: Record<string, string>,
  by = realm.owner,
) {
  const { authorization } = by
  const body = await connection.ask(
    requestText({ method: 'POST', path: `/api/v1${path}`, host: '127.0.0.1', authorization, form }),
  )
  const answer = JSON.parse(body.toString()) as { result: string; id?: number; user_id?: number }
  if (answer.result !== 'success') throw new Error(`refused: ${body.toString().slice(0, 300)}`)
  return answer
}
