/**
 * Parley cannot start, and the operator can fix it. The message is one sentence that says what is wrong and what to
 * change; the CLI prints it without a stack trace and exits with code 1.
 */
export class StartupError extends Error {
  override name = 'StartupError'
}

export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? ''
}

const reasons = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['ENAMETOOLONG', 'the path is too long'],
])

/** The system error in plain words. */
export function reasonOf(error: unknown): string {
  return reasons.get(errorCode(error)) ?? (error instanceof Error ? error.message : String(error))
}
