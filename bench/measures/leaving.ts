import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../lib/bench.ts'
import { requestsPerSecond } from '../lib/load.ts'
import { runSeconds } from '../lib/processes.ts'
import { type Row, ratio } from '../lib/statistics.ts'
import { queueClients } from './delivery.ts'
import { sender } from './sending.ts'

const seconds = 4

/** Measure 13: sends into a channel right after most of its clients have disconnected. */
export async function leaving(bench: Bench): Promise<Row[]> {
  const before = await cpuOfSend(bench)
  const count = Math.min(5000, bench.realm.people.length)
  const clients = await queueClients(bench, count)
  for (const { connection, wait } of clients) connection.ask(wait).catch(() => {})
  await sleep(1000 + count)
  for (const { connection } of clients) connection.close()
  await sleep(1000)
  const after = await cpuOfSend(bench)
  return [
    {
      measure: `13 CPU of a send in Node, right after ${count} clients of the channel left`,
      subject: `${after.toFixed(0)} µs`,
      reference: `before they came: ${before.toFixed(0)} µs`,
      ratio: ratio(after / before),
      goal: '≤ 1.10 ×',
    },
  ]
}

/** In microseconds. */
async function cpuOfSend({ server, ...bench }: Bench): Promise<number> {
  await requestsPerSecond(server.port, 64, 1, sender({ server, ...bench }, bench.realm.everybody))
  const before = runSeconds([server.pid])
  let count = 0
  const next = sender({ server, ...bench }, bench.realm.everybody)
  await requestsPerSecond(server.port, 64, seconds, () => {
    count++
    return next()
  })
  return ((runSeconds([server.pid]) - before) * 1e6) / count
}
