import { chooseBinaries } from './choose-binaries.ts'
import { complaintIn, openCluster } from './cluster.ts'
import { openAddress } from './connection-url.ts'
import { type DataDir, diskFull, meansDiskFull, openDataDir } from './data-dir.ts'
import { clearLeftovers, clusterTag } from './leftovers.ts'
import { lockDataDir } from './lock.ts'
import { type LogFile, openLogFile } from './log-file.ts'
import { chooseAccount } from './os-account.ts'
import { type Launch, launchPostmaster, type Postmaster } from './postmaster.ts'
import { here } from './run-program.ts'
import { writeSettings } from './settings.ts'
import { errorCode, reasonOf, StartupError } from './startup-error.ts'
import { supervise } from './supervisor.ts'

export interface EmbeddedPostgres {
  /** Connection string for `pg`, over a Unix socket. */
  url: string
  dataDir: string
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  log: (line: string) => void
  /** Where the system has programs of PostgreSQL, such as /usr/lib/postgresql; absent: those of the npm package. */
  systemFolder?: string | undefined
}

/** Starts the embedded PostgreSQL on DATA_DIR and keeps it running until stop(). */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  systemFolder,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dir = await openDataDir(dataDir)
  const resources = new AsyncDisposableStack()
  try {
    resources.defer(await lockDataDir(dir))
    const url = await startLocked(dir, { log, systemFolder }, resources)
    let stopped: Promise<void> | undefined
    return { url, dataDir: dir.root, stop: () => (stopped ??= resources.disposeAsync()) }
  } catch (error) {
    await resources.disposeAsync()
    throw explained(dir, error)
  }
}

/** Runs under the lock. Opened resources are pushed to `resources`, to be closed in reverse order. */
async function startLocked(
  dir: DataDir,
  { log, systemFolder }: Omit<EmbeddedOptions, 'dataDir'>,
  resources: AsyncDisposableStack,
) {
  const account = await chooseAccount(dir)
  const binaries = await chooseBinaries(account, dir, systemFolder)
  const password = await openCluster({ dir, account, binaries, log })
  const { cluster } = dir

  const logFile = await openLogFile(dir)
  resources.defer(logFile.close)
  const address = await openAddress(cluster, password)
  resources.defer(address.close)
  await writeSettings(cluster, binaries.major)

  const launch = { program: binaries.postgres, account, cluster, tag: await clusterTag(cluster), logFile }
  const supervised = supervise(await launchFirst(dir, launch, log), () => relaunch(launch), log)
  resources.defer(supervised.stop)
  return address.url
}

async function relaunch(launch: Launch): Promise<Postmaster> {
  await clearLeftovers(launch.cluster, launch.account.uid)
  return launchPostmaster(launch)
}

async function launchFirst(dir: DataDir, launch: Launch, log: (line: string) => void): Promise<Postmaster> {
  const logged = await launch.logFile.size()
  const postmaster = await relaunch(launch)
  const slow = setTimeout(() => log('PostgreSQL is repairing its files after an interruption …'), 3_000)
  const ready = await postmaster.ready.finally(() => clearTimeout(slow))
  if (ready) return postmaster
  throw await didNotStart(dir, launch.logFile, logged)
}

async function didNotStart(dir: DataDir, logFile: LogFile, from: number): Promise<StartupError> {
  const reason = complaintIn(await logFile.readFrom(from)).replaceAll(here, dir.cluster)
  if (meansDiskFull(reason)) return diskFull(dir)
  return new StartupError(
    `PostgreSQL did not start on DATA_DIR ${dir.root} (${reason}): fix the cause (details are in ${dir.log}) or set DATABASE_URL.`,
  )
}

/** File system errors here are about DATA_DIR; anything else is a bug and is passed on unchanged. */
function explained(dir: DataDir, error: unknown): unknown {
  if (error instanceof StartupError || !(error instanceof Error && 'syscall' in error)) return error
  if (meansDiskFull(reasonOf(error))) return diskFull(dir, error)
  const { path = dir.root } = error as NodeJS.ErrnoException
  return new StartupError(
    `DATA_DIR ${dir.root} cannot be used (${path}: ${reasonOf(error)}, ${errorCode(error)}): repair it or set DATA_DIR to another folder.`,
    { cause: error },
  )
}
