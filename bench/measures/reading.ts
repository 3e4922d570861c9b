import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { requestsPerSecond } from '../lib/load.ts'
import { cpuSeconds, postmasterOf, treeSeconds } from '../lib/processes.ts'
import { runSql } from '../lib/run-sql.ts'
import { median, type Row } from '../lib/statistics.ts'

const rounds = 3
const seconds = 4
const clients = 16

/** Measure 14: the newest 100 messages of a channel, as a client requests them when it opens. */
export async function reading(bench: Bench): Promise<Row[]> {
  await send(bench, 300)
  // As autovacuum does within a minute: plans for tables that were empty take longer.
  await runSql(bench.databaseUrl, 'analyze')
  const { authorization } = bench.realm.people[0]!
  const narrow = encodeURIComponent(JSON.stringify([{ operator: 'channel', operand: bench.realm.everybody }]))
  const page = requestText({
    method: 'GET',
    path: `/api/v1/messages?anchor=newest&num_before=100&num_after=0&narrow=${narrow}`,
    host: '127.0.0.1',
    authorization,
  })
  return [await row(bench, page)]
}

async function row(bench: Bench, request: string): Promise<Row> {
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round++) measured.push(await measure(bench, request))
  const milliseconds = (part: 'node' | 'database') => median(measured.map((one) => one[part])).toFixed(1)
  return {
    measure: `14 newest 100 messages, ${clients} clients`,
    subject: `${Math.round(median(measured.map(({ rate }) => rate)))}/s`,
    reference: `CPU: ${milliseconds('node')} ms in Node, ${milliseconds('database')} ms in PostgreSQL`,
    ratio: '',
    goal: '≥ 400/s, ≤ 4 ms',
  }
}

interface Measured {
  rate: number
  /** CPU milliseconds per request. */
  node: number
  database: number
}

async function measure({ server, databaseUrl }: Bench, request: string): Promise<Measured> {
  const postmaster = await postmasterOf(databaseUrl)
  const [node, database] = [cpuSeconds(server.pid), treeSeconds(postmaster)]
  const rate = await requestsPerSecond(server.port, clients, seconds, () => request)
  const count = (rate * (seconds + 1)) / 1000
  return { rate, node: (cpuSeconds(server.pid) - node) / count, database: (treeSeconds(postmaster) - database) / count }
}

async function send({ server, realm }: Bench, count: number): Promise<void> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(server.port)))
  const form = {
    type: 'stream',
    to: realm.everybody,
    topic: 'reading',
    content: 'A **short** line, as long as most are.',
  }
  const { authorization } = realm.owner
  const request = requestText({ method: 'POST', path: '/api/v1/messages', host: '127.0.0.1', authorization, form })
  await Promise.all(
    connections.map(async (connection) => {
      for (let n = 0; n < count / clients; n++) await connection.ask(request)
      connection.close()
    }),
  )
}
