import type { Bench } from '../lib/bench.ts'
import { Connection, requestText } from '../lib/connection.ts'
import { type History, history, planted } from '../lib/history.ts'
import { medianTime, type Row, ratio } from '../lib/statistics.ts'

const rounds = 5

const [mid, other] = [planted.mid[0], planted.other[0]]

/**
 * Search terms: words of every frequency, inflected forms, parts of words, other scripts, and words without matches.
 */
const queries = {
  rare: planted.rare[0],
  low: planted.low[0],
  mid,
  frequent: planted.high[0],
  'very frequent': planted.frequent[0],
  'two words': `${mid} ${other}`,
  quoted: `"${mid} ${planted.frequent[0]}"`,
  'part of a word': mid.slice(1, -1),
  'two letters': mid.slice(0, 2),
  'file name': 'budget-2031.xlsx',
  'one Chinese character': '会',
  'two Japanese characters': '確認',
  none: 'xylophone',
}

/** Measure 8: the newest hundred messages with a word, over HTTP, compared with plain SQL for the same words. */
export async function search(bench: Bench): Promise<Row[]> {
  const past = await history(bench)
  const connection = await Connection.open(bench.server.port)
  const rows: Row[] = []
  const worst = { subject: 0, bare: 0 }
  for (const [kind, text] of Object.entries(queries)) {
    const times: number[] = []
    for (const channel of [undefined, past.busyChannel, past.quietChannel])
      times.push(await searchTime(connection, past, text, channel))
    const bare = await bareTime(past, text)
    worst.subject = Math.max(worst.subject, ...times)
    worst.bare = Math.max(worst.bare, bare)
    rows.push({
      measure: `8 search, ${kind}: own 200 channels / a busy one / a quiet one`,
      subject: `${times.map((time) => time.toFixed(0)).join(' / ')} ms`,
      reference: `whole words only, SQL: ${bare.toFixed(0)} ms`,
      ratio: '',
      goal: '',
    })
  }
  connection.close()
  return [...rows, worstRow(past, worst)]
}

function worstRow({ messages }: History, { subject, bare }: { subject: number; bare: number }): Row {
  return {
    measure: `8 search in ${messages} messages, the worst of these`,
    subject: `${subject.toFixed(0)} ms`,
    reference: `the worst of the SQL: ${bare.toFixed(0)} ms`,
    ratio: ratio(subject / bare),
    goal: '≤ 2 ×',
  }
}

async function searchTime(
  connection: Connection,
  { reader }: History,
  text: string,
  channel: string | undefined,
): Promise<number> {
  const narrow = JSON.stringify([['search', text], ...(channel ? [['channel', channel]] : [])])
  const query = new URLSearchParams({ anchor: 'newest', num_before: '100', num_after: '0', narrow })
  const request = requestText({
    method: 'GET',
    path: `/api/v1/messages?${query}`,
    host: '127.0.0.1',
    authorization: reader.authorization,
  })
  return medianTime(rounds, async () => {
    const answer = await connection.ask(request)
    if (!answer.includes('"success"')) throw new Error(answer.toString().slice(0, 300))
  })
}

/** The time of PostgreSQL's own full text search in the same channels, ids only. */
async function bareTime({ client, reader }: History, text: string): Promise<number> {
  return medianTime(rounds, () =>
    client.query(
      `select m.id from messages m
        where to_tsvector('english', m.content) @@ plainto_tsquery('english', $2)
          and m.channel_id in (select channel_id from subscriptions where user_id = $1)
        order by m.id desc limit 100`,
      [reader.id, text],
    ),
  )
}
