import pg from 'pg'

const unreachable = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
])

/** The database is unreachable, starting, stopping or too slow: not the caller's fault, and temporary. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message, syscall } = error as Error & { code?: string; syscall?: string }
  if (
    code !== undefined &&
    unreachable.has(code) &&
    (syscall === undefined || syscall === 'connect' || syscall === 'read' || syscall === 'write')
  )
    return true
  if (code !== undefined && /^(08|57P|53|55P03|57014)/.test(code)) return true
  return /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable/i.test(
    message,
  )
}

/** The database itself answered that the statement failed, so it has changed nothing. */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')
}

/** The disk, or the quota on it, is full: where files are stored, or where the database is (53100). */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', '53100'].includes((error as { code?: string }).code ?? '')
}

export function isInsufficientPrivilege(error: unknown): boolean {
  return (error as { code?: string }).code === '42501'
}

/** A lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: string }).code === '55P03'
}

/** Two transactions conflicted, or one deleted a row that the other refers to: a retry sees the new state. */
export function isConflict(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01' || code === '23503' || isStalePlan(error)
}

/** A named statement returns other columns than when it was prepared, because the schema has changed. */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string }
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}
