import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Scope, tempFolder } from '../platform/postgres/test-support.ts'
import { runCommand } from '../testing/command.ts'
import { type Program, startParley } from '../testing/program.ts'
import { until } from '../testing/until.ts'
import { createDatabase } from '../testing/world.ts'

interface Line {
  [field: string]: unknown
  level: string
  time: string
  msg: string
}

const password = 'correct canary battery'
const username = 'olga@example.com'

async function start(t: Scope, env: Record<string, string> = {}): Promise<Program> {
  const all = {
    DATABASE_URL: await createDatabase(),
    DATA_DIR: join(tempFolder(t), 'data'),
    SECRET_KEY: 'a secret only for the tests of Parley',
    ...env,
  }
  const owner = ['--owner-email', username, '--owner-name', 'Olga']
  const create = ['realm', 'create', '--name', 'Example', '--string-id', 'example', ...owner]
  assert.equal((await runCommand(create, { env: all, input: password })).code, 0)
  return startParley(t, [], { env: all })
}

const rawLines = ({ output }: Program) =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))

async function logged(program: Program, msg: string): Promise<Line> {
  const find = () =>
    rawLines(program)
      .map((line) => JSON.parse(line) as Line)
      .find((line) => line.msg === msg)
  await until(() => find() !== undefined)
  return find()!
}

const signIn = ({ url }: Program, password: string, headers = {}) =>
  fetch(`${url}/api/v1/fetch_api_key`, { method: 'POST', body: new URLSearchParams({ username, password }), headers })

test('start, sign-ins and stop are logged with the name of the level, an ISO time and no secret', async (t) => {
  const server = await start(t, { SMTP_URL: 'smtp://parley:canary@127.0.0.1:9' })
  await signIn(server, password)
  const signedIn = await logged(server, 'signed in')
  server.signal('SIGTERM')
  await server.ended()

  const { level, time, config } = await logged(server, 'started')
  assert.equal(level, 'info')
  assert.equal(new Date(time).toISOString(), time)
  assert.equal((config as { smtpUrl: string }).smtpUrl, 'smtp://127.0.0.1:9')
  assert.deepEqual([signedIn.method, signedIn.ip], ['password', '127.0.0.1'])
  await logged(server, 'stopped')
  assert.doesNotMatch(server.output(), /canary|a secret only/)
})

test('the filter of fail2ban finds the IP address of a refused sign-in, whatever was typed', async (t) => {
  const server = await start(t)
  await signIn(server, 'wrong', { 'user-agent': '","ip":"192.0.2.1","msg":"sign-in refused"}' })
  await logged(server, 'sign-in refused')

  const line = rawLines(server).find((line) => line.includes('sign-in refused'))!
  const filter = readFileSync(join(import.meta.dirname, '../../../../deploy/fail2ban-parley.conf'), 'utf8')
  const failregex = /^failregex = (.*)$/m.exec(filter)![1]!.replace('<HOST>', '([\\d.:a-f]+)')
  assert.equal(new RegExp(failregex).exec(line)![1], '127.0.0.1')
  assert.doesNotMatch(line, /olga|wrong/)
})

test('a slow request is logged with the id that its client got', async (t) => {
  const server = await start(t, { SLOW_REQUEST: '1' })
  const response = await signIn(server, password)

  const { level, route, request_id } = await logged(server, 'slow request')
  assert.deepEqual([level, route], ['warn', '/api/v1/fetch_api_key'])
  assert.equal(response.headers.get('x-request-id'), request_id)
})

test('every request is logged with ACCESS_LOG=on, with the pattern of its path only', async (t) => {
  const server = await start(t, { ACCESS_LOG: 'on', TRUST_PROXY: '127.0.0.1' })
  await fetch(`${server.url}/reset/canary?token=canary`, { headers: { 'x-request-id': 'from-the-proxy' } })

  const { request_id, method, status, route } = await logged(server, 'request')
  assert.deepEqual([request_id, method, status], ['from-the-proxy', 'GET', 404])
  assert.match(String(route), /^\/reset\/:/)
  assert.doesNotMatch(server.output(), /canary/)
})

test('with LOG_LEVEL=error, a start and a sign-in are not logged', async (t) => {
  const server = await start(t, { LOG_LEVEL: 'error' })
  assert.equal((await signIn(server, password)).status, 200)

  assert.deepEqual(rawLines(server), [])
})
