// npm run bench [-- measure …]      the measures are listed below
// Ratios inside one run, because machines differ and are noisy. docs/benchmarks.md has results and what they mean.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../packages/server/src/platform/postgres/embedded.ts'
import type { Bench } from './lib/bench.ts'
import { start } from './lib/processes.ts'
import { prepareRealm, secretKey } from './lib/realm.ts'
import { runSql } from './lib/run-sql.ts'
import type { Row } from './lib/statistics.ts'
import { acts } from './measures/acts.ts'
import { delivery, idleQueues } from './measures/delivery.ts'
import { importing } from './measures/importing.ts'
import { leaving } from './measures/leaving.ts'
import { idleMemory } from './measures/memory.ts'
import { merging } from './measures/merging.ts'
import { processes } from './measures/processes.ts'
import { reading } from './measures/reading.ts'
import { register } from './measures/register.ts'
import { renaming } from './measures/renaming.ts'
import { requests } from './measures/requests.ts'
import { search } from './measures/search.ts'
import { sending, subscribers } from './measures/sending.ts'
import { streams } from './measures/streams.ts'
import { unread } from './measures/unread.ts'
import { web } from './measures/web.ts'
import { webhooks } from './measures/webhooks.ts'

const measures = {
  sending,
  subscribers,
  leaving,
  importing,
  requests,
  delivery,
  streams,
  processes,
  idle: idleQueues,
  memory: idleMemory,
  renaming,
  merging,
  acts,
  webhooks,
  reading,
  register,
  search,
  unread,
  web,
}
const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(measures)
const people = Number(process.env.BENCH_PEOPLE ?? 10_000)

const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: console.error })
const databases = await Promise.all(['bench', 'reference'].map((name) => createDatabase(postgres.url, name)))
console.error(`preparing a realm with ${people} users …`)
const realm = await prepareRealm(databases[0]!, people)
await prepareReference(databases[1]!)

const here = import.meta.dirname
const startServer = (processes = 1, env: Record<string, string> = {}) =>
  start(join(here, '../packages/server/src/cli/main.ts'), ['serve'], {
    DATABASE_URL: databases[0]!,
    SECRET_KEY: secretKey,
    DATA_DIR: folder,
    PORT: '0',
    PROCESSES: String(processes),
    RATE_LIMIT: '0',
    ALLOW_INTERNAL_WEBHOOKS: '127.0.0.1',
    ...env,
  })
const startRaw = (env: Record<string, string> = {}) => start(join(here, 'reference/raw-http.ts'), [], env)
const server = await startServer()
const raw = await startRaw()
const bench: Bench = {
  server,
  raw,
  startServer,
  startRaw,
  realm,
  databaseUrl: databases[0]!,
  referenceUrl: databases[1]!,
  clientCounts: [1, 100, 1000, Math.min(9000, people)],
  idleQueues: Math.min(9000, people),
}

console.log('| measure | Parley | reference | ratio | goal |\n|---|---|---|---|---|')
for (const name of wanted) {
  const measure = measures[name as keyof typeof measures]
  if (!measure) throw new Error(`There is no measure "${name}": choose from ${Object.keys(measures).join(', ')}.`)
  console.error(`${name} …`)
  for (const row of await measure(bench)) console.log(lineOf(row))
}

await server.stop()
await raw.stop()
await postgres.stop()
await rm(folder, { recursive: true, force: true })
process.exit(0)

function lineOf({ measure, subject, reference, ratio, goal }: Row): string {
  return `| ${measure} | ${subject} | ${reference} | ${ratio} | ${goal} |`
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  await runSql(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.toString()
}

/** The server's tables with a hundred realms, for pgbench to write to. */
async function prepareReference(url: string): Promise<void> {
  await prepareRealm(url, 1)
  await runSql(
    url,
    `insert into realms (string_id, host, name) select 'r' || n, 'r' || n, 'r' || n from generate_series(2, 100) n`,
    'insert into realm_counters (realm_id) select id from realms on conflict do nothing',
  )
}
