import cluster from 'node:cluster'
import { flushCompileCache } from 'node:module'
import { fail } from './report-error.ts'

/** Under npm, Ctrl-C arrives twice: from the terminal and from npm. Only a later signal means "stop immediately". */
const impatientAfter = 1000
const longestStop = 14_000

export interface Running {
  ctx?: { shutdown: { graceMilliseconds: number } }
  close(): Promise<void>
}

/**
 * Starts something and keeps it running until a signal or an uncaught error; then closes it and exits. Only after SIGTERM
 * it is given its grace time: Ctrl-C comes from a person, who waits.
 */
export async function runUntilEnd(start: () => Promise<Running>): Promise<never> {
  const end = awaitEnd()
  const running = await start()
  flushCompileCache() // keeps the compile cache of a killed process too
  const { code, isPatient, deadline } = await end
  const { shutdown } = running.ctx ?? {}
  if (shutdown && !isPatient) shutdown.graceMilliseconds = 0
  clearTimeout(deadline)
  setTimeout(() => process.exit(code), longestStop + (shutdown?.graceMilliseconds ?? 0)).unref()
  await running.close().catch(fail)
  if (cluster.isPrimary) console.log('Parley has stopped.')
  process.exit(code)
}

interface End {
  code: number
  isPatient: boolean
  /** Ends a process that is still starting; while it stops, the grace time is added. */
  deadline: NodeJS.Timeout
}

/** Resolves when it is time to stop. */
function awaitEnd(): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>()
  let since: number | undefined
  const end = (code: number, isPatient = false) => {
    if (since !== undefined && performance.now() - since > impatientAfter) process.exit(1)
    since ??= performance.now()
    resolve({ code, isPatient, deadline: setTimeout(() => process.exit(code), longestStop).unref() })
  }
  process.on('SIGTERM', () => end(0, true))
  process.on('SIGINT', () => end(0))
  for (const bug of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(bug, (error) => {
      console.error('Parley is stopping because of a bug:', error)
      end(1)
    })
  return promise
}
