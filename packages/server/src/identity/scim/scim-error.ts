import { ApiError } from '../../platform/http/api-error.ts'

/** The reasons of RFC 7644, section 3.12. */
type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

const schema = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** A request that breaks a rule of SCIM. */
export class ScimError extends ApiError {
  readonly scimType: ScimType | undefined

  constructor(detail: string, scimType?: ScimType, more: { status?: number; headers?: Record<string, string> } = {}) {
    super(detail, 'BAD_REQUEST', more)
    this.scimType = scimType
  }

  override body(): Record<string, unknown> {
    const { scimType, status, message } = this
    return { schemas: [schema], status: String(status), ...(scimType && { scimType }), detail: message }
  }
}

export function conflict(detail: string): ScimError {
  return new ScimError(detail, 'uniqueness', { status: 409 })
}

export class NoSuchResource extends ScimError {
  constructor() {
    super('There is no such resource.', undefined, { status: 404 })
  }
}

/** An error of another part of the server, in the form that SCIM clients understand. */
export function asScimError(error: ApiError): ScimError {
  if (error instanceof ScimError) return error
  const { message, status, headers } = error
  return new ScimError(message, status === 400 ? 'invalidValue' : undefined, { status, headers })
}
