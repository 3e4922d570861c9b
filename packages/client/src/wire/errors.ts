import type { ErrorCode } from '@parley/api/errors'

/** The server refused the call. */
export class ParleyError extends Error {
  /** The error code. A newer server may use codes that this client does not know. */
  readonly code: ErrorCode | (string & {})
  readonly status: number
  /** Additional fields of some error codes. */
  readonly fields: Record<string, unknown>

  constructor(status: number, { msg, code, result: _, ...fields }: Record<string, unknown>) {
    super(String(msg ?? `The server answered ${status}.`))
    this.name = 'ParleyError'
    this.code = String(code ?? 'BAD_REQUEST')
    this.status = status
    this.fields = fields
  }
}

/** No valid response arrived. The call may or may not have taken effect. */
export class ConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ConnectionError'
  }
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
