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

/** What has an end: a test, or the hooks of a file. */
export interface Scope {
  after(hook: () => Promise<void>): void
}

/** Like `t.after`, but last in, first out: a folder goes after the server that uses it. */
export function cleanUp(scope: Scope, work: () => void | Promise<void>): void {
  const stack = cleanups.get(scope) ?? new AsyncDisposableStack()
  if (!cleanups.has(scope)) scope.after(() => stack.disposeAsync())
  cleanups.set(scope, stack)
  stack.defer(work)
}

/** A folder that is gone after the test; given open rights, so that a test may decide who can pass. */
export function tempFolder(t: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pg-'))
  execFileSync('chmod', ['755', folder])
  cleanUp(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A DATA_DIR with a complete database, which saves the test the second that making one takes. */
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
  client.on('error', () => {}) // the server may be killed under it
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Asks again until it works, as a server with a connection pool does; the answer's milliseconds are returned. */
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
  /** 'started', or the message it failed with. */
  said: string
}

/** Another process that starts the database, with code to run before and afterwards; `source` is where it is loaded from. */
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
