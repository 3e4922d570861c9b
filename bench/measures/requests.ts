import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { requestsPerSecond } from '../lib/load.ts'
import { cpuSeconds } from '../lib/processes.ts'
import { median, type Row, ratio } from '../lib/statistics.ts'

const rounds = 3
const seconds = 3

/** Measure 6: the overhead of the API: requests per CPU second when there is nothing to do. */
export async function requests(bench: Bench): Promise<Row[]> {
  const subject = await emptyPoll(bench)
  const reference = subject.replace('/api/v1/events', '/nothing')
  const rates = { subject: [] as number[], reference: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    rates.subject.push(await perCoreSecond(bench.server, subject))
    rates.reference.push(await perCoreSecond(bench.raw, reference))
  }
  const [ours, raw] = [median(rates.subject), median(rates.reference)]
  return [
    {
      measure: '6 authenticated request with nothing to do, per core-second',
      subject: `${Math.round(ours)}`,
      reference: `raw node:http: ${Math.round(raw)}`,
      ratio: ratio(ours / raw),
      goal: '≥ 0.75 ×',
    },
  ]
}

/** A poll that does not wait, on an empty queue. */
async function emptyPoll({ server, realm: { owner } }: Bench): Promise<string> {
  const { authorization } = owner
  const connection = await Connection.open(server.port)
  const form = { event_types: '["presence"]', fetch_event_types: '[]' }
  const body = await connection.ask(
    requestText({ method: 'POST', path: '/api/v1/register', host: '127.0.0.1', authorization, form }),
  )
  connection.close()
  const { queue_id, last_event_id } = JSON.parse(body.toString())
  const path = `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`
  return requestText({ method: 'GET', path, host: '127.0.0.1', authorization })
}

async function perCoreSecond({ pid, port }: { pid: number; port: number }, request: string): Promise<number> {
  const before = cpuSeconds(pid)
  const rate = await requestsPerSecond(port, 64, seconds, () => request)
  const warmUp = Math.min(1, seconds / 3)
  return (rate * (seconds + warmUp)) / (cpuSeconds(pid) - before)
}
