import assert from 'node:assert/strict'
import { on, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { until } from '../../testing/until.ts'
import { type CutReason, SlowClients, type UnsentLimits } from './slow-clients.ts'

const mebibyte = 1024 * 1024
/** More than the kernel buffers for a client that reads nothing. */
const responseBytes = 12 * mebibyte

async function serve(t: TestContext, limits: UnsentLimits) {
  const cuts: CutReason[] = []
  const clients = new SlowClients(limits, (reason) => cuts.push(reason))
  const server = createServer((request, response) => {
    clients.attribute(request.socket, request.url!)
    response.end(Buffer.alloc(responseBytes))
  })
  clients.watch(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    clients.close()
    server.closeAllConnections()
    server.close()
  })
  const ask = async (owner: string, count = 1) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    t.after(() => socket.destroy())
    const before = clients.unsentBytes
    const close = count === 1 ? 'Connection: close\r\n' : ''
    socket.write(`GET /${owner} HTTP/1.1\r\nHost: x\r\n${close}\r\n`.repeat(count))
    await until(() => clients.unsentBytes !== before || cuts.length > 0)
    return socket.pause()
  }
  return { clients, cuts, ask }
}

const roomy = { total: 1000 * mebibyte, perUser: 1000 * mebibyte }

/** Reads this many bytes, or until the end. */
async function read(socket: Socket, bytes: number): Promise<void> {
  let got = 0
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      got += chunk.length
      if (got >= bytes) resolve()
    })
    socket.once('close', () => resolve()).resume()
  })
  await done
  socket.pause().removeAllListeners('data')
}

test('a client that reads nothing is disconnected after 30 seconds, and its memory is freed', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { clients, cuts, ask } = await serve(t, roomy)
  const before = process.memoryUsage().arrayBuffers
  const sockets = [await ask('a'), await ask('b'), await ask('c')]
  const now = performance.now()
  clients.sweep(now)
  clients.sweep(now + 29_000)
  assert.deepEqual(cuts, [])
  clients.sweep(now + 30_000)
  assert.deepEqual(cuts, ['deadline', 'deadline', 'deadline'])
  assert.equal(clients.unsentBytes, 0)
  for (const socket of sockets) await read(socket, Number.POSITIVE_INFINITY)
  await until(() => {
    collect()
    return process.memoryUsage().arrayBuffers - before < responseBytes
  })
})

test('a client that reads slowly but steadily gets everything', async (t) => {
  const { clients, cuts, ask } = await serve(t, roomy)
  const socket = await ask('a')
  let now = performance.now()
  while (clients.unsentBytes > 0) {
    await read(socket, 3 * mebibyte)
    await sleep(20)
    now += 15_000
    clients.sweep(now)
  }
  assert.deepEqual(cuts, [])
})

test('a client that reads only a few bytes now and then is disconnected', async (t) => {
  const { clients, cuts, ask } = await serve(t, roomy)
  const socket = await ask('a')
  const now = performance.now()
  clients.sweep(now)
  await read(socket, 1000)
  await sleep(20)
  clients.sweep(now + 30_000)
  assert.deepEqual(cuts, ['deadline'])
})

test('the user limit resets only the oldest connection of that user, and never the newest', async (t) => {
  const { clients, cuts, ask } = await serve(t, { ...roomy, perUser: 2.5 * responseBytes })
  await ask('ben')
  for (let n = 0; n < 5; n++) {
    await ask('ann')
    assert.ok(clients.unsentBytes <= 4 * responseBytes)
  }
  await until(() => cuts.length === 3)
  assert.deepEqual(new Set(cuts), new Set(['user']))
  clients.sweep()
  assert.ok(clients.unsentBytes > 2 * responseBytes)
})

test('a response larger than the user limit can be read', async (t) => {
  const { clients, cuts, ask } = await serve(t, { ...roomy, perUser: mebibyte })
  const socket = await ask('ann')
  await read(socket, responseBytes)
  assert.deepEqual([cuts, clients.unsentBytes], [[], 0])
})

test('over the process limit, users with the most unread bytes are disconnected first', async (t) => {
  const { cuts, ask } = await serve(t, { ...roomy, total: 3.5 * responseBytes })
  const ben = await ask('ben')
  const loud = [await ask('ann'), await ask('ann'), await ask('ann')]
  await until(() => cuts.length > 0)
  assert.deepEqual(cuts, ['process'])
  await read(loud[0]!, Number.POSITIVE_INFINITY)
  await read(ben, responseBytes)
})

test('responses to pipelined requests count while they wait for their turn', async (t) => {
  const { clients, cuts, ask } = await serve(t, { ...roomy, total: 4 * responseBytes })
  await ask('ann', 20)
  clients.sweep()
  assert.deepEqual([cuts, clients.unsentBytes], [['process'], 0])
})

/** A server that answers /now at once and everything else never. */
async function serveOrWait(t: TestContext) {
  const clients = new SlowClients(roomy)
  const server = createServer(({ url }, response) => {
    if (url === '/now') response.end('answer')
  })
  clients.watch(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => {
    clients.close()
    socket.destroy()
    server.close()
  })
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  return { clients, server, socket, ask }
}

test('a connection without requests is closed after 75 seconds', async (t) => {
  const { clients, socket, ask } = await serveOrWait(t)
  ask('/now')
  await once(socket, 'data')
  clients.sweep(performance.now() + 75_000)
  await sleep(20)
  assert.equal(socket.closed, false)

  clients.sweep(performance.now() + 77_000)
  await until(() => socket.closed)
})

test('a connection on which a request waits stays open', async (t) => {
  const { clients, server, socket, ask } = await serveOrWait(t)
  ask('/now')
  await once(socket, 'data')
  ask('/later')
  await once(server, 'request')

  clients.sweep(performance.now() + 90_000)
  await sleep(20)

  assert.equal(socket.closed, false)
})

test('a connection stays open while the second of two pipelined requests waits', async (t) => {
  const { clients, server, socket } = await serveOrWait(t)
  const requests = on(server, 'request')
  socket.write(['/now', '/later'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  await requests.next()
  await requests.next()

  clients.sweep(performance.now() + 90_000)
  await sleep(20)

  assert.equal(socket.closed, false)
})
