import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { allCapabilities } from '../../packages/client/src/wire/events.ts'
import type { Bench } from '../lib/bench.ts'
import { prepareLargeRealm } from '../lib/large-realm.ts'
import { childSeconds, postmasterOf, runSeconds, type Started } from '../lib/processes.ts'
import { runSql } from '../lib/run-sql.ts'
import { median, type Row } from '../lib/statistics.ts'

const sizes = [
  { people: 1000, channels: 200 },
  { people: 50, channels: 5000 },
  { people: 5000, channels: 5000 },
  { people: 50_000, channels: 5000 },
]
const warmUps = 40
const rounds = 30

/** A current client. */
const capable = { client_capabilities: JSON.stringify(allCapabilities), slim_presence: 'true', client_gravatar: 'true' }

interface Asked {
  what: string
  method: 'GET' | 'POST'
  path: string
  form: Record<string, string>
}

function registering(what: string, form: Record<string, string>): Asked {
  return { what: `register, ${what}`, method: 'POST', path: '/register', form: { ...capable, ...form } }
}

function getting(path: string): Asked {
  return { what: `GET ${path}`, method: 'GET', path, form: {} }
}

const withoutUsers = ['realm', 'subscription', 'stream', 'message', 'update_message_flags', 'realm_user_groups']

const asked: Asked[] = [
  registering('everything', {}),
  registering('with subscribers', { include_subscribers: 'true' }),
  registering('with some subscribers', { include_subscribers: 'partial' }),
  registering('users on demand', { fetch_event_types: JSON.stringify(withoutUsers) }),
  { ...registering('an old client', {}), form: { client_gravatar: 'false' } },
  getting('/users'),
  getting('/streams'),
  getting('/users/me/subscriptions'),
]

/** The initial state of a client, and the lists it can request, in increasingly large organizations. */
export async function register(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  const postmaster = await postmasterOf(bench.databaseUrl)
  for (const { people, channels } of sizes) {
    const host = `people-${people}.bench.test`
    console.error(`preparing ${people} users and ${channels} channels …`)
    const { authorization } = (await prepareLargeRealm(bench.databaseUrl, host, people, channels)).people[0]!
    const headers = { host, authorization, 'accept-encoding': 'gzip' }
    await untilKnown(bench.server.port, headers)
    for (const one of asked) {
      console.error(`${one.what} …`)
      // A user with a hundred queues loses the oldest with every registration, which is not what is measured.
      await runSql(bench.databaseUrl, 'delete from queues')
      rows.push(row(people, channels, one, await measured(bench.server, postmaster, one, headers)))
    }
  }
  return rows
}

/** The server reads the list of hosts every few seconds; until then, another organization answers. */
async function untilKnown(port: number, headers: Record<string, string>): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const ownUser = getting('/users/me')
  while (!(await answer(agent, port, ownUser, headers)).includes('"success"')) await sleep(500)
  agent.destroy()
}

function row(people: number, channels: number, { what }: Asked, found: Measured): Row {
  const { time, cpu, databaseCpu, stall, raw, sent } = found
  return {
    measure: `11 ${what}; ${people} users, ${channels} channels`,
    subject: `${time.toFixed(0)} ms; CPU ${cpu.toFixed(1)} ms in Node, ${databaseCpu.toFixed(1)} ms in PostgreSQL`,
    reference: `${kilobytes(raw)}, compressed ${kilobytes(sent)}; others wait at most ${stall.toFixed(0)} ms`,
    ratio: '',
    goal: what === 'register, everything' ? (goals.get(people) ?? '') : '',
  }
}

const goals = new Map([
  [1000, '≤ 20 ms CPU'],
  [5000, '≤ 500 ms'],
  [50_000, '≤ 500 ms, others wait ≤ 50 ms'],
])

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`
}

interface Measured {
  /** Milliseconds until the whole response arrived. */
  time: number
  /** CPU milliseconds of the server, including compression. */
  cpu: number
  databaseCpu: number
  /** The longest wait of a concurrent empty request. */
  stall: number
  /** Size of the response, and bytes transferred. */
  raw: number
  sent: number
}

async function measured(
  { pid, port }: Started,
  postmaster: number,
  one: Asked,
  headers: Record<string, string>,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true })
  const ask = () => answer(agent, port, one, headers)
  for (let round = 0; round < warmUps; round++) await ask() // the caches are warm now, and statements have their plans
  const times: number[] = []
  let body: Buffer = Buffer.alloc(0)
  const before = runSeconds([pid])
  const databaseBefore = childSeconds(postmaster)
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    body = await ask()
    times.push(performance.now() - started)
  }
  const cpu = ((runSeconds([pid]) - before) * 1000) / rounds
  const databaseCpu = ((childSeconds(postmaster) - databaseBefore) * 1000) / rounds
  const stall = await longestWait(port, headers, ask)
  agent.destroy()
  const raw = body[0] === 0x1f ? gunzipSync(body) : body
  if (!raw.includes('"result":"success"')) throw new Error(raw.toString().slice(0, 300))
  return { time: median(times), cpu, databaseCpu, stall, raw: raw.length, sent: body.length }
}

function answer(agent: Agent, port: number, one: Asked, headers: Record<string, string>): Promise<Buffer> {
  const body = one.method === 'POST' ? new URLSearchParams(one.form).toString() : ''
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', path: `/api/v1${one.path}`, method: one.method }
    const sent = request({ ...options, headers: body ? { ...headers, ...type } : headers }, (response) => {
      Array.fromAsync(response as AsyncIterable<Buffer>).then((parts) => resolve(Buffer.concat(parts)), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Sends empty requests repeatedly while three of the large responses are produced. */
async function longestWait(port: number, headers: Record<string, string>, ask: () => Promise<Buffer>): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  let asking = true
  const great = (async () => {
    for (let round = 0; round < 3; round++) await ask()
    asking = false
  })()
  let longest = 0
  while (asking) {
    const started = performance.now()
    await answer(agent, port, { what: '', method: 'GET', path: '/nothing', form: {} }, headers)
    longest = Math.max(longest, performance.now() - started)
    await sleep(1)
  }
  await great
  agent.destroy()
  return longest
}
