import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { transactIn } from '../context.ts'
import { securityHeaders } from '../platform/http/security-headers.ts'
import { newFailedJob } from '../testing/samples.ts'
import { until } from '../testing/until.ts'
import { newWorld, type World } from '../testing/world.ts'
import { buildOperatorApp } from './app.ts'

let world: World
before(async () => {
  world = await newWorld()
  world.ctx.config.metricsToken = 'a token of the operator'
})

const operator = { authorization: 'Bearer a token of the operator' }

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'

async function ask(method: Method, url: string, more: object = {}) {
  const response = await world.app.inject({ method, url, headers: { host: world.host }, ...more })
  const body = response.body === '' ? undefined : response.json()
  return { status: response.statusCode, headers: response.headers, body }
}

test('an unknown path is a JSON 404', async () => {
  for (const url of ['/nowhere', '/api/v1/nowhere', '/api/v1/typing/', '/api//v1/typing', '/api/v1/users/%20/x/y']) {
    const { status, body } = await ask('GET', url)
    assert.equal(status, 404, url)
    assert.equal(body.code, 'NOT_FOUND', url)
  }
})

test('a wrong method is refused before anything else, with the allowed methods', async () => {
  const { status, headers, body } = await ask('PUT', '/api/v1/events', {
    payload: '{',
    headers: { 'content-type': 'application/json' },
  })

  assert.equal(status, 405)
  assert.equal(headers.allow, 'DELETE, GET, HEAD')
  assert.deepEqual(body.allowed_methods, ['DELETE', 'GET', 'HEAD'])
  assert.equal(body.code, 'METHOD_NOT_ALLOWED')
})

test('OPTIONS returns the methods of a path', async () => {
  const { status, headers, body } = await ask('OPTIONS', '/api/v1/typing')

  assert.equal(status, 204)
  assert.equal(headers.allow, 'POST')
  assert.equal(body, undefined)
  assert.equal((await ask('OPTIONS', '/api/v1/nowhere')).status, 404)
})

test('HEAD works where GET does', async () => {
  assert.equal((await ask('HEAD', '/health')).status, 200)
  assert.equal((await ask('HEAD', '/api/v1/typing')).status, 405)
})

test('a malformed URL is a JSON error', async () => {
  const { status, body } = await ask('GET', '/api/v1/%zz')

  assert.equal(status, 400)
  assert.equal(body.code, 'BAD_REQUEST')
})

test('a query with too many parameters is refused, but only after authentication', async () => {
  const url = `/api/v1/events?${Array.from({ length: 201 }, (_, n) => `p${n}=1`).join('&')}`

  assert.equal((await ask('GET', url)).status, 401)
  const { status, body } = await ask('GET', url, { headers: world.ann.headers })
  assert.equal(status, 400)
  assert.match(body.msg, /More than 200 parameters/)
})

test('a body over the limit is refused', async () => {
  const { status, body } = await ask('POST', '/api/v1/typing', {
    payload: `x=${'a'.repeat(1024 * 1024)}`,
    headers: { ...world.ann.headers, 'content-type': 'application/x-www-form-urlencoded' },
  })

  assert.equal(status, 413)
  assert.equal(body.code, 'PAYLOAD_TOO_LARGE')
})

/** The server's response to bytes that are not a valid request. */
async function answerTo(bytes: string): Promise<{ status: number; code: string }> {
  const { head, body } = await exchange(bytes)
  return { status: Number(head.split(' ')[1]), code: JSON.parse(body).code }
}

async function exchange(bytes: string): Promise<{ head: string; body: string }> {
  if (!world.app.server.listening) await world.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((world.app.server.address() as AddressInfo).port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write(bytes)
  await Promise.race([once(socket, 'close'), sleep(5000)])
  socket.destroy()
  const [head = '', body = '{}'] = answer.split('\r\n\r\n')
  return { head, body }
}

for (const type of ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data; boundary=b']) {
  test(`a request of type ${type} that announces no body has no parameters`, async () => {
    const headers = Object.entries({ ...world.ann.headers, 'content-type': type, connection: 'close' })
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
    const { code } = await answerTo(`POST /api/v1/messages HTTP/1.1\r\n${lines.join('')}\r\n`)
    assert.equal(code, 'REQUEST_VARIABLE_MISSING')
  })
}

const hostile = {
  'no HTTP': 'hello\r\n\r\n',
  'an unknown method': 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n',
  'too many headers': `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
  'no Host': 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
  'an expectation': 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n',
  'an upgrade': 'GET /nowhere HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: upgrade, close\r\n\r\n',
  'a bad path': 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'a missing page': 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'a wrong method': 'PUT /api/v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'a docs page': 'GET /api/v1/docs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
}

function assertSafe(head: string): void {
  assert.match(head, /^HTTP\/1\.1 \d/)
  for (const name of Object.keys(securityHeaders)) assert.match(head.toLowerCase(), new RegExp(`\r\n${name}: `))
}

for (const [kind, bytes] of Object.entries(hostile))
  test(`the response to ${kind} has the security headers`, async () => {
    assertSafe((await exchange(bytes)).head)
  })

for (const path of ['users/me', 'events?queue_id=none&last_event_id=-1', 'events?queue_id=none&client=test'])
  test(`the response to a caller of ${path} has the security headers`, async () => {
    assertSafe((await exchange(bytesOf('GET', path))).head)
  })

/** A request of Ann. */
function bytesOf(method: Method, path: string): string {
  const lines = Object.entries({ ...world.ann.headers, connection: 'close' }).map((header) => header.join(': '))
  return `${method} /api/v1/${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}

test('invalid HTTP and oversized headers are answered in JSON', async () => {
  assert.deepEqual(await answerTo('hello\r\n\r\n'), { status: 400, code: 'BAD_REQUEST' })
  const header = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`
  assert.deepEqual(await answerTo(header), { status: 431, code: 'BAD_REQUEST' })
})

test('a client that sends too slowly gets an error', async () => {
  const { server } = world.app
  const { requestTimeout, headersTimeout } = server
  Object.assign(server, { requestTimeout: 200, headersTimeout: 100 })
  const { host, authorization } = world.ann.headers
  const slow = `POST /api/v1/typing HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nContent-Length: 9\r\n\r\nx`
  const answer = await answerTo(slow)
  Object.assign(server, { requestTimeout, headersTimeout })

  assert.deepEqual(answer, { status: 408, code: 'REQUEST_TIMEOUT' })
})

test('health checks need no credentials', async () => {
  assert.equal((await ask('GET', '/health')).status, 200)
  assert.equal((await ask('GET', '/health/ready')).status, 200)
})

test('metrics count responses by operation and exclude polls from the durations', async () => {
  const { body: registered } = await exchange(bytesOf('POST', 'register'))
  await exchange(bytesOf('GET', `events?queue_id=${JSON.parse(registered).queue_id}&last_event_id=-1&dont_block=true`))

  const body = await until(async () => {
    const { body } = await world.app.inject({ url: '/metrics', headers: operator })
    return body.includes('operation="getEvents",status="200"') && body
  })

  assert.match(body, /parley_http_requests_total\{operation="register",status="200"\} \d/)
  assert.match(body, /parley_http_request_seconds_count\{operation="register"\} \d/)
  assert.doesNotMatch(body, /parley_http_request_seconds_count\{operation="getEvents"\}/)
})

test('metrics show the waiting jobs, their age, and the failed jobs', async () => {
  const { ctx, realmId } = world
  await newFailedJob(world)
  const runAt = new Date(Date.now() - 60_000)
  await transactIn(ctx, realmId, (tx) =>
    tx.enqueue('send_mail', { user_id: 1, template: 'deactivation', comment: '' }, { runAt }),
  )
  const later = new Date(Date.now() + 3_600_000)
  await transactIn(ctx, realmId, (tx) => tx.enqueue('delete_file', { path: 'none' }, { runAt: later }))

  const { body } = await world.app.inject({ url: '/metrics', headers: operator })

  assert.match(body, /parley_jobs_due\{task="send_mail"\} 1\n/)
  assert.match(body, /parley_jobs_oldest_due_seconds\{task="send_mail"\} 6\d/)
  assert.match(body, /parley_jobs_planned\{task="delete_file"\} 1\n/)
  assert.match(body, /parley_jobs_failed\{task="delete_file"\} 1\n/)
  assert.match(body, /parley_jobs_running\{task="send_mail"\} 0\n/)
})

async function metricsStatus(app: FastifyInstance, remoteAddress: string, headers: Record<string, string> = {}) {
  return (await app.inject({ url: '/metrics', remoteAddress, headers })).statusCode
}

test('where clients are served, metrics need the token, because a local proxy may forward any request', async () => {
  const { app } = world
  assert.equal(await metricsStatus(app, '127.0.0.1'), 401)
  assert.equal(await metricsStatus(app, '192.0.2.7', { authorization: 'Bearer another' }), 401)
  assert.equal(await metricsStatus(app, '192.0.2.7', operator), 200)
})

test('on a separate port, metrics are open to this machine, except for forwarded requests', async (t) => {
  const app = buildOperatorApp({ ...world.ctx, config: { ...world.ctx.config, metricsToken: undefined } })
  t.after(() => app.close())
  assert.equal(await metricsStatus(app, '127.0.0.1'), 200)
  assert.equal(await metricsStatus(app, '192.0.2.7', { authorization: 'Bearer undefined' }), 401)
  for (const header of ['x-forwarded-for', 'forwarded', 'x-forwarded-host', 'x-real-ip', 'via'])
    assert.equal(await metricsStatus(app, '127.0.0.1', { [header]: '192.0.2.7' }), 401, header)
})
