import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Bench } from '../lib/bench.ts'
import { secretKey } from '../lib/realm.ts'
import { type Row, ratio } from '../lib/statistics.ts'

const messages = Number(process.env.BENCH_MESSAGES ?? 100_000)
const [people, channels] = [200, 20]
const begin = Date.UTC(2025, 0, 1)
const cli = join(import.meta.dirname, '../../packages/server/src/cli/main.ts')
const into = 'bench-import'

/**
 * Measure 19: an export of Mattermost into a new organization, with rendering and indexes, compared with a bare COPY of the
 * same rows into a table without indexes; and how long its deletion takes.
 */
export async function importing({ databaseUrl }: Bench): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-import-'))
  await pipeline(exportLines, createWriteStream(join(folder, 'import.jsonl')))
  const env = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, DATA_DIR: folder }
  const imported = await timed(env, 'import', folder, '--source', 'mattermost', '--into', into)
  const bare = await copyBare(databaseUrl, join(folder, 'rows'))
  const removed = await timed(env, 'realm', 'delete', '--realm', into, '--yes')
  await rm(folder, { recursive: true })
  const [rate, bareRate] = [messages / imported.seconds, messages / bare]
  return [
    {
      measure: `19 import of ${messages} messages`,
      subject: `${rate.toFixed(0)}/s`,
      reference: `bare COPY: ${bareRate.toFixed(0)}/s`,
      ratio: ratio(rate / bareRate),
      goal: '≥ 4500/s and ≥ 0.15 ×',
    },
    { measure: '19 its memory at most', subject: `${imported.megabytes} MB`, reference: '', ratio: '', goal: '' },
    {
      measure: '19 deletion of all that',
      subject: `${removed.seconds.toFixed(1)} s`,
      reference: '',
      ratio: '',
      goal: '',
    },
  ]
}

function* exportLines(): Generator<string> {
  const line = (one: object) => `${JSON.stringify(one)}\n`
  yield line({ type: 'version', version: 1 })
  yield line({ type: 'team', team: { name: 'dock', display_name: 'Dock', type: 'O' } })
  const names = Array.from({ length: channels }, (_, index) => `channel-${index}`)
  for (const name of names)
    yield line({ type: 'channel', channel: { team: 'dock', name, display_name: name, type: 'O' } })
  const memberships = names.map((name) => ({ name, roles: 'channel_user', last_viewed_at: begin }))
  for (let index = 0; index < people; index++)
    yield line({
      type: 'user',
      user: {
        username: `user${index}`,
        email: `user${index}@dock.example`,
        roles: 'system_user',
        teams: [{ name: 'dock', channels: memberships }],
      },
    })
  for (let index = 0; index < messages; index++) yield line({ type: 'post', post: postOf(index, names) })
}

const words = 'the crane in dock seven was repaired yesterday and needs a new cable before the next ship arrives'.split(
  ' ',
)

function postOf(index: number, names: string[]) {
  const message = Array.from(
    { length: 12 },
    (_, word) => words[(index * 7 + word * (1 + (index % 5))) % words.length],
  ).join(' ')
  const user = `user${index % people}`
  return {
    team: 'dock',
    channel: names[index % channels],
    user,
    message: `${message} ${index}`,
    create_at: begin + index * 1000,
    reactions: [],
    replies: null,
  }
}

interface Timed {
  seconds: number
  /** The most that the process had in memory. */
  megabytes: number
}

async function timed(env: Record<string, string>, ...args: string[]): Promise<Timed> {
  const start = performance.now()
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let megabytes = 0
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    megabytes = Math.max(megabytes, Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024))
  }, 200)
  const [code] = await once(child, 'exit')
  clearInterval(timer)
  if (code !== 0) throw new Error(`parley ${args[0]} ended with code ${code}`)
  return { seconds: (performance.now() - start) / 1000, megabytes }
}

/** Seconds that a client needs to copy the rows alone into a table without indexes. */
async function copyBare(url: string, file: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const rows = `select m.* from messages m join realms r on r.id = m.realm_id where r.string_id = '${into}'`
    await pipeline(client.query(copyTo(`copy (${rows}) to stdout`)), createWriteStream(file))
    await client.query('create table bare_messages (like messages)')
    const start = performance.now()
    await pipeline(createReadStream(file), client.query(copyFrom('copy bare_messages from stdin')))
    const seconds = (performance.now() - start) / 1000
    await client.query('drop table bare_messages')
    return seconds
  } finally {
    await client.end()
  }
}
