import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { port } from './settings.ts'

/** Identifies the data folder in process titles. Uses the inode, because a copy of the folder is another database. */
export async function clusterTag(cluster: string): Promise<string> {
  const { dev, ino } = await stat(cluster, { bigint: true })
  return `parley-${dev.toString(16)}-${ino.toString(16)}`
}

/**
 * Ends processes of this database that a killed Parley or postmaster left behind, so that a new postmaster can start.
 * Call it only under the lock of DATA_DIR: then no running process has a living owner.
 */
export async function clearLeftovers(cluster: string, uid: number): Promise<void> {
  const tag = await clusterTag(cluster)
  for (const step of steps) {
    const found = await findProcesses(tag, uid)
    for (const { pid } of found.filter(step.concerns)) sendSignal(pid, step.signal)
    if (await areGone(tag, uid, found.some(step.concerns) ? step.patience : 0)) break
  }
  await removeMisleadingLock(join(cluster, 'postmaster.pid'), tag, uid)
  await removeMisleadingLock(join(cluster, `.s.PGSQL.${port}.lock`), tag, uid)
}

interface Step {
  signal: NodeJS.Signals
  patience: number
  concerns: (found: Found) => boolean
}

const steps: Step[] = [
  // Fast shutdown, for the postmaster only: the same signal means something else to its children.
  { signal: 'SIGINT', patience: 8_000, concerns: (found) => found.isPostmaster },
  // Immediate shutdown; children without a postmaster handle it too.
  { signal: 'SIGQUIT', patience: 1_500, concerns: () => true },
  { signal: 'SIGKILL', patience: 3_000, concerns: () => true },
]

async function areGone(tag: string, uid: number, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience
  for (;;) {
    if ((await findProcesses(tag, uid)).length === 0) return true
    if (Date.now() >= deadline) return false
    await sleep(20)
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended; remaining processes are checked again anyway.
  }
}

interface Found {
  pid: number
  isPostmaster: boolean
}

/** The title is readable even where the process's folder is not (root in a container may not read other users'). */
async function findProcesses(tag: string, uid: number): Promise<Found[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => inspect(Number(pid), tag, uid)))
  return found.filter((process) => process !== undefined)
}

async function inspect(pid: number, tag: string, uid: number): Promise<Found | undefined> {
  try {
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    const isPostmaster = title.includes(`\0cluster_name=${tag}\0`)
    if (!isPostmaster && !title.startsWith(`postgres: ${tag}: `)) return undefined
    const owner = await stat(`/proc/${pid}`)
    return owner.uid === uid ? { pid, isPostmaster } : undefined
  } catch {
    return undefined // it ended during the scan
  }
}

/**
 * PostgreSQL trusts a lock file if the process named in it is alive, even if another program has reused that pid. Only
 * such a file is deleted; for any other, PostgreSQL's own stricter check decides.
 */
async function removeMisleadingLock(path: string, tag: string, uid: number): Promise<void> {
  const pid = Number.parseInt(await readFile(path, 'utf8').catch(() => ''), 10)
  if (!(pid > 0) || (await inspect(pid, tag, uid))) return
  const lives = await stat(`/proc/${pid}`).catch(() => undefined)
  if (lives) await rm(path, { force: true })
}
