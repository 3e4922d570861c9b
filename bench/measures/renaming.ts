import pg from 'pg'
import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { median, type Row, ratio } from '../lib/statistics.ts'

const rounds = 9
const few = 100
const many = 100_000

/**
 * Resolving and renaming a topic must not depend on how many messages it has, apart from listing their ids in the
 * event.
 */
export async function renaming(bench: Bench): Promise<Row[]> {
  const client = new pg.Client({ connectionString: bench.databaseUrl })
  await client.connect()
  const small = await fillTopic(client, bench, 'small', few)
  const large = await fillTopic(client, bench, 'large', many)
  await client.query('vacuum analyze messages')
  const connection = await Connection.open(bench.server.port)
  const rows: Row[] = []
  for (const [verb, names] of [
    ['resolve', (topic: string) => [`✔ ${topic}`, topic]],
    ['rename', (topic: string) => [`${topic} 2`, topic]],
  ] as const) {
    const times = { small: [] as number[], large: [] as number[], few: [] as number[], many: [] as number[] }
    // In turn, so that a busy moment of the machine affects all of them.
    for (let round = 0; round < rounds; round++) {
      times.small.push(...(await change(connection, bench, small, names('small'))))
      times.few.push(await naming(client, small))
      times.large.push(...(await change(connection, bench, large, names('large'))))
      times.many.push(await naming(client, large))
    }
    rows.push(row(verb, median(times.large), median(times.small), median(times.many), median(times.few)))
  }
  connection.close()
  await client.end()
  return rows
}

interface Topic {
  realmId: number
  topicId: number
  first: number
}

function row(verb: string, large: number, small: number, namingMany: number, namingFew: number): Row {
  return {
    measure: `9 ${verb} a topic of ${many} messages (naming them: ${namingMany.toFixed(0)} ms)`,
    subject: `${large.toFixed(1)} ms`,
    reference: `of ${few}: ${small.toFixed(1)} ms`,
    ratio: ratio((large - namingMany) / (small - namingFew)),
    goal: '≤ 3 ×, apart from naming them',
  }
}

/** A topic with this many messages by the owner, in the channel of two users. */
export async function fillTopic(client: pg.Client, { realm }: Bench, name: string, count: number): Promise<Topic> {
  const { rows } = await client.query<{ topic_id: string; first: string }>(
    `with c as (select id, recipient_id from channels where realm_id = $1 and name = $2),
          t as (insert into topics (realm_id, channel_id, name, name_key) select $1, id, $3, $3 from c returning id),
          n as (update realm_counters set last_message = last_message + $4 where realm_id = $1 returning last_message - $4 as before),
          m as (insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
                select $1, n.before + k, c.recipient_id, c.id, t.id, $5, now(), 'bench', 'message ' || k, '<p>message ' || k || '</p>'
                  from c, t, n, generate_series(1, $4) k)
     select t.id as topic_id, n.before + 1 as first from t, n`,
    [realm.realmId, realm.small, name, count, realm.owner.id],
  )
  return { realmId: realm.realmId, topicId: Number(rows[0]!.topic_id), first: Number(rows[0]!.first) }
}

/** Milliseconds for each rename. */
async function change(connection: Connection, { realm }: Bench, { first }: Topic, names: string[]): Promise<number[]> {
  const times: number[] = []
  for (const topic of names) {
    const request = requestText({
      method: 'PATCH',
      path: `/api/v1/messages/${first}`,
      host: '127.0.0.1',
      authorization: realm.owner.authorization,
      form: { topic, propagate_mode: 'change_all', send_notification_to_new_thread: 'false' },
    })
    const start = performance.now()
    const answer = await connection.ask(request)
    times.push(performance.now() - start)
    if (!answer.includes('success')) throw new Error(answer.toString())
  }
  return times
}

/** The time to only list the message ids and to store them as text. */
async function naming(client: pg.Client, { realmId, topicId }: Topic): Promise<number> {
  await client.query('create temporary table if not exists named (ids text)')
  const start = performance.now()
  const { rows } = await client.query<{ ids: number[] }>(
    'select array_to_json(array_agg(id order by id)) as ids from messages where realm_id = $1 and topic_id = $2',
    [realmId, topicId],
  )
  await client.query('insert into named select unnest($1::text[])', [[JSON.stringify(rows[0]!.ids)]])
  return performance.now() - start
}
