import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../lib/bench.ts'
import { requestText } from '../lib/connection.ts'
import { load, requestsPerSecond } from '../lib/load.ts'
import { median, percentile, type Row, ratio } from '../lib/statistics.ts'

const rounds = 3
const seconds = 4

export function sender({ realm }: Bench, channel: string) {
  let n = 0
  const texts = Array.from({ length: 200 }, (_, k) =>
    requestText({
      method: 'POST',
      path: '/api/v1/messages',
      host: '127.0.0.1',
      authorization: realm.owner.authorization,
      form: {
        type: 'stream',
        to: channel,
        topic: `topic ${k % 20}`,
        content: `message ${k}: a **short** line, about as long as most are`,
      },
    }),
  )
  return () => texts[n++ % texts.length]!
}

/**
 * Measure 1: sends per second in one realm, with all checks and rendering, compared with plain SQL that writes the same
 * rows.
 */
export async function sending(bench: Bench): Promise<Row[]> {
  const subject: number[] = []
  const times: number[] = []
  const manyRealms: number[] = []
  const oneRealm: number[] = []
  // The first seconds compile the code, which a server does once in its life and pgbench never.
  await load(bench.server.port, 64, seconds, sender(bench, bench.realm.small))
  for (let round = 0; round < rounds; round++) {
    const sent = await load(bench.server.port, 64, seconds, sender(bench, bench.realm.small))
    subject.push(sent.perSecond)
    times.push(...sent.times)
    manyRealms.push(pgbench(bench.referenceUrl, 100))
    oneRealm.push(pgbench(bench.referenceUrl, 1))
  }
  const rate = median(subject)
  return [
    row('1 sends/s, one realm, 64 clients', rate, 'pgbench, same rows, 100 realms', median(manyRealms), '≥ 0.75 ×'),
    row('1 the same', rate, 'pgbench, same rows, one realm', median(oneRealm), '≥ 1.50 ×'),
    {
      measure: '1 p99 of these sends',
      subject: `${percentile(times, 0.99).toFixed(0)} ms`,
      reference: `p50: ${median(times).toFixed(0)} ms`,
      ratio: ratio(percentile(times, 0.99) / median(times)),
      goal: '≤ 3.00 ×',
    },
  ]
}

/** Measure 2: the cost of a send must not depend on the number of subscribers. */
export async function subscribers(bench: Bench): Promise<Row[]> {
  const few: number[] = []
  const many: number[] = []
  for (let round = 0; round < rounds; round++) {
    few.push(await requestsPerSecond(bench.server.port, 64, seconds, sender(bench, bench.realm.small)))
    many.push(await requestsPerSecond(bench.server.port, 64, seconds, sender(bench, bench.realm.everybody)))
  }
  const count = bench.realm.people.length + 1
  return [row(`2 sends/s to ${count} subscribers`, median(many), 'to 2 subscribers', median(few), '≥ 0.95 ×')]
}

function row(measure: string, subject: number, what: string, reference: number, goal: string): Row {
  return {
    measure,
    subject: `${Math.round(subject)}/s`,
    reference: `${what}: ${Math.round(reference)}/s`,
    ratio: ratio(subject / reference),
    goal,
  }
}

/** The same rows with one statement each: counter, message with all its indexes, event. */
const statement = (realms: number) => `\\set realm random(1, ${realms})
\\set n random(1, 1000000)
with c as (update realm_counters set last_event = last_event + 1, last_message = last_message + 1
            where realm_id = :realm returning last_event, last_message),
     m as (insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
           select :realm, last_message, 1, 1, 1 + :n % 20, 1, now(), 'pgbench',
                  'message ' || :n || ': a **short** line, about as long as most are',
                  '<p>message ' || :n || ': a <strong>short</strong> line, about as long as most are</p>' from c)
insert into events (realm_id, seq, type, payload, audience)
select :realm, last_event, 'message', repeat('x', 800), '{"channel": 1, "public": true}' from c;
`

function pgbench(url: string, realms: number): number {
  const script = join(tmpdir(), 'parley-pgbench.sql')
  writeFileSync(script, statement(realms))
  const output = execFileSync(
    'pgbench',
    ['-n', '-M', 'prepared', '-c', '16', '-j', '1', '-T', String(seconds), '-f', script, url],
    {
      encoding: 'utf8',
    },
  )
  return Number(/tps = ([\d.]+)/.exec(output)![1])
}
