import pg from 'pg'
import type { Bench } from './bench.ts'
import type { Account, BenchRealm } from './realm.ts'

/**
 * A realm with a long history: a thousand channels, few of them busy, and one reader who is subscribed to two hundred.
 */
export interface History {
  messages: number
  /** Connected to the server's database. */
  client: pg.Client
  reader: Account
  busyChannel: string
  quietChannel: string
}

const channels = 1000
const topicsEach = 50
const readerChannels = 200
const batch = 20_000

/** Words that occur in a known share of all messages. */
export const planted = {
  rare: ['zephyr', 0.000_1],
  low: ['quartz', 0.000_7],
  mid: ['lantern', 0.009],
  other: ['cobalt', 0.02],
  high: ['harbor', 0.09],
  frequent: ['river', 0.53],
  link: ['https://files.example.com/plans/budget-2031.xlsx', 0.001],
  chinese: ['明天的会议改到下午', 0.002],
  japanese: ['資料を確認してください', 0.002],
} as const satisfies Record<string, readonly [string, number]>

/** Skewed distribution: a few are chosen often, most of them rarely. */
function favourites(count: number): () => number {
  return () => Math.min(count - 1, Math.floor(count ** Math.random()) - 1)
}

function vocabulary(): string[] {
  const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu al en ist or un'.split(' ')
  return Array.from({ length: 30_000 }, () =>
    Array.from(
      { length: 1 + Math.ceil(Math.random() * 3) },
      () => syllables[Math.floor(Math.random() * syllables.length)],
    ).join(''),
  )
}

function writer(): () => string {
  const words = vocabulary()
  const favourite = favourites(words.length)
  return () => {
    const text = Array.from({ length: 8 + Math.floor(Math.random() * 44) }, () => words[favourite()])
    for (const [word, share] of Object.values(planted))
      if (Math.random() < share) text.splice(Math.floor(Math.random() * text.length), 0, word)
    return text.join(' ')
  }
}

let made: Promise<History> | undefined

/** The history of the bench realm, written when first needed. `BENCH_MESSAGES` sets the number of messages. */
export function history({ databaseUrl, realm }: Bench): Promise<History> {
  made ??= fillHistory(databaseUrl, realm, Number(process.env.BENCH_MESSAGES ?? 1_000_000))
  return made
}

/** Writes directly into the tables; the text indexes are built at the end. */
async function fillHistory(databaseUrl: string, realm: BenchRealm, messages: number): Promise<History> {
  console.error(`writing ${messages} messages …`)
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {}) // PostgreSQL is stopped before this connection is closed
  await client.connect()
  const reader = realm.people[1]!
  const indexes = await dropTextIndexes(client)
  const places = await makePlaces(client, realm, reader)
  const write = writer()
  const channel = favourites(channels)
  for (let done = 0; done < messages; done += batch) {
    const texts = Array.from({ length: Math.min(batch, messages - done) }, write)
    const topics = texts.map(() => places[channel() * topicsEach + Math.floor(Math.random() * topicsEach)])
    await insertMessages(client, realm, topics as string[], texts)
  }
  for (const definition of indexes) await client.query(definition)
  await client.query('vacuum analyze')
  return { messages, client, reader, busyChannel: 'past 0', quietChannel: 'past 985' }
}

async function dropTextIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename = 'messages' and indexdef like '% USING gin %'`,
  )
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`)
  return rows.map(({ indexdef }) => indexdef)
}

/** Creates the channels and their topics; returns the topic ids by channel. The reader is in every fifth channel. */
async function makePlaces(client: pg.Client, { realmId }: BenchRealm, reader: Account): Promise<string[]> {
  await client.query(
    `insert into channels (realm_id, name, name_key, can_add_subscribers_group, can_administer_channel_group,
                           can_remove_subscribers_group, can_send_message_group, can_subscribe_group)
     select $1, 'past ' || n, 'past ' || n, c.can_add_subscribers_group, c.can_administer_channel_group,
            c.can_remove_subscribers_group, c.can_send_message_group, c.can_subscribe_group
       from channels c, generate_series(0, $2 - 1) n where c.realm_id = $1 and c.name = 'small'`,
    [realmId, channels],
  )
  const mine = `from channels where realm_id = $1 and name in (select 'past ' || n * $3::int from generate_series(0, $4::int - 1) n)`
  const joined = [realmId, reader.id, channels / readerChannels, readerChannels]
  await client.query(
    `insert into subscriptions (realm_id, user_id, channel_id, is_active, color) select $1, $2, id, true, '#76ce90' ${mine}`,
    joined,
  )
  await client.query(
    `insert into subscription_periods (realm_id, user_id, channel_id, from_event, from_message) select $1, $2, id, 0, 0 ${mine}`,
    joined,
  )
  const { rows } = await client.query<{ id: string }>(
    `insert into topics (realm_id, channel_id, name, name_key)
     select $1, c.id, 'subject ' || n, 'subject ' || n
       from (select id, substr(name, 6)::int as place from channels where realm_id = $1 and name like 'past %') c,
            generate_series(1, $2) n
      order by c.place, n returning id`,
    [realmId, topicsEach],
  )
  return rows.map(({ id }) => id)
}

async function insertMessages(client: pg.Client, { realmId, owner }: BenchRealm, topics: string[], texts: string[]) {
  await client.query(
    `with counted as (update realm_counters set last_message = last_message + cardinality($3::bigint[])
                       where realm_id = $1 returning last_message - cardinality($3::bigint[]) as before)
     insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
     select $1, before + x.n, c.recipient_id, c.id, t.id, $2, now(), 'bench', x.text, '<p>' || x.text || '</p>'
       from counted, unnest($3::bigint[], $4::text[]) with ordinality x(topic_id, text, n)
       join topics t on t.id = x.topic_id join channels c on c.id = t.channel_id`,
    [realmId, owner.id, topics, texts],
  )
}
