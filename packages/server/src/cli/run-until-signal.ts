import { flushCompileCache } from 'node:module'
import { fail } from './report-error.ts'

/** Under npm, Ctrl-C arrives twice: from the terminal and from npm. Only a later signal means "stop immediately". */
const impatientAfter = 1000
const longestStop = 14_000

/** Starts something and keeps it running until a signal or an uncaught error; then closes it and exits. */
export async function runUntilEnd(start: () => Promise<{ close(): Promise<void> }>): Promise<never> {
  const end = awaitEnd()
  const running = await start()
  flushCompileCache() // keeps the compile cache of a killed process too
  const code = await end
  await running.close().catch(fail)
  console.log('Parley has stopped.')
  process.exit(code)
}

/** Resolves with the exit code when it is time to stop. Shutdown has a deadline. */
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
      console.error('Parley is stopping because of a bug:', error)
      end(1)
    })
  // The reader of our output may close the pipe.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return promise
}
