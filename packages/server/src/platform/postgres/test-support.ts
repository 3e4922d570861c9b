import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'

export const isRoot = process.geteuid?.() === 0
export const rootOnly = isRoot ? false : 'needs root'

const cleanups = new WeakMap<object, AsyncDisposableStack>()

/** What runs cleanups: a test, or the hooks of a file. */
export interface Scope {
  after(hook: () => Promise<void>): void
}

/** Like `t.after`, but last in, first out: a folder is deleted after the server that uses it has stopped. */
export function cleanUp(scope: Scope, work: () => void | Promise<void>): void {
  const stack = cleanups.get(scope) ?? new AsyncDisposableStack()
  if (!cleanups.has(scope)) scope.after(() => stack.disposeAsync())
  cleanups.set(scope, stack)
  stack.defer(work)
}

/** A temporary folder, deleted after the test. Its mode is open, so that a test can decide who may enter. */
export function tempFolder(t: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pg-'))
  execFileSync('chmod', ['755', folder])
  cleanUp(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A DATA_DIR with a complete database, which saves the test the second that creating one takes. */
export function copyOf(database: string, t: Scope): string {
  const dataDir = join(tempFolder(t), 'data')
  execFileSync('cp', ['-a', database, dataDir])
  return dataDir
}

export interface Started extends EmbeddedPostgres {
  lines: string[]
}

export async function start(t: Scope, dataDir: string): Promise<Started> {
  const lines: string[] = []
  const postgres = await startEmbeddedPostgres({ dataDir, log: (line) => lines.push(line) })
  cleanUp(t, postgres.stop)
  return { ...postgres, lines }
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {}) // the server may be killed while it is connected
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Retries until the query works, as a server with a connection pool does; returns the elapsed milliseconds. */
export async function untilHealthy(url: string): Promise<number> {
  const begin = Date.now()
  for (;;) {
    try {
      await query(url, 'SELECT 1')
      return Date.now() - begin
    } catch (error) {
      if (Date.now() - begin > 10_000) throw error
      await sleep(20)
    }
  }
}

export function postmasterPid(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export interface OtherParley {
  child: ChildProcess
  /** 'started', or the error message. */
  said: string
}

/** Another process that starts the database, with code to run before and after; `source` is where it is loaded from. */
export async function otherParley(
  t: Scope,
  dataDir: string,
  { before = '', afterwards = 'setInterval(() => {}, 1000)', source = new URL('./', import.meta.url).href } = {},
): Promise<OtherParley> {
  const program = `
    ${before}
    const { startEmbeddedPostgres } = await import(process.argv[1] + 'embedded.ts')
    try {
      const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2], log() {} })
      process.once('SIGTERM', () => process.exit())
      process.stdout.write('started')
      ${afterwards}
    } catch (error) {
      process.stdout.write(error.name + ': ' + error.message)
    }`
  const args = ['--input-type=module', '-e', program, source, dataDir]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  cleanUp(t, () => endParley(child))
  const [said] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
  return { child, said: String(said) }
}

async function endParley(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
