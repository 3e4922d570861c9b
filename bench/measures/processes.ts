import { availableParallelism } from 'node:os'
import type { Bench } from '../lib/bench.ts'
import { requestsPerSecond } from '../lib/load.ts'
import { type Row, ratio } from '../lib/statistics.ts'
import { deliveriesPerSecond } from './delivery.ts'
import { sender } from './sending.ts'

const seconds = 4
const waiting = 1000

/** Sends and deliveries per second with 1, 2, 4 … processes on one port. The load itself takes CPU time as well. */
export async function processes(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  const alone = await rates(bench, 1)
  for (let count = 2; count <= Math.max(2, availableParallelism()); count *= 2) {
    const several = await rates(bench, count)
    rows.push(row(`12 sends/s, ${count} processes`, several.sends, alone.sends))
    rows.push(row(`12 deliveries/s, ${count} processes, ${waiting} waiting`, several.deliveries, alone.deliveries))
  }
  return rows
}

async function rates(bench: Bench, count: number) {
  const server = await bench.startServer(count)
  const sends = await requestsPerSecond(server.port, 64, seconds, sender(bench, bench.realm.small))
  const deliveries = await deliveriesPerSecond({ ...bench, server }, waiting, 20)
  await server.stop()
  return { sends, deliveries }
}

function row(measure: string, subject: number, alone: number): Row {
  const reference = `one process: ${Math.round(alone)}/s`
  return { measure, subject: `${Math.round(subject)}/s`, reference, ratio: ratio(subject / alone), goal: '' }
}
