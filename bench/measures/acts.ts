import { randomUUID } from 'node:crypto'
import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { postmasterOf, runSeconds, treeSeconds } from '../lib/processes.ts'
import type { Account } from '../lib/realm.ts'
import { runSql } from '../lib/run-sql.ts'
import type { Row } from '../lib/statistics.ts'

const clients = 16
const seconds = 5

/**
 * Measure 12: small acts that write an event each, in one realm, also with a disk that takes 1 ms longer to flush. Each has an
 * Idempotency-Key, as our own client sends it.
 */
export async function acts(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const delay of [0, 1000]) {
    await delayFlushes(bench.databaseUrl, delay)
    rows.push(await measured(bench, delay))
  }
  await delayFlushes(bench.databaseUrl, 0)
  return rows
}

async function measured({ server, realm, databaseUrl }: Bench, delay: number): Promise<Row> {
  const postmaster = await postmasterOf(databaseUrl)
  const actors = await Promise.all(realm.people.slice(0, clients).map((person) => open(server.port, person)))
  const senders = actors.map(({ connection, send }) => ({ connection, requests: [() => send] }))
  const sends = await run(senders, seconds)
  await run(actors, 2)
  const before = [runSeconds([server.pid]), treeSeconds(postmaster)] as const
  const count = await run(actors, seconds)
  const node = ((runSeconds([server.pid]) - before[0]) * 1000) / count
  const database = ((treeSeconds(postmaster) - before[1]) * 1000) / count
  for (const { connection } of actors) connection.close()
  return {
    measure: `12 flags, reactions, typing and edits, one realm, ${clients} clients, ${delay / 1000} ms added to each flush`,
    subject: `${Math.round(count / seconds)}/s`,
    reference: `sends: ${Math.round(sends / seconds)}/s (CPU of a change: ${node.toFixed(2)} ms in Node, ${database.toFixed(2)} ms in PostgreSQL)`,
    ratio: `${(count / sends).toFixed(2)} ×`,
    goal: delay > 0 ? '≥ 5,000/s' : '',
  }
}

interface Actor {
  connection: Connection
  requests: (() => string)[]
}

/** Sends are the reference: they are also committed in groups. */
interface Sender extends Actor {
  send: string
}

/** Each client changes a message of its own. */
async function open(port: number, person: Account): Promise<Sender> {
  const connection = await Connection.open(port)
  const place = { type: 'stream', to: 'everybody', topic: 'acts' }
  const send = requestOf(person, 'POST', '/messages', { ...place, content: 'first' })
  const sent = await connection.ask(send)
  const { id } = JSON.parse(sent.toString()) as { id: number }
  const edit = (content: string) => keyed(person, 'PATCH', `/messages/${id}`, { content })
  const star = (op: string) =>
    keyed(person, 'POST', '/messages/flags', { op, flag: 'starred', messages: JSON.stringify([id]) })
  const react = (method: string) => keyed(person, method, `/messages/${id}/reactions`, { emoji_name: 'tada' })
  const type = (op: string) => keyed(person, 'POST', '/typing', { op, to: JSON.stringify([person.id]) })
  const begun = [star('add'), react('POST'), type('start'), edit('second')]
  return { connection, send, requests: [...begun, star('remove'), react('DELETE'), type('stop'), edit('third')] }
}

function requestOf({ authorization }: Account, method: string, path: string, form: Record<string, string>): string {
  return requestText({ method, path: `/api/v1${path}`, host: '127.0.0.1', authorization, form })
}

/** The same request, each time with a new key. */
function keyed(...request: Parameters<typeof requestOf>): () => string {
  const text = requestOf(...request)
  const headers = text.indexOf('\r\n\r\n')
  return () => `${text.slice(0, headers)}\r\nIdempotency-Key: ${randomUUID()}${text.slice(headers)}`
}

async function run(actors: Actor[], duration: number): Promise<number> {
  const end = performance.now() + duration * 1000
  let count = 0
  await Promise.all(
    actors.map(async ({ connection, requests }) => {
      while (performance.now() < end)
        for (const request of requests) {
          const body = await connection.ask(request())
          if (!body.includes('"success"')) throw new Error(`refused: ${body.toString().slice(0, 300)}`)
          count++
        }
    }),
  )
  return count
}

/** Lets PostgreSQL wait before each flush, as a slower disk would. In microseconds. */
function delayFlushes(databaseUrl: string, delay: number): Promise<void> {
  return runSql(
    databaseUrl,
    `alter system set commit_delay = ${delay}`,
    'alter system set commit_siblings = 0',
    'select pg_reload_conf()',
  )
}
