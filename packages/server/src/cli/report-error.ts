import { ApiError } from '../platform/http/api-error.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'

/** Errors that the operator can fix print one sentence; anything else is a bug and prints its stack trace. */
export function fail(error: unknown): never {
  const isTheirs = error instanceof StartupError || error instanceof ApiError
  console.error(isTheirs ? error.message : error)
  process.exit(1)
}

// biome-ignore lint/suspicious/noExplicitAny: commander hands over whatever the command declares.
export function orFail(command: (...args: any[]) => Promise<void>): (...args: any[]) => Promise<void> {
  return (...args) => command(...args).catch(fail)
}
