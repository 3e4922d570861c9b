import { flushCompileCache } from 'node:module'
import { fail } from './report-error.ts'

/** Ctrl-C under npm arrives twice, from the terminal and from npm. Only what comes later is impatience. */
const impatientAfter = 1000
const longestStop = 14_000

/** Starts something and lets it run until there is a reason to end; then closes it and ends the program. */
export async function runUntilEnd(start: () => Promise<{ close(): Promise<void> }>): Promise<never> {
  const end = awaitEnd()
  const running = await start()
  flushCompileCache() // what a killed program has compiled is kept as well
  const code = await end
  await running.close().catch(fail)
  console.log('Parley has stopped.')
  process.exit(code)
}

/** The exit code, once there is a reason to end. What cannot finish in time is ended all the same. */
function awaitEnd(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  let since: number | undefined
  const end = (code: number) => {
    if (since !== undefined && performance.now() - since > impatientAfter) process.exit(1)
    since ??= performance.now()
    setTimeout(() => process.exit(code), longestStop).unref()
    resolve(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(0))
  for (const bug of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(bug, (error) => {
      console.error('Parley ends because of a bug:', error)
      end(1)
    })
  // Whoever read what we print may go away.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return promise
}
