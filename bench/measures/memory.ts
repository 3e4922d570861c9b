import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ParleyClient } from '@parley/client/wire/client'
import { requestText } from '../lib/connection.ts'
import { load } from '../lib/load.ts'
import { familyOf, familySeconds, proportionalBytes, start } from '../lib/processes.ts'
import type { Row } from '../lib/statistics.ts'

const idleSeconds = 120
/** The demo sends emails about its messages in the first minutes. */
const settleSeconds = 150
const loadSeconds = 20
const restSeconds = 15

/** The demo server with its embedded PostgreSQL, idle, and after load: memory and CPU time of both together. */
export async function idleMemory(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-idle-'))
  const started = performance.now()
  const server = await start(join(import.meta.dirname, '../../packages/server/src/cli/main.ts'), ['serve', '--demo'], {
    DATA_DIR: folder,
    PORT: '0',
    RATE_LIMIT: '0',
  })
  const coldStart = (performance.now() - started) / 1000
  await sleep(restSeconds * 1000)
  const atRest = memoryOf(server.pid)
  await sleep((settleSeconds - restSeconds) * 1000)
  const before = familySeconds(server.pid)
  await sleep(idleSeconds * 1000)
  const share = (familySeconds(server.pid) - before) / idleSeconds
  await load(server.port, 16, loadSeconds, await mixedRequests(server.port))
  await sleep(restSeconds * 1000)
  const afterLoad = memoryOf(server.pid)
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  return [
    row('idle memory, server and embedded PostgreSQL', `${Math.round(atRest / 1e6)} MB`, '≤ 200 MB'),
    row(`the same, ${restSeconds} s after ${loadSeconds} s of load`, `${Math.round(afterLoad / 1e6)} MB`, '≤ 350 MB'),
    row('idle CPU, server and embedded PostgreSQL', `${share.toFixed(4)} of a core`, '≤ 0.003 of a core'),
    row('cold start from nothing', `${coldStart.toFixed(1)} s`, ''),
  ]
}

function row(measure: string, subject: string, goal: string): Row {
  return { measure, subject, reference: '', ratio: '', goal }
}

/** In turn messages, pages of history and registrations of four people. */
async function mixedRequests(port: number): Promise<() => string> {
  const people = ['owner', 'admin', 'moderator', 'member']
  const texts = (await Promise.all(people.map((name) => requestsOf(port, `${name}@example.com`)))).flat()
  let n = 0
  return () => texts[n++ % texts.length]!
}

async function requestsOf(port: number, username: string): Promise<string[]> {
  const host = `127.0.0.1:${port}`
  const client = new ParleyClient({ site: `http://${host}` })
  const { email, api_key } = await client.call('devFetchApiKey', { username })
  const authorization = `Basic ${btoa(`${email}:${api_key}`)}`
  const write = (path: string, form: Record<string, string>) =>
    requestText({ method: 'POST', path: `/api/v1/${path}`, host, authorization, form })
  const send = write('messages', { type: 'stream', to: 'general', topic: 'load', content: 'a message with a **word**' })
  const path = '/api/v1/messages?anchor=newest&num_before=100&num_after=0'
  const read = requestText({ method: 'GET', path, host, authorization })
  return [...Array.from({ length: 10 }, () => [send, read]).flat(), write('register', {})]
}

function memoryOf(pid: number): number {
  return familyOf(pid).reduce((sum, one) => sum + proportionalBytes(one), 0)
}
