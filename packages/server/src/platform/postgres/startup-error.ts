/**
 * Parley cannot start, and the person who started it can change that. The message is one sentence that says what is
 * wrong and what to change; the command line prints it without a stack and exits 1.
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

/** The system's reason in words a person reads. */
export function reasonOf(error: unknown): string {
  return reasons.get(errorCode(error)) ?? (error instanceof Error ? error.message : String(error))
}
