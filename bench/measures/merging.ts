import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { median, type Row, ratio } from '../lib/statistics.ts'
import { fillTopic } from './renaming.ts'

const many = 20_000

/** Nobody must wait for users who move many messages: neither senders nor those who change the moving messages. */
export async function merging(bench: Bench): Promise<Row[]> {
  const client = new pg.Client({ connectionString: bench.databaseUrl })
  await client.connect()
  await fillTopic(client, bench, 'one', 1)
  const { first } = await fillTopic(client, bench, 'many', many)
  await client.query('vacuum analyze messages')
  const channel = await makeChannel(client, bench)
  await client.end()
  return [
    ...rowsOf(`merge ${many} messages into another topic`, await whileOthersWork(bench, first, { topic: 'one' })),
    ...rowsOf(`move ${many} messages to another channel`, await whileOthersWork(bench, first, { stream_id: channel })),
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

/** Milliseconds. */
interface Times {
  change: number
  sends: number[]
  edits: number[]
  reactions: number[]
}

function rowsOf(what: string, { change, sends, edits, reactions }: Times): Row[] {
  const rowOf = (kind: string, times: number[]): Row => ({
    measure: `10 ${what}: longest wait of ${times.length} concurrent ${kind}`,
    subject: `${Math.max(...times).toFixed(0)} ms (median ${median(times).toFixed(1)})`,
    reference: `the move: ${change.toFixed(0)} ms`,
    ratio: ratio(Math.max(...times) / change),
    goal: '≤ 0.25 ×',
  })
  return [rowOf('sends', sends), rowOf('edits there', edits), rowOf('reactions there', reactions)]
}

/** Moves the whole topic of a message while others send, and edit and react to messages of the topic. */
async function whileOthersWork(
  { server, realm, databaseUrl }: Bench,
  first: number,
  change: Record<string, string>,
): Promise<Times> {
  const connections = await Promise.all(Array.from({ length: 4 }, () => Connection.open(server.port)))
  const [mover, sender, editor, reader] = connections as [Connection, Connection, Connection, Connection]
  const request = (method: string, path: string, form: Record<string, string>) =>
    requestText({ method, path: `/api/v1/${path}`, host: '127.0.0.1', authorization: realm.owner.authorization, form })
  // Each time another message, of those that have moved and of those that will.
  const messageAt = (n: number) => first + ((n * 7919) % many)
  const send = () =>
    request('POST', 'messages', { type: 'stream', to: realm.small, topic: 'concurrent', content: 'another message' })
  const edit = (n: number) =>
    request('PATCH', `messages/${messageAt(n)}`, { content: `edited ${n} ${performance.now()}` })
  const emoji_name = 'topic' in change ? 'tada' : 'heart'
  const react = (n: number) => request('POST', `messages/${messageAt(n)}/reactions`, { emoji_name })
  await timed(sender, send())
  const form = { ...change, propagate_mode: 'change_all', send_notification_to_new_thread: 'false' }
  let isMoving = true
  const start = performance.now()
  const moving = timed(mover, request('PATCH', `messages/${first}`, form))
    .then(() => untilMoved(databaseUrl))
    .then(() => performance.now() - start)
    .finally(() => {
      isMoving = false
    })
  const repeat = async (connection: Connection, requestOf: (n: number) => string) => {
    const times: number[] = []
    for (let n = 0; isMoving; n++) times.push(await timed(connection, requestOf(n)))
    return times
  }
  const work = [repeat(sender, send), repeat(editor, edit), repeat(reader, react)]
  const [sends, edits, reactions] = (await Promise.all(work)) as [number[], number[], number[]]
  for (const connection of connections) connection.close()
  return { change: await moving, sends, edits, reactions }
}

/** A move that takes very long continues after the response. */
async function untilMoved(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  while ((await client.query('select from message_moves')).rowCount! > 0) await sleep(100)
  await client.end()
}

/** Milliseconds until the response. */
async function timed(connection: Connection, request: string): Promise<number> {
  const start = performance.now()
  const answer = await connection.ask(request)
  if (!answer.includes('"success"')) throw new Error(`${answer.toString()} to ${request.slice(0, 40)}`)
  return performance.now() - start
}
