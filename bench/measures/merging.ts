import pg from 'pg'
import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { median, type Row, ratio } from '../lib/statistics.ts'
import { fillTopic } from './renaming.ts'

const many = 20_000

/** Senders must not wait for users who move many messages. */
export async function merging(bench: Bench): Promise<Row[]> {
  const client = new pg.Client({ connectionString: bench.databaseUrl })
  await client.connect()
  await fillTopic(client, bench, 'one', 1)
  const { first } = await fillTopic(client, bench, 'many', many)
  await client.query('vacuum analyze messages')
  const channel = await makeChannel(client, bench)
  await client.end()
  return [
    row(`merge ${many} messages into another topic`, await whileSending(bench, first, { topic: 'one' })),
    row(`move ${many} messages to another channel`, await whileSending(bench, first, { stream_id: channel })),
  ]
}

/** Another channel with the same two users. */
async function makeChannel(client: pg.Client, { server, realm }: Bench): Promise<string> {
  const connection = await Connection.open(server.port)
  const form = {
    subscriptions: '[{"name":"other"}]',
    principals: JSON.stringify([realm.owner.id, realm.people[0]!.id]),
  }
  const path = '/api/v1/users/me/subscriptions'
  const { authorization } = realm.owner
  await timed(connection, requestText({ method: 'POST', path, host: '127.0.0.1', authorization, form }))
  connection.close()
  const { rows } = await client.query<{ id: string }>(
    `select id from channels where realm_id = $1 and name = 'other'`,
    [realm.realmId],
  )
  return rows[0]!.id
}

interface Times {
  change: number
  sends: number[]
}

function row(what: string, { change, sends }: Times): Row {
  const longest = Math.max(...sends)
  return {
    measure: `10 ${what}: longest wait of ${sends.length} concurrent sends`,
    subject: `${longest.toFixed(0)} ms (median ${median(sends).toFixed(1)})`,
    reference: `the move: ${change.toFixed(0)} ms`,
    ratio: ratio(longest / change),
    goal: '≤ 0.25 ×',
  }
}

/** Moves the whole topic of a message while another user sends one message after another. */
async function whileSending({ server, realm }: Bench, messageId: number, change: object): Promise<Times> {
  const [mover, sender] = [await Connection.open(server.port), await Connection.open(server.port)]
  const common = { host: '127.0.0.1', authorization: realm.owner.authorization }
  const send = requestText({
    ...common,
    method: 'POST',
    path: '/api/v1/messages',
    form: { type: 'stream', to: realm.small, topic: 'concurrent', content: 'another message' },
  })
  await timed(sender, send)
  const form = { ...change, propagate_mode: 'change_all', send_notification_to_new_thread: 'false' }
  const moving = timed(mover, requestText({ ...common, method: 'PATCH', path: `/api/v1/messages/${messageId}`, form }))
  let isMoving = true
  const moved = moving.finally(() => {
    isMoving = false
  })
  const sends: number[] = []
  while (isMoving) sends.push(await timed(sender, send))
  const times = { change: await moved, sends }
  for (const connection of [mover, sender]) connection.close()
  return times
}

/** Milliseconds until the response. */
async function timed(connection: Connection, request: string): Promise<number> {
  const start = performance.now()
  const answer = await connection.ask(request)
  if (!answer.includes('"success"')) throw new Error(`${answer.toString()} to ${request.slice(0, 40)}`)
  return performance.now() - start
}
