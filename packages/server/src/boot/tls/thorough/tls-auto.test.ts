import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { LookupFunction } from 'node:net'
import { after, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import pg from 'pg'
import { Agent, request } from 'undici'
import { tempFolder } from '../../../platform/postgres/test-support.ts'
import { freePort } from '../../../testing/crash/crashing-program.ts'
import { needsPebble, type Pebble, startPebble } from '../../../testing/peers/pebble.ts'
import { startParley } from '../../../testing/program.ts'
import { until } from '../../../testing/until.ts'
import { createDatabase } from '../../../testing/world.ts'

const host = 'chat.parley.test'

interface Given {
  /** 0: only the port for TLS is reached. */
  httpPort?: number
  /** The port at which the authority looks for the answer over HTTP. */
  validationPort?: number
  processes?: number
}

/** The demo with TLS=auto, and what its database says of its certificates. */
async function start({ httpPort, validationPort, processes = 1 }: Given = {}) {
  const ports = { http: httpPort ?? (await freePort()), tls: await freePort() }
  const pebble = await startPebble({ http: validationPort ?? ports.http, tls: ports.tls })
  const databaseUrl = await createDatabase()
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  after(() => database.end())
  await startParley({ after }, ['--demo'], {
    env: {
      DATABASE_URL: databaseUrl,
      DATA_DIR: tempFolder({ after }),
      SECRET_KEY: 'a secret only for the tests of Parley',
      PUBLIC_URL: `https://${host}`,
      TLS: 'auto',
      PORT: String(ports.tls),
      HTTP_PORT: String(ports.http),
      ACME_DIRECTORY: pebble.directory,
      ACME_CA_FILE: pebble.caFile,
      PROCESSES: String(processes),
      RATE_LIMIT: '0',
    },
  })
  const sql = async <Row>(text: string) => (await database.query(text)).rows as Row[]
  return { ports, pebble, sql }
}

type Started = Awaited<ReturnType<typeof start>>

/** The serial number of the certificate for a host, which the authority must have signed. */
async function serialOf({ ports, pebble }: { ports: { tls: number }; pebble: Pebble }, servername = host) {
  const socket: TLSSocket = connect({ host: '127.0.0.1', port: ports.tls, servername, ca: await pebble.root() })
  socket.on('error', () => {})
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate().serialNumber
  } finally {
    socket.destroy()
  }
}

/** The serial number, as soon as there is a certificate. */
function certified(started: Started, servername = host): Promise<string> {
  return until(() => serialOf(started, servername).catch(() => ''))
}

async function renewNow({ sql }: Started): Promise<void> {
  await sql('update tls_certificates set renew_at = now(), tried_at = null')
  await sql("select jobs.add_job('renew_certificates')")
}

/** A client that finds the host on this machine and trusts the authority. */
async function agentFor({ ports, pebble }: Started) {
  const ca = await pebble.root()
  const lookup: LookupFunction = (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }])
  return { url: `https://${host}:${ports.tls}`, agent: new Agent({ connections: 200, connect: { ca, lookup } }) }
}

test(
  'a certificate is ordered over HTTP, although nonces are rejected, and HTTP leads to HTTPS',
  needsPebble,
  async () => {
    const started = await start()
    await certified(started)

    const { url, agent: dispatcher } = await agentFor(started)
    const { statusCode, headers } = await request(`${url}/api/v1/server_settings`, { dispatcher })
    const plain = await request(`http://127.0.0.1:${started.ports.http}/login?next=1`, { headers: { host } })
    await assert.rejects(serialOf(started, 'other.parley.test'))

    assert.equal(statusCode, 200)
    assert.equal(headers['strict-transport-security'], 'max-age=31536000')
    assert.equal(plain.statusCode, 308)
    assert.equal(plain.headers.location, `https://${host}/login?next=1`)
    await dispatcher.close()
  },
)

test('an organization with a host of its own gets a certificate for it', needsPebble, async () => {
  const started = await start()
  const first = await certified(started)
  await started.sql(`insert into realms (string_id, name, host) values ('second', 'Second', 'second.parley.test')`)
  await started.sql("select jobs.add_job('renew_certificates')")

  assert.notEqual(await certified(started, 'second.parley.test'), first)
  assert.equal(await serialOf(started), first)
})

test('without a port for HTTP, a certificate is ordered over TLS alone', needsPebble, async () => {
  const started = await start({ httpPort: 0 })

  await certified(started)

  assert.deepEqual(await started.sql('select * from tls_challenges'), [])
})

test('a failed validation says why, waits, and disturbs nobody', needsPebble, async () => {
  const started = await start({ validationPort: await freePort() })
  const read = () =>
    started.sql<{ problem: string | null; waits: boolean }>(`
    select problem, renew_at > now() + interval '5 minutes' as waits from tls_certificates`)
  await until(async () => Boolean((await read())[0]?.problem))

  const [row] = await read()
  assert.match(row!.problem!, /connection refused|Fetching/i)
  assert.ok(row!.waits)
  assert.equal((await request(`http://127.0.0.1:${started.ports.http}/`, { headers: { host } })).statusCode, 308)
})

test('a renewal breaks none of 100 open polls, and new connections get the new certificate', needsPebble, async () => {
  const started = await start()
  const before = await certified(started)
  const { url, agent: dispatcher } = await agentFor(started)
  const call = async (method: 'GET' | 'POST', path: string, authorization = '', form: Record<string, string> = {}) => {
    const body = method === 'POST' ? new URLSearchParams(form).toString() : null
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await request(`${url}/api/v1${path}`, { dispatcher, method, body, headers })
    return (await answer.body.json()) as Record<string, unknown>
  }
  const credentials = await Promise.all(
    ['owner', 'admin', 'moderator', 'member', 'jonas'].map(async (name) => {
      const username = `${name}@example.com`
      const { api_key } = await call('POST', '/dev_fetch_api_key', '', { username })
      return `Basic ${btoa(`${username}:${String(api_key)}`)}`
    }),
  )
  const polls = Array.from({ length: 100 }, async (_, n) => {
    const who = credentials[n % credentials.length]!
    const { queue_id, last_event_id } = await call('POST', '/register', who, { event_types: '["message"]' })
    const events = call('GET', `/events?queue_id=${String(queue_id)}&last_event_id=${String(last_event_id)}`, who)
    return { events }
  })
  const open = await Promise.all(polls)

  await renewNow(started)
  await until(async () => {
    const serial = await serialOf(started).catch(() => before)
    return serial !== before
  })
  await call('POST', '/messages', credentials[0]!, { type: 'stream', to: 'general', topic: 'tls', content: 'renewed' })

  for (const { events } of open) assert.equal((await events).result, 'success', JSON.stringify(await events))
  await dispatcher.close()
})

test('two processes order once and show the same certificate', needsPebble, async () => {
  const started = await start({ processes: 2 })
  const serial = await certified(started)

  const serials = await Promise.all(Array.from({ length: 20 }, () => certified(started)))

  assert.deepEqual(new Set(serials), new Set([serial]))
  assert.deepEqual(await started.sql('select failures from tls_certificates'), [{ failures: 0 }])
})
