import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { type History, history } from '../lib/history.ts'
import { medianTime, type Row, ratio } from '../lib/statistics.ts'

const rounds = 7

/**
 * Measure 7: the unread summary at registration, compared with one row per recipient and an index of the unread ones.
 */
export async function unread(bench: Bench): Promise<Row[]> {
  const past = await history(bench)
  await fillDense(past)
  const connection = await Connection.open(bench.server.port)
  const rows: Row[] = []
  for (const [unread, goal] of [
    [2_500, ''],
    [37_000, '≤ 1 ×'],
    [undefined, '≤ 300 ms'],
  ] as const) {
    await readAllBut(past, unread)
    const [subject, dense] = [await registerTime(connection, past), await denseTime(past)]
    rows.push({
      measure: `7 unread summary of ${past.messages} messages in 200 channels, ${unread ?? 'all, listed the newest 50000'} unread`,
      subject: `${subject.toFixed(0)} ms`,
      reference: `a row per recipient, SQL and grouping: ${dense.toFixed(0)} ms`,
      ratio: ratio(subject / dense),
      goal,
    })
  }
  connection.close()
  return rows
}

/** Marks all but this many messages as read: by read floors in Parley, by flags in the rows per recipient. */
async function readAllBut({ client, reader }: History, unread: number | undefined): Promise<void> {
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

async function registerTime(connection: Connection, { reader }: History): Promise<number> {
  const request = requestText({
    method: 'POST',
    path: '/api/v1/register',
    host: '127.0.0.1',
    authorization: reader.authorization,
    form: { event_types: '["message"]', fetch_event_types: '["message","update_message_flags"]' },
  })
  return medianTime(rounds, async () => {
    const answer = await connection.ask(request)
    if (!answer.includes('"unread_msgs"')) throw new Error(answer.toString().slice(0, 300))
  })
}

/** Rows fetched unsorted and grouped here, as in the prototype. */
async function denseTime({ client, reader }: History): Promise<number> {
  return medianTime(rounds, async () => {
    const { rows } = await client.query<{ message_id: string; topic_id: string }>(
      `select message_id, channel_id, topic_id, flags from dense
        where user_id = $1 and flags & 1 = 0 order by message_id desc limit 50000`,
      [reader.id],
    )
    Map.groupBy(rows, ({ topic_id }) => topic_id)
  })
}
