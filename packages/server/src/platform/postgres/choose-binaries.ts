import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Binaries, prepareBinaries, tryBinaries } from './binaries.ts'
import type { DataDir } from './data-dir.ts'
import { type Account, mayEnter } from './os-account.ts'
import { StartupError } from './startup-error.ts'

/** The oldest PostgreSQL whose abilities are enough. */
const oldestMajor = 15

/** Programs before this version leave the folder they were started in, and return to it by its path. */
const firstThatStays = 16

/**
 * The programs for a database. Those of the system, in `systemFolder/MAJOR/bin`, get their security updates with the
 * system, so they are preferred: for a new database the newest, for an existing one those of its major version. No other
 * major version can read it.
 */
export async function chooseBinaries(account: Account, dir: DataDir, systemFolder?: string): Promise<Binaries> {
  if (systemFolder === undefined) return prepareBinaries(account, dir.root)
  const existing = await majorOf(dir.cluster)
  const system = await systemBinaries(account, systemFolder, dir, existing)
  if (system) return system
  const included = await prepareBinaries(account, dir.root)
  if (existing === undefined || existing === included.major) return included
  throw new StartupError(
    `The database in ${dir.cluster} was created by PostgreSQL ${existing}, whose programs are missing in ${systemFolder} or do not run: install them (on Debian, apt install postgresql-${existing}), or set DATABASE_URL or another DATA_DIR.`,
  )
}

/** Undefined if there is no database yet, or a damaged one. */
async function majorOf(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')
  return /^\d+\n?$/.test(text) ? Number(text) : undefined
}

async function systemBinaries(
  account: Account,
  folder: string,
  dir: DataDir,
  wanted?: number,
): Promise<Binaries | undefined> {
  const majors = (await readdir(folder).catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  const oldest = (await mayEnter(account, dir.root)) ? oldestMajor : firstThatStays
  const suitable = majors.filter((major) => major >= oldest && (wanted === undefined || major === wanted))
  for (const major of suitable.sort((a, b) => b - a)) {
    const binaries = await tryBinaries(account, join(folder, String(major)))
    if ('major' in binaries && binaries.major === major) return binaries
  }
  return undefined
}
