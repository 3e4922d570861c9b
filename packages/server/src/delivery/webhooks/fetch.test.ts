import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { InternalHosts } from '../../platform/outgoing/ip-addresses.ts'
import { guardedPost, OutgoingFailure } from '../../platform/outgoing/safe-fetch.ts'
import { answersText, newReceiver } from '../../testing/peers/receiver.ts'

const internal = new InternalHosts(['127.0.0.1'])

function post(url: string, timeoutMilliseconds = 2000) {
  return guardedPost({ url, headers: { 'x-test': 'yes' }, body: 'hello', internal, timeoutMilliseconds })
}

async function failureOf(work: Promise<unknown>): Promise<OutgoingFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof OutgoingFailure, String(error))
  return error
}

test('a request reaches the endpoint, and the response is returned', async () => {
  const { url, requests } = await newReceiver(answersText('good day', 201))
  assert.deepEqual(await post(url), {
    status: 201,
    body: 'good day',
    isInternal: true,
    retryAfterSeconds: undefined,
  })
  assert.deepEqual([requests[0]!.method, requests[0]!.body, requests[0]!.headers['x-test']], ['POST', 'hello', 'yes'])
})

test('redirects are not followed', async () => {
  const inner = await newReceiver()
  const { url } = await newReceiver((response) => response.writeHead(302, { location: inner.url }).end())
  assert.equal((await post(url)).status, 302)
  assert.equal(inner.requests.length, 0)
})

test('a request to an endpoint that hangs or responds too slowly times out', async () => {
  const hanging = await newReceiver(() => {})
  assert.equal((await failureOf(post(hanging.url, 200))).again, true)
  const dripping = await newReceiver((response) => {
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  })
  assert.equal((await failureOf(post(dripping.url, 300))).again, true)
})

test('an endless response is cut off', async () => {
  const { url } = await newReceiver((response) => {
    const more = () => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', more)
    }
    more()
  })
  const failure = await failureOf(post(url))
  assert.deepEqual([failure.message, failure.again], ['The answer is too large.', false])
})

test('refused and closed connections can be retried', async () => {
  const { url } = await newReceiver((response) => response.destroy())
  assert.equal((await failureOf(post(url))).again, true)
  assert.equal((await failureOf(post('http://127.0.0.1:1/'))).again, true)
})

test('a response that is not HTTP is not retried', async (t) => {
  const server = createServer((socket) => socket.end('SSH-2.0-nonsense\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  assert.equal((await failureOf(post(`http://127.0.0.1:${port}/`))).again, false)
})

test('requests to public hosts are allowed only on the standard ports', async () => {
  const failure = await failureOf(post('http://1.1.1.1:22/'))
  assert.deepEqual([failure.message, failure.again], ['Port 22 is not allowed.', false])
})
