import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { type DataDir, diskFull, meansDiskFull } from './data-dir.ts'
import { clearLeftovers } from './leftovers.ts'
import type { Account } from './os-account.ts'
import { replacePrivate } from './private-file.ts'
import { here, runProgram } from './run-program.ts'
import { errorCode, reasonOf, StartupError } from './startup-error.ts'

export interface ClusterTools {
  dir: DataDir
  account: Account
  binaries: Binaries
  log: (line: string) => void
}

/** Makes sure that the database exists and returns its password. */
export async function openCluster(tools: ClusterTools): Promise<string> {
  const { dir, binaries, log } = tools
  if (!(await clusterExists(dir))) {
    log('Creating the database, this takes a few seconds …')
    return createCluster(tools)
  }
  await checkVersion(dir, binaries.major)
  const password = await readFile(dir.password, 'utf8').catch(() => '')
  if (password) return password.trim()
  log(`The database password ${dir.password} is missing: setting a new one.`)
  await clearLeftovers(dir.cluster, tools.account.uid)
  return setPassword(tools, dir.cluster, [])
}

async function clusterExists(dir: DataDir): Promise<boolean> {
  try {
    return (await readdir(dir.cluster)).length > 0
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw new StartupError(
      `The database folder ${dir.cluster} cannot be read (${reasonOf(error)}): repair its permissions or set DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

async function checkVersion(dir: DataDir, major: number): Promise<void> {
  const found = (await readFile(join(dir.cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (found === String(major)) return
  if (!/^\d/.test(found)) {
    throw new StartupError(
      `The folder ${dir.cluster} contains no complete database (no PG_VERSION): restore it from a backup, or set DATA_DIR to another folder to begin with an empty database.`,
    )
  }
  const remedy =
    Number(found) > major ? 'use a newer Parley' : `install PostgreSQL ${found} and set POSTGRES_PROGRAMS to its folder`
  throw new StartupError(
    `The database in ${dir.cluster} was created by PostgreSQL ${found} and this Parley includes ${major}: ${remedy}, or set DATABASE_URL or another DATA_DIR.`,
  )
}

/** The folder is renamed last: after any interruption, the next start begins from scratch. */
async function createCluster(tools: ClusterTools): Promise<string> {
  const { dir, account } = tools
  try {
    // An initdb that outlived its Parley may still be writing there, hence the retries.
    await rm(dir.unfinished, { recursive: true, force: true, maxRetries: 5 })
    await mkdir(dir.unfinished, { mode: 0o700 })
    if (account.stepDown) await chown(dir.unfinished, account.uid, account.gid)
    await initialize(tools)
    const password = await setPassword(tools, dir.unfinished, ['CREATE DATABASE parley'])
    await rename(dir.unfinished, dir.cluster)
    await syncFolder(dir.root)
    return password
  } catch (error) {
    await rm(dir.unfinished, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
    throw error instanceof StartupError ? error : creationFailed(dir, reasonOf(error), error)
  }
}

async function initialize({ dir, account, binaries }: ClusterTools): Promise<void> {
  const outcome = await runProgram(account, dir.unfinished, binaries.initdb, [
    ...['-D', here, '--username=parley', '--encoding=UTF8', '--data-checksums'],
    ...localeOf(binaries.major),
    '--auth=reject', // the file it writes is not used: see settings.ts
  ])
  if (!outcome.ok) throw creationFailed(dir, complaintIn(outcome.output))
}

/** Letters of all scripts, in the order of their numbers, so that an update of the system reorders nothing. */
function localeOf(major: number): string[] {
  if (major < 17) return ['--locale=C.UTF-8']
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
}

/** Uses single-user mode, which needs no password. The file is written last, so a missing file means: do it again. */
async function setPassword(tools: ClusterTools, folder: string, more: string[]): Promise<string> {
  const { dir, account, binaries } = tools
  const password = randomBytes(24).toString('hex')
  const statements = [`ALTER ROLE parley PASSWORD '${password}'`, ...more, '']
  const args = ['--single', '-D', here, 'postgres']
  const outcome = await runProgram(account, folder, binaries.postgres, args, statements.join('\n'))
  // Single-user mode reports a failed statement only in its output.
  if (!outcome.ok || /(ERROR|FATAL|PANIC): /.test(outcome.output)) {
    throw creationFailed(dir, complaintIn(outcome.output))
  }
  await replacePrivate(dir.password, `${password}\n`, dir.owner)
  return password
}

/** The line that names the error, among progress and hints. */
export function complaintIn(output: string): string {
  const lines = output.split('\n')
  const complaint =
    lines.find((line) => /No space left|Disk quota/.test(line)) ??
    lines.findLast((line) => /(FATAL|PANIC): /.test(line)) ??
    lines.find((line) => /(error|ERROR): /.test(line)) ??
    lines.findLast((line) => line.trim() !== '')
  return (complaint ?? 'no output').replace(/^.*?(error|ERROR|FATAL|PANIC):\s+/, '').trim()
}

function creationFailed(dir: DataDir, reason: string, cause?: unknown): StartupError {
  if (meansDiskFull(reason)) return diskFull(dir, cause)
  if (/could not look up effective user ID/.test(reason)) {
    return new StartupError(
      `PostgreSQL creates a database only for a user with a name and user ${process.geteuid?.()} has none: add it to /etc/passwd, start Parley as another user, or set DATABASE_URL.`,
      { cause },
    )
  }
  return new StartupError(
    `The database in DATA_DIR ${dir.root} could not be created (${reason.replaceAll(here, dir.unfinished)}): fix the cause, set DATA_DIR to another folder, or set DATABASE_URL.`,
    { cause },
  )
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
