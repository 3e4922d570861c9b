import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Account } from './os-account.ts'
import { errorCode, reasonOf, StartupError } from './startup-error.ts'

/**
 * How PostgreSQL's programs find the data folder. We enter the folder as root and only then drop privileges, so the
 * user they run as needs no access to the parent folders (such as /root, mode 0700). The kernel's link to the current
 * folder leads there directly, without resolving the path.
 */
export const here = '/proc/self/cwd'

/** The environment of PostgreSQL's programs: nothing from ours, which may contain secrets. */
export function programOptions(account: Account, folder: string): SpawnOptions {
  const identity = account.stepDown ? { uid: account.uid, gid: account.gid } : {}
  return { ...identity, cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } }
}

export interface Outcome {
  ok: boolean
  /** Standard output and error combined. */
  output: string
}

/** Runs a program until it exits; one that cannot be started also returns an Outcome. */
export async function runProgram(
  account: Account,
  folder: string,
  path: string,
  args: string[],
  input = '',
): Promise<Outcome> {
  try {
    const child = spawn(path, args, { ...programOptions(account, folder), stdio: 'pipe' })
    sendInput(child, input)
    return await outcomeOf(child)
  } catch (error) {
    if (account.stepDown && ['EPERM', 'EINVAL'].includes(errorCode(error))) throw cannotStepDown(account, error)
    return { ok: false, output: reasonOf(error) }
  }
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const output: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => output.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(output).toString() }))
  })
}

function sendInput(child: ChildProcess, input: string): void {
  child.stdin?.on('error', () => {}) // a program that exits early reports why with its exit code and output
  child.stdin?.end(input)
}

function cannotStepDown(account: Account, cause: unknown): StartupError {
  return new StartupError(
    `PostgreSQL refuses to run as root and this root may not switch to ${account.name}: start Parley as an ordinary user or set DATABASE_URL.`,
    { cause },
  )
}
