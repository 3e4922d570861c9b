import assert from 'node:assert/strict'
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { parley } from '../cli/commands.ts'
import { postmasterPid, rootOnly, type Scope, tempFolder } from '../platform/postgres/test-support.ts'
import { runCommand } from '../testing/command.ts'
import { databaseUrl } from '../testing/global-setup.ts'
import { type Program, runParley, startParley, startWorker } from '../testing/program.ts'
import { until } from '../testing/until.ts'
import { createDatabase } from '../testing/world.ts'

const secret = { SECRET_KEY: 'a secret only for the tests of Parley' }
const nobody = 65_534

interface Answer {
  status: number
  body: { [field: string]: unknown; code?: string; msg?: string }
}

async function ask(url: string, credentials?: string, form?: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, {
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    headers: credentials ? { Authorization: `Basic ${btoa(credentials)}` } : {},
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

async function signIn({ url }: Program, email: string): Promise<string> {
  const { body } = await ask(`${url}/api/v1/dev_fetch_api_key`, undefined, { username: email })
  return `${email}:${body.api_key}`
}

async function isReady({ url }: Program): Promise<boolean> {
  return (await ask(`${url}/health/ready`).catch(() => undefined))?.status === 200
}

async function send({ url }: Program, who: string, content: string): Promise<void> {
  const message = { type: 'stream', to: 'general', topic: 'tests', content }
  assert.equal((await ask(`${url}/api/v1/messages`, who, message)).status, 200)
}

/** A request whose body is sent in two parts, the second on demand. */
function slowRequest({ url }: Program) {
  const body = new URLSearchParams({ username: 'ann@example.com', password: 'guess' }).toString()
  const answer = Promise.withResolvers<number>()
  const slow = request(`${url}/api/v1/fetch_api_key`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': body.length },
  })
  slow.on('response', (response) => answer.resolve(response.resume().statusCode!))
  slow.on('error', answer.reject)
  slow.write(body.slice(0, 5))
  answer.promise.catch(() => {})
  return { finish: () => slow.end(body.slice(5)), answer: answer.promise }
}

/** An empty database in the PostgreSQL of the tests. */
async function emptyDatabase(t: Scope, name: string): Promise<string> {
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: process.env.PARLEY_TEST_DATABASE })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await run(`drop database if exists ${name} with (force)`)
  await run(`create database ${name}`)
  t.after(() => run(`drop database if exists ${name} with (force)`))
  return databaseUrl(process.env.PARLEY_TEST_DATABASE!, name)
}

test('the demo starts from nothing, stops on request after its grace time, and keeps its messages', async (t) => {
  const env = { DATA_DIR: join(tempFolder(t), 'data'), STOP_GRACE: '2' }
  const first = await startParley(t, ['--demo'], { env })
  assert.equal((await ask(`${first.url}/api/v1/server_settings`)).status, 200)
  for (const line of ['owner@example.com', 'parley-demo', 'curl -d', env.DATA_DIR, 'Ctrl-C'])
    assert.ok(first.output().includes(line), `does not print ${line}`)
  const member = await signIn(first, 'member@example.com')
  await send(first, member, 'remember me')
  const { body: registered } = await ask(`${first.url}/api/v1/register`, member, {})
  const poll = ask(`${first.url}/api/v1/events?queue_id=${registered.queue_id}&last_event_id=-1`, member)
  await sleep(200)

  const refused = await runParley(t, ['serve'], { env })
  const granted = await runParley(t, ['user', 'grant', 'member@example.com', 'can_create_users'], { env })
  first.signal('SIGTERM')
  const asked = performance.now()
  await until(async () => (await ask(`${first.url}/health/ready`)).status === 503)
  const late = await fetch(`${first.url}/api/v1/server_settings`)
  const waited = await poll
  const answeredAfter = performance.now() - asked
  const { code, after } = await first.ended()

  assert.match(refused.output, /Another Parley \(process \d+\) is using DATA_DIR/)
  assert.equal(refused.code, 1)
  assert.equal(granted.code, 0, granted.output)
  assert.deepEqual([late.status, late.headers.get('connection')], [200, 'close'])
  assert.deepEqual(waited.body.events, [])
  assert.ok(answeredAfter < 5000, `the poll took ${answeredAfter} ms`)
  assert.equal(code, 0)
  assert.ok(after < 5000, `stopping took ${after} ms`)

  const second = await startParley(t, ['--demo'], { env })
  const narrow = 'narrow=[]&anchor=newest&num_before=100&num_after=0&apply_markdown=false'
  const { body } = await ask(`${second.url}/api/v1/messages?${narrow}`, await signIn(second, 'member@example.com'))
  const said = (body.messages as { content: string }[]).map(({ content }) => content)
  assert.equal(said.filter((content) => content === 'remember me').length, 1)
  assert.equal(said.filter((content) => content.startsWith('Good morning, everyone')).length, 1)
  const { body: events } = await ask(
    `${second.url}/api/v1/events?queue_id=${registered.queue_id}&last_event_id=-1&dont_block=true`,
    member,
  )
  assert.deepEqual((events.events as { type: string }[]).at(-1)!.type, 'restart') // the queue survives the restart

  process.kill(postmasterPid(env.DATA_DIR), 'SIGKILL')
  await sleep(100)
  await until(async () => (await isReady(second)) || assert.equal(second.exitCode(), null, second.output()))
  second.signal('SIGINT')
  assert.equal((await second.ended()).code, 0)
})

test('a request that is running when the server stops is finished', async (t) => {
  const server = await startParley(t, [], { env: { DATABASE_URL: await createDatabase(), ...secret } })
  const running = slowRequest(server)
  await sleep(100)

  server.signal('SIGTERM')
  server.signal('SIGTERM') // npm repeats Ctrl-C
  await sleep(300)
  const late = await ask(`${server.url}/health`).catch(() => 'refused')
  running.finish()

  assert.equal(late, 'refused')
  assert.equal(await running.answer, 404) // there is no organization to sign in to
  assert.equal((await server.ended()).code, 0)
})

test('a second signal ends the server immediately', async (t) => {
  const server = await startParley(t, [], { env: { DATABASE_URL: await createDatabase(), ...secret } })
  slowRequest(server)
  await sleep(100)

  server.signal('SIGTERM')
  await sleep(1200)
  server.signal('SIGTERM')

  const { code, after } = await server.ended()
  assert.equal(code, 1)
  assert.ok(after < 500, `it took ${after} ms`)
})

test('an uncaught error is printed and shuts the server down in order', async (t) => {
  const bug = `data:text/javascript,process.once('SIGUSR2',()=>Promise.reject(new Error('nobody caught me')))`
  const env = { DATABASE_URL: await createDatabase(), NODE_OPTIONS: `--import="${bug}"`, ...secret }
  const server = await startParley(t, [], { env })

  server.signal('SIGUSR2')

  assert.equal((await server.ended()).code, 1)
  assert.match(server.output(), /nobody caught me/)
  assert.match(server.output(), /Parley has stopped/)
})

test('processes that start together on an empty database share it', async (t) => {
  const env = { DATABASE_URL: await emptyDatabase(t, 'parley_together'), ...secret }

  const servers = await Promise.all([1, 2].map(() => startParley(t, [], { env })))

  for (const server of servers) {
    assert.match(server.output(), /There is no organization yet.*realm create/s)
    assert.equal((await ask(`${server.url}/api/v1/server_settings`)).status, 200)
  }
  const args = ['--name', 'Acme', '--string-id', 'acme', '--owner-email', 'olga@acme.test', '--owner-name', 'Olga']
  const made = await runParley(t, ['realm', 'create', ...args], { env, input: 'correct horse' })
  assert.equal(made.code, 0, made.output)
  const form = { username: 'olga@acme.test', password: 'correct horse' }
  for (const { url } of servers) assert.equal((await ask(`${url}/api/v1/fetch_api_key`, undefined, form)).status, 200)

  const demo = await runParley(t, ['serve', '--demo'], { env })
  assert.match(demo.output, /the demo would give out its API keys/)
  const again = await runCommand(['realm', 'create', ...args], { env, input: 'correct horse' })
  assert.match(again.output, /^There is already an organization "acme"/)
  const stranger = await runParley(t, ['serve'], { env: { ...env, SECRET_KEY: 'x'.repeat(32) } })
  assert.match(stranger.output, /sealed with another secret/)
})

test('startup errors are one sentence', async (t) => {
  const refusals: [Record<string, string>, RegExp][] = [
    [{ HOST: '0.0.0.0' }, /^The demo server .* only listens on this machine: unset HOST/],
    [
      { DATABASE_URL: 'postgres://u:sesame@127.0.0.1:1/x' },
      /^PostgreSQL at 127.0.0.1:1\/x cannot be used .*DATABASE_URL/,
    ],
  ]
  for (const [env, message] of refusals) {
    const { code, output } = await runParley(t, ['serve', '--demo'], { env: { DATA_DIR: tempFolder(t), ...env } })
    assert.equal(code, 1, output)
    const last = output.trim().split('\n').at(-1)!
    assert.match(last, message)
    assert.doesNotMatch(output, /sesame|\n {4}at /)
  }
})

test('an ordinary user can start it, and gets an error for a folder of another user', {
  skip: rootOnly,
}, async (t) => {
  const folder = tempFolder(t)
  chownSync(folder, nobody, nobody)
  const server = await startParley(t, [], { env: { DATA_DIR: join(folder, 'data') }, as: 'nobody' })
  const taken = { DATA_DIR: join(folder, 'other'), PORT: new URL(server.url).port }

  const { code, output } = await runParley(t, ['serve'], { env: taken, as: 'nobody' })
  const closed = tempFolder(t)
  chmodSync(closed, 0o755)
  const unwritable = await runParley(t, ['serve'], { env: { DATA_DIR: join(closed, 'data') }, as: 'nobody' })

  assert.match(output, /Port \d+ on 127.0.0.1 is in use/)
  assert.equal(code, 1)
  assert.match(unwritable.output, /cannot be created \(permission denied\)/)
  server.signal('SIGTERM')
  assert.equal((await server.ended()).code, 0)
})

test('a worker runs jobs without serving, serves health checks if configured, and stops on request', async (t) => {
  const env = { DATABASE_URL: await createDatabase(), WORKER_PORT: '0', ...secret }
  const worker = await startWorker(t, { env })

  assert.equal((await ask(`${worker.url}/health/ready`)).status, 200)
  assert.equal((await ask(`${worker.url}/api/v1/server_settings`)).status, 404)
  const metrics = await (await fetch(`${worker.url}/metrics`)).text()
  assert.match(metrics, /# TYPE parley_jobs_due gauge/)
  worker.signal('SIGTERM')
  const { code, after } = await worker.ended()
  assert.equal(code, 0)
  assert.ok(after < 8000, `stopping took ${after} ms`)
})

test('a worker that could do nothing is refused', async (t) => {
  const alone = await runParley(t, ['worker'], { env: { DATA_DIR: tempFolder(t), ...secret } })
  assert.match(alone.output, /^A worker needs a database shared with the servers.*DATABASE_URL/)
  const idle = await runParley(t, ['worker'], { env: { DATABASE_URL: 'postgres://x', JOBS_AT_ONCE: '0', ...secret } })
  assert.match(idle.output, /^A worker with JOBS_AT_ONCE=0 would do nothing/)
  assert.deepEqual([alone.code, idle.code], [1, 1])
})

test('failed jobs are listed, retried and removed from the command line', async (t) => {
  const databaseUrl = await createDatabase()
  const env = { DATABASE_URL: databaseUrl, ...secret }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  t.after(() => client.end())
  const add = `insert into jobs.jobs (task, attempts, max_attempts, last_error) values ('trim_events', 1, 1, 'out of luck')`
  for (let n = 0; n < 2; n++) await client.query(add)

  const listed = await runCommand(['jobs', 'list'], { env })
  const [, older, newer] = listed.output.match(/^(\d+) +trim_events +failed .*out of luck\n(\d+) +trim_events/m) ?? []
  assert.ok(newer && older, listed.output)
  assert.match((await runCommand(['jobs', 'retry', newer], { env })).output, /will be retried/)
  assert.doesNotMatch((await runCommand(['jobs', 'list'], { env })).output, new RegExp(`^${newer} `, 'm'))
  const all = JSON.parse((await runCommand(['jobs', 'list', '--all', '--json'], { env })).output) as { state: string }[]
  assert.deepEqual(all.map(({ state }) => state).toSorted(), ['failed', 'waiting'])
  assert.match((await runCommand(['jobs', 'remove', older], { env })).output, /is removed/)
  const again = await runCommand(['jobs', 'retry', older], { env })
  assert.deepEqual([again.code, again.output], [1, 'There is no such failed job.\n'])
  const { rows } = await client.query('select id, attempts from jobs.jobs')
  assert.deepEqual(
    rows.map(({ id, attempts }) => [String(id), attempts]),
    [[newer, 0]],
  )
})

test('the command line exports organizations of any size, to a file that only its owner can read', async (t) => {
  const databaseUrl = await createDatabase()
  const folder = tempFolder(t)
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(folder, 'data'), ...secret }
  const owner = ['--owner-email', 'olga@example.com', '--owner-name', 'Olga']
  const create = ['realm', 'create', '--name', 'Example', '--string-id', 'example', ...owner]
  await runCommand(create, { env, input: 'long enough' })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  t.after(() => client.end())
  await client.query('update realm_counters set last_message = 1000000')
  const file = join(folder, 'example.tar.gz')

  const made = await runCommand(['export', file, '--type', 'standard'], { env })
  const again = await runCommand(['export', file], { env })
  const elsewhere = await runCommand(['export', join(folder, 'none', 'x.tar.gz')], { env })

  assert.equal(made.code, 0, made.output)
  assert.match(made.output, /^Exporting Example \(standard\):\n {2}Reading realm …\n.*\nWrote /s)
  assert.match(gunzipSync(readFileSync(file)).toString(), /"olga@example.com"/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual([again.code, elsewhere.code], [1, 1])
  assert.match(again.output, /already exists/)
  assert.match(elsewhere.output, /cannot be created \(ENOENT\)/)
  const { rows } = await client.query(`select target from audit_log where action = 'export_written'`)
  assert.deepEqual(rows, [{ target: { export_type: 2 } }])
})

test('a failed export leaves no file behind', async (t) => {
  const folder = tempFolder(t)
  const env = { DATABASE_URL: await createDatabase(), DATA_DIR: join(folder, 'data'), ...secret }
  const { code, output } = await runCommand(['export', join(folder, 'x.tar.gz')], { env })
  assert.equal(code, 1)
  assert.match(output, /There is no organization yet/)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('x')),
    [],
  )
  writeFileSync(join(folder, 'x.tar.gz.unfinished'), '')
  assert.match((await runCommand(['export', join(folder, 'x.tar.gz')], { env })).output, /running, or was killed/)
})

test('checking migrations creates no database', async (t) => {
  const folder = tempFolder(t)
  const { code, output } = await runCommand(['migrate', '--check'], { env: { DATA_DIR: join(folder, 'data') } })
  assert.equal(code, 0, output)
  assert.match(output, /There is no database yet/)
  assert.deepEqual(readdirSync(folder), [])
})

test('every command has a help text', async () => {
  for (const path of [
    'serve',
    'worker',
    'migrate',
    'realm create',
    'export',
    'user create',
    'user grant',
    'jobs list',
    'jobs retry',
    'jobs remove',
  ]) {
    const command = path.split(' ').reduce((group, name) => group.commands.find((one) => one.name() === name)!, parley)
    assert.match(command.helpInformation(), new RegExp(`^Usage: parley ${path} .*\\n\\n\\w`))
  }
  const { code, output } = await runCommand(['user', 'grant', 'ann@example.com', 'can_fly'])
  assert.equal(code, 1)
  assert.match(output, /can_create_users, can_change_user_emails/)
})
