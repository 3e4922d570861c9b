import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogFile } from './log-file.ts'
import type { Account } from './os-account.ts'
import { programOptions } from './run-program.ts'
import { serverArguments } from './settings.ts'

export interface Launch {
  program: string
  account: Account
  cluster: string
  tag: string
  logFile: LogFile
}

/** One run of PostgreSQL. */
export interface Postmaster {
  /** True when it accepts connections, false when it ended before that. */
  ready: Promise<boolean>
  /** How it ended; never rejects. */
  ended: Promise<string>
  kill(signal: NodeJS.Signals): void
  stop(): Promise<void>
}

export function launchPostmaster({ program, account, cluster, tag, logFile }: Launch): Postmaster {
  const child = spawn(program, serverArguments(tag), {
    ...programOptions(account, cluster),
    stdio: ['ignore', logFile.fd, logFile.fd],
    // Runs in its own session: Ctrl-C in the terminal reaches only us, and we stop PostgreSQL when we are done with it.
    detached: true,
  })
  const ended = endOf(child)
  return {
    ended,
    ready: waitUntilReady(child, cluster),
    kill: (signal) => void child.kill(signal),
    stop: () => stop(child, ended),
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

/** Crash recovery may take long, so there is no deadline: it becomes ready, or it ends and logs why. */
async function waitUntilReady(child: ChildProcess, cluster: string): Promise<boolean> {
  while (isRunning(child)) {
    if (await saysReady(cluster, child.pid)) {
      child.unref() // from here on PostgreSQL does not keep our process alive
      return true
    }
    await sleep(15)
  }
  return false
}

/** postmaster.pid contains the pid in line 1 and the state in line 8. */
async function saysReady(cluster: string, pid: number | undefined): Promise<boolean> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

/** Fast shutdown; after 8 s immediate shutdown, which only costs a recovery at the next start; then SIGKILL. */
async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (!isRunning(child)) return
  child.ref()
  child.kill('SIGINT')
  const escalation = [setTimeout(() => child.kill('SIGQUIT'), 8_000), setTimeout(() => child.kill('SIGKILL'), 11_000)]
  await ended
  for (const timer of escalation) clearTimeout(timer)
}
