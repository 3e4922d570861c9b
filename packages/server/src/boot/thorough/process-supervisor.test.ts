import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { postmasterPid, tempFolder } from '../../platform/postgres/test-support.ts'
import { type Program, runParley, startParley } from '../../testing/program.ts'
import { until } from '../../testing/until.ts'

function childrenOf({ pid }: Program): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

/** A process that serves: a child of the supervisor that runs this program. */
function servingProcess(program: Program): number {
  return childrenOf(program).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('serve'))!
}

async function ask(program: Program, path: string, init: RequestInit = {}) {
  const headers = { ...init.headers, connection: 'close' } // a new connection goes to the next process
  const response = await fetch(`${program.url}${path}`, { ...init, headers })
  return { status: response.status, text: await response.text() }
}

function isServing(program: Program): Promise<boolean> {
  return ask(program, '/health/ready').then(
    ({ status }) => status === 200,
    () => false,
  )
}

async function metric(program: Program, name: string): Promise<number> {
  const { text } = await ask(program, '/metrics')
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

/** Signs in to the demo; each request may reach another process. */
async function member(program: Program) {
  const body = new URLSearchParams({ username: 'member@example.com' })
  const key = JSON.parse((await ask(program, '/api/v1/dev_fetch_api_key', { method: 'POST', body })).text)
  const headers = { authorization: `Basic ${btoa(`${key.email}:${key.api_key}`)}` }
  return {
    get: async (path: string) => JSON.parse((await ask(program, `/api/v1/${path}`, { headers })).text),
    post: async (path: string, form: Record<string, string>) => {
      const init = { method: 'POST', body: new URLSearchParams(form), headers }
      return JSON.parse((await ask(program, `/api/v1/${path}`, init)).text)
    },
  }
}

test('several processes serve one port, are replaced when they die, and stop together', async (t) => {
  const env = { DATA_DIR: join(tempFolder(t), 'data'), PROCESSES: '2' }
  const server = await startParley(t, ['--demo'], { env })
  await until(async () => (await metric(server, 'parley_processes')) === 2)
  const postgres = postmasterPid(env.DATA_DIR)

  const marta = await member(server)
  const sent = await until(async () => {
    const count = await metric(server, 'parley_messages_sent_total')
    return Number.isNaN(count) ? undefined : { count }
  })
  const { queue_id } = await marta.post('register', { event_types: '["message"]' })
  for (let n = 0; n < 6; n++)
    assert.equal((await marta.post('messages', { type: 'stream', to: 'general', topic: 't', content: `${n}` })).msg, '')
  const received = await until(async () => {
    const { events } = await marta.get(`events?queue_id=${queue_id}&last_event_id=-1&dont_block=true`)
    return events.length === 6 && events
  })
  assert.deepEqual(
    received.map((event: { message: { content: string } }) => event.message.content),
    ['0', '1', '2', '3', '4', '5'],
  )
  // A process that is too busy to answer is missing in the sum.
  await until(async () => (await metric(server, 'parley_messages_sent_total')) - sent.count === 6)

  const victim = servingProcess(server)
  process.kill(victim, 'SIGKILL')
  await until(() => !childrenOf(server).includes(victim))
  // The supervisor may still give a connection to a process whose end it has not noticed.
  await until(() => isServing(server))
  await until(async () => (await metric(server, 'parley_processes')) === 2)
  assert.match(server.output(), /A process ended unexpectedly \(SIGKILL\) and is being replaced\./)

  server.signal('SIGTERM')
  assert.equal((await server.ended()).code, 0)
  assert.throws(() => process.kill(postgres, 0))
})

test('an impossible number of processes is refused with the reason', async (t) => {
  const env = { DATA_DIR: join(tempFolder(t), 'data') }
  for (const [processes, reason] of [
    ['none', /PROCESSES must be a whole number from 1 to 256, not "none"\./],
    ['40', /connections for at most 9 processes, not 40: set PROCESSES to less/],
  ] as const) {
    const { code, output } = await runParley(t, ['serve', '--demo', '--processes', processes], { env })
    assert.equal(code, 1)
    assert.match(output, reason)
  }
})
