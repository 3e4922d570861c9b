import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** CPU seconds that a process has used so far. */
export function cpuSeconds(pid: number): number {
  const [user, system] = ticksOf(pid)
  return (user! + system!) / ticksPerSecond
}

/** CPU seconds that a process and its children have used so far, including children that have ended. */
export function treeSeconds(pid: number): number {
  const living = childrenOf(pid).reduce((sum, child) => sum + ifAlive(() => cpuSeconds(child)), 0)
  return ticksOf(pid).reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond + living
}

/** CPU seconds that processes have used so far, with all their threads. Exact to the nanosecond, unlike ticks. */
export function runSeconds(pids: number[]): number {
  const threads = pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`))
  return threads.reduce((sum, thread) => sum + ifAlive(() => threadSeconds(thread)), 0)
}

function threadSeconds(thread: string): number {
  return Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9
}

/** Zero for a process or thread that has just ended: its parent counts what it used. */
function ifAlive(read: () => number): number {
  try {
    return read()
  } catch {
    return 0
  }
}

/** The same for the living children of a process, such as the connections of PostgreSQL. */
export function childSeconds(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + ifAlive(() => runSeconds([child])), 0)
}

/**
 * CPU seconds of a process and all its descendants so far, including those that have ended: a database connection that lasts only a
 * few seconds takes 15 ms to open.
 */
export function familySeconds(pid: number): number {
  const family = familyOf(pid)
  const ended = family.flatMap((one) => ticksOf(one).slice(2)).reduce((sum, ticks) => sum + ticks, 0)
  return runSeconds(family) + ended / ticksPerSecond
}

export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)]
}

/** User and system time of a process, and of its children that have ended. */
function ticksOf(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).map(Number)
}

/** The process id of the postmaster of a database on this machine. */
export async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const parent = field(readFileSync(`/proc/${rows[0]!.pid}/status`, 'utf8'), 'PPid')
  await client.end()
  return parent
}

export function residentBytes(pid: number): number {
  return field(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS') * 1024
}

/** Proportional set size of a process: shared pages are divided among processes, so the values can be summed. */
export function proportionalBytes(pid: number): number {
  return field(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss') * 1024
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)![1])
}

export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

export interface Started {
  pid: number
  port: number
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
// Also after an error.
process.once('exit', () => {
  for (const child of running) child.kill()
})

/** Starts a program that prints the URL it listens on. */
export function start(file: string, args: string[], env: Record<string, string>): Promise<Started> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  return new Promise((resolve, reject) => {
    let text = ''
    child.on('exit', (code) => reject(new Error(`${file} ended with ${code}: ${text}`)))
    child.stdout!.on('data', (chunk) => {
      text += chunk
      const match = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)
      if (match) resolve({ pid: child.pid!, port: Number(match[1]), stop: () => stop(child) })
    })
  })
}

function stop(child: ChildProcess): Promise<void> {
  running.delete(child)
  return new Promise((resolve) => {
    child.removeAllListeners('exit')
    child.on('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
