import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readlink } from 'node:fs/promises'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { getOwnUser } from '@parley/api/people/users'
import type { Actor } from '../../testing/actor.ts'
import { upload } from '../../testing/files.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

const count = 130
let world: World
let queue: string
let file: string
let archive: string

/**
 * Messages whose HTML is five times as long as their text: in total more than the kernel buffers for a stuck reader.
 */
before(async () => {
  world = await newWorld()
  const { ann, ben, ctx, realmId, app } = world
  await app.listen({ port: 0, host: '127.0.0.1' })
  queue = (await ben.registers({ event_types: ['message'], apply_markdown: true })).queue_id
  const send = () => ann.sends({ to: [ben], content: '&'.repeat(10_000) })
  for (let sent = 0; sent < count; sent += 10) await Promise.all(Array.from({ length: 10 }, send))
  file = await upload(world, ben, { content: Buffer.alloc(12 * 1024 * 1024) })
  archive = `exports/${realmId}/archive.tar.gz`
  await ctx.files.put(archive, Buffer.alloc(12 * 1024 * 1024))
  const made = { acting_user_id: world.adam.id, export_type: 1, base_url: '', path: archive, succeeded_at: new Date() }
  await ctx.db
    .insertInto('realm_exports')
    .values({ realm_id: realmId, ...made })
    .execute()
})

async function asks(actor: Actor, path: string, headers: Record<string, string> = {}): Promise<Socket> {
  const socket = connect((world.app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  const lines = Object.entries({ ...actor.headers, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.pause().write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await once(socket, 'connect')
  return socket
}

const listing = `/api/v1/messages?anchor=newest&num_before=${count}&num_after=0`
const poll = () => `/api/v1/events?queue_id=${queue}&last_event_id=-1`

const kinds: Record<string, () => Promise<Socket>> = {
  'a listing': () => asks(world.ben, listing),
  'a plain poll': () => asks(world.ben, poll()),
  'a poll through the framework': () => asks(world.ben, `${poll()}&client=x`),
  'an event stream': () => asks(world.ben, poll(), { accept: 'text/event-stream' }),
  'a file': () => asks(world.ben, file),
  'an export': () => asks(world.adam, `/${archive}`),
}

for (const [kind, open] of Object.entries(kinds)) {
  test(`${kind} that is not read is aborted after 30 seconds`, async (t) => {
    const { slowClients } = world.ctx
    const socket = await open()
    t.after(() => socket.destroy())
    await until(() => {
      slowClients.sweep()
      return slowClients.unsentBytes > 0
    })
    slowClients.sweep(performance.now() + 30_000)
    assert.equal(slowClients.unsentBytes, 0)
    socket.resume()
    await until(() => socket.closed)
    await until(async () => (await openFiles()).length === 0)
  })
}

/** Stored files that this process has open. */
async function openFiles(): Promise<string[]> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return (await Promise.all(links)).filter((path) => path.startsWith(world.ctx.config.dataDir))
}

/** Ben asks for more than the limit and reads nothing. Ends when all his connections are gone. */
async function readsNothing(whileStuck: () => Promise<void> = async () => {}): Promise<void> {
  const { ctx, ben } = world
  const cuts = await cutsByUser()
  const sockets: Socket[] = []
  for (let n = 0; n < 8; n++) sockets.push(await asks(ben, listing))
  await until(async () => (await cutsByUser()) >= cuts + 4)
  await whileStuck()
  for (const socket of sockets) socket.destroy()
  await until(() => ctx.slowClients.unsentBytes === 0)
}

test('a user who reads none of many responses keeps at most the limit in memory, and others are served', async () => {
  await readsNothing(async () => {
    world.ctx.slowClients.sweep()
    assert.ok(world.ctx.slowClients.unsentBytes <= 16 * 1024 * 1024)
    await world.ann.does(getOwnUser)
  })
})

/** The C library keeps freed memory, so what the process occupies does not shrink; but it must not grow with each wave. */
test('the memory of responses that were not read is used again', async () => {
  await readsNothing()
  const first = memoryInUse()
  const waves = 5
  for (let wave = 0; wave < waves; wave++) await readsNothing()
  const last = memoryInUse()
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  assert.ok(megabytes(last.arrayBuffers - first.arrayBuffers) < 10, `${megabytes(last.arrayBuffers)} MiB of buffers`)
  assert.ok(megabytes(last.rss - first.rss) < waves * 25, `from ${megabytes(first.rss)} to ${megabytes(last.rss)} MiB`)
})

function memoryInUse(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let n = 0; n < 3; n++) collect()
  return process.memoryUsage()
}

async function cutsByUser(): Promise<number> {
  const { values } = await world.ctx.metrics.slowClients.get()
  return values.find(({ labels }) => labels.reason === 'user')?.value ?? 0
}
