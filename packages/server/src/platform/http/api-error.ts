import { type ErrorCode, errorCodes } from '@parley/api/errors'

/** A request broke a rule of the API. Anything else that is thrown is a bug and answered with 500. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Additional fields of the response body. */
  readonly fields: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    message: string,
    code: ErrorCode = 'BAD_REQUEST',
    more: { status?: number; fields?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(clipped(message) as string)
    this.code = code
    this.status = more.status ?? errorCodes[code]
    this.fields = (clipped(more.fields) ?? {}) as Record<string, unknown>
    this.headers = more.headers ?? {}
  }

  body(): Record<string, unknown> {
    return { result: 'error', msg: this.message, code: this.code, ...this.fields }
  }
}

const longestText = 1000
const longestList = 100

/** Errors may quote what the client sent, but not a megabyte of it. */
function clipped(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText)}…` : value
  if (Array.isArray(value)) return value.slice(0, longestList).map(clipped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, clipped(field)]))
}

export class ServiceUnavailable extends ApiError {
  constructor(message = 'The database cannot be reached; try again in a moment.') {
    super(message, 'SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '2' } })
  }
}

/** The connection was lost during a commit. Not 503, which invites clients to repeat the request. */
export class OutcomeUnknown extends ApiError {
  constructor() {
    super(
      'The database stopped answering: it is unknown whether the change was stored. Check before you repeat it.',
      'OUTCOME_UNKNOWN',
    )
  }
}

export class DiskFull extends ApiError {
  constructor() {
    super("The server's disk is full, so nothing was stored. Ask its operator to free space.", 'INSUFFICIENT_STORAGE')
  }
}
