import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../lib/bench.ts'
import { cpuSeconds } from '../lib/processes.ts'
import { type Row, ratio } from '../lib/statistics.ts'
import { pollingCost, queueWaits, send } from './delivery.ts'

const count = 1000
const repeats = 40

/** The cost of a delivery over Server-Sent Events, compared with long polls. The sends are included in both. */
export async function streams(bench: Bench): Promise<Row[]> {
  const clients = Math.min(count, bench.realm.people.length)
  const polls = await pollingCost(bench, clients, repeats)
  const streamed = await streamingCost(bench, clients)
  return [
    {
      measure: `3 CPU a delivery over Server-Sent Events, ${clients} open`,
      subject: `${streamed.toFixed(0)} µs`,
      reference: `long polls: ${polls.toFixed(0)} µs`,
      ratio: ratio(streamed / polls),
      goal: '≤ 50 µs',
    },
  ]
}

async function streamingCost(bench: Bench, clients: number): Promise<number> {
  const received = new Counter()
  const waits = await queueWaits(bench, clients)
  const sockets = waits.map((wait) => openStream(bench.server.port, wait, () => received.add()))
  await sleep(500 + clients / 2)
  const sendOne = send(bench)
  const round = async () => {
    const all = received.reach(clients)
    await Promise.all([sendOne(), all])
  }
  for (let n = 0; n < 5; n++) await round()
  const cpu = cpuSeconds(bench.server.pid)
  for (let n = 0; n < repeats; n++) await round()
  const used = cpuSeconds(bench.server.pid) - cpu
  for (const socket of sockets) socket.destroy()
  return (used * 1e6) / (repeats * clients)
}

/** An event is written at once, so that its beginning is not split. */
function openStream(port: number, wait: string, onMessage: () => void): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.write(wait.replace('\r\n\r\n', '\r\nAccept: text/event-stream\r\n\r\n'))
  socket.on('data', (chunk: Buffer) => {
    if (chunk.includes('"type":"message"')) onMessage()
  })
  socket.on('error', () => {})
  return socket
}

class Counter {
  #left = 0
  #done = () => {}

  reach(count: number): Promise<void> {
    this.#left = count
    return new Promise((resolve) => (this.#done = resolve))
  }

  add(): void {
    if (--this.#left === 0) this.#done()
  }
}
