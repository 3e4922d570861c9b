import { setTimeout as sleep } from 'node:timers/promises'
import type { Postmaster } from './postmaster.ts'
import { reasonOf } from './startup-error.ts'

export interface Supervised {
  stop(): Promise<void>
}

const longestPause = 2_000
/** After a run this long PostgreSQL counts as healthy: the next failure is retried immediately again. */
const healthyAfter = 30_000

/** Keeps PostgreSQL running: restarts it whenever it ends without stop(). */
export function supervise(
  first: Postmaster,
  relaunch: () => Promise<Postmaster>,
  log: (line: string) => void,
): Supervised {
  let current = first
  const stopping = new AbortController()
  // For an exit without stop(): requesting a shutdown is all that can be done synchronously.
  const onExit = () => current.kill('SIGINT')
  process.once('exit', onExit)

  async function keepRunning(): Promise<void> {
    for (let failures = 0; ; failures++) {
      const since = Date.now()
      const how = await current.ended
      if (stopping.signal.aborted) return
      if (Date.now() - since > healthyAfter) failures = 0
      log(`PostgreSQL ended unexpectedly (${how}; its log says more), starting it again.`)
      await pause(failures, stopping.signal)
      if (stopping.signal.aborted) return
      await replaceCurrent()
    }
  }

  /** A failure here (no memory for a process, for example) keeps the ended run in place, and the loop retries. */
  async function replaceCurrent(): Promise<void> {
    try {
      current = await relaunch()
      if (stopping.signal.aborted) return await current.stop() // stopped during the launch
      void current.ready.then((ready) => ready && log('PostgreSQL is running again.'))
    } catch (error) {
      log(`PostgreSQL cannot be started: ${reasonOf(error)}`)
    }
  }

  const done = keepRunning()
  return {
    async stop() {
      stopping.abort()
      await current.stop()
      await done
      process.off('exit', onExit)
    },
  }
}

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  if (failures === 0) return
  const milliseconds = Math.min(100 * 2 ** failures, longestPause)
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}
