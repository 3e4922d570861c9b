import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { type History, history } from '../lib/history.ts'
import { childSeconds, postmasterOf, runSeconds } from '../lib/processes.ts'
import { median, type Row, ratio } from '../lib/statistics.ts'

/** Until statements have names and plans. */
const warmUps = 20
const rounds = 21

/**
 * Measure 7: the unread summary at registration, compared with one row per recipient and an index of the unread ones. The
 * reference is only SQL and grouping, without a transaction, a queue and topics' names, so the time of a registration that
 * returns no state is shown too.
 */
export async function unread(bench: Bench): Promise<Row[]> {
  const past = await history(bench)
  await fillDense(past)
  const connection = await Connection.open(bench.server.port)
  const postmaster = await postmasterOf(bench.databaseUrl)
  const registers = (parts: string[]) => () => register(connection, past, parts)
  const rows: Row[] = []
  for (const [unread, goal] of [
    [2_500, '≤ 1.5 × CPU'],
    [37_000, '≤ 1 × CPU'],
    [undefined, '≤ 300 ms'],
  ] as const) {
    await readAllBut(past, unread)
    const subject = await measure(bench.server.pid, postmaster, registers(['message', 'update_message_flags']))
    const dense = await measure(process.pid, postmaster, () => readDense(past))
    rows.push({
      measure: `7 unread summary of ${past.messages} messages in 200 channels, ${unread ?? 'all, listed the newest 50000'} unread`,
      subject: shown(subject),
      reference: `a row per recipient, SQL and grouping: ${shown(dense)}`,
      ratio: `${ratio(subject.time / dense.time)}; CPU ${ratio(cpuOf(subject) / cpuOf(dense))}`,
      goal,
    })
  }
  const empty = await measure(bench.server.pid, postmaster, registers([]))
  const what = '7 a registration without any state, which is part of the above'
  rows.push({ measure: what, subject: shown(empty), reference: '', ratio: '', goal: '' })
  connection.close()
  return rows
}

interface Cost {
  /** All in milliseconds. */
  time: number
  node: number
  database: number
}

function cpuOf({ node, database }: Cost): number {
  return node + database
}

function shown({ time, node, database }: Cost): string {
  return `${time.toFixed(1)} ms; CPU ${node.toFixed(1)} ms in Node, ${database.toFixed(1)} ms in PostgreSQL`
}

async function measure(pid: number, postmaster: number, act: () => Promise<unknown>): Promise<Cost> {
  for (let round = 0; round < warmUps; round++) await act()
  const clocks = () => [performance.now(), runSeconds([pid]) * 1000, childSeconds(postmaster) * 1000]
  const found: number[][] = []
  for (let round = 0; round < rounds; round++) {
    const before = clocks()
    await act()
    found.push(clocks().map((clock, index) => clock - before[index]!))
  }
  const [time, node, database] = [0, 1, 2].map((index) => median(found.map((costs) => costs[index]!)))
  return { time: time!, node: node!, database: database! }
}

/** Marks all but this many messages as read: by read floors in Parley, by flags in the rows per recipient. */
async function readAllBut({ client, reader }: History, unread: number | undefined): Promise<void> {
  // No registration has to delete the queue of an earlier one.
  await client.query('delete from queues')
  const { rows } = await client.query<{ id: string }>(
    `select message_id as id from dense where user_id = $1 order by message_id desc offset $2 limit 1`,
    [reader.id, unread ?? 2 ** 31],
  )
  const floor = Number(rows[0]?.id ?? 0)
  await client.query('update subscriptions set read_floor = $1 where user_id = $2', [floor, reader.id])
  await client.query(`update dense set flags = 1 - flags where user_id = $1 and (flags = 1) <> (message_id <= $2)`, [
    reader.id,
    floor,
  ])
  await client.query('vacuum analyze dense')
}

/** The reader and 49 others who received the same messages and have read them, in the order of sending. */
async function fillDense({ client, reader }: History): Promise<void> {
  await client.query(
    `create table dense as
       select $1::bigint - n as user_id, m.id as message_id, (n > 0)::integer as flags, m.channel_id, m.topic_id
         from messages m join subscriptions s on s.channel_id = m.channel_id and s.user_id = $1,
              generate_series(0, 49) n
        order by m.id, n`,
    [reader.id],
  )
  await client.query('create unique index on dense (user_id, message_id)')
  await client.query('create index on dense (user_id, message_id) where flags & 1 = 0')
}

async function register(connection: Connection, { reader }: History, parts: string[]): Promise<void> {
  const request = requestText({
    method: 'POST',
    path: '/api/v1/register',
    host: '127.0.0.1',
    authorization: reader.authorization,
    form: { event_types: '["message"]', fetch_event_types: JSON.stringify(parts) },
  })
  const answer = await connection.ask(request)
  const expected = parts.length > 0 ? '"unread_msgs"' : '"queue_id"'
  if (!answer.includes(expected)) throw new Error(answer.toString().slice(0, 300))
}

/** Rows fetched unsorted and grouped here, as in the prototype. */
async function readDense({ client, reader }: History): Promise<void> {
  const { rows } = await client.query<{ message_id: string; topic_id: string }>(
    `select message_id, channel_id, topic_id, flags from dense
      where user_id = $1 and flags & 1 = 0 order by message_id desc limit 50000`,
    [reader.id],
  )
  Map.groupBy(rows, ({ topic_id }) => topic_id)
}
