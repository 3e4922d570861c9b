import type { ErrorCode } from '@parley/api/errors'

/** The server understood the call and refused it. */
export class ParleyError extends Error {
  /** What programs go by. A server may know codes that this client does not. */
  readonly code: ErrorCode | (string & {})
  readonly status: number
  /** The rest of the answer: what some codes add. */
  readonly fields: Record<string, unknown>

  constructor(status: number, { msg, code, result: _, ...fields }: Record<string, unknown>) {
    super(String(msg ?? `The server answered ${status}.`))
    this.name = 'ParleyError'
    this.code = String(code ?? 'BAD_REQUEST')
    this.status = status
    this.fields = fields
  }
}

/** No answer came, or none that the server itself would give: the call may or may not have been carried out. */
export class ConnectionTrouble extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ConnectionTrouble'
  }
}
