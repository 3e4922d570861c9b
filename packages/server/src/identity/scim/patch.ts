import { type AttributePath, parsePath } from './filter.ts'
import { ScimError } from './scim-error.ts'

export type Json = Record<string, unknown>

/** One change of one attribute. */
export interface Change {
  op: 'add' | 'replace' | 'remove'
  path: AttributePath
  value: unknown
}

const schema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const maxOperations = 1000

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The body of a request, which must name its schema. */
export function checkSchema(body: unknown, expected: string): Json {
  if (!isJson(body)) throw new ScimError('The request body must be a JSON object.', 'invalidSyntax')
  const { schemas } = body
  const isNamed = Array.isArray(schemas) && schemas.some((one) => String(one).toLowerCase() === expected.toLowerCase())
  if (!isNamed) throw new ScimError(`schemas must contain ${expected}.`, 'invalidSyntax')
  return body
}

/** The changes of a PATCH request, in order. */
export function readPatch(body: unknown): Change[] {
  const { Operations } = checkSchema(body, schema)
  if (!Array.isArray(Operations) || Operations.length === 0)
    throw new ScimError('Operations must be a list with at least one operation.', 'invalidSyntax')
  if (Operations.length > maxOperations)
    throw new ScimError(`A request can have at most ${maxOperations} operations.`, 'tooMany')
  return Operations.flatMap(readOperation)
}

/** A whole resource, as changes to an empty one. */
export function readResource(body: unknown, expected: string): Change[] {
  return expand('add', undefined, checkSchema(body, expected))
}

/** Entra writes `Add`, `Replace` and `Remove`. */
function readOperation(operation: unknown): Change[] {
  if (!isJson(operation)) throw new ScimError('An operation must be an object.', 'invalidSyntax')
  const { op, path, value } = operation
  const name = String(op).toLowerCase()
  if (name !== 'add' && name !== 'replace' && name !== 'remove')
    throw new ScimError('op must be add, replace or remove.', 'invalidSyntax')
  if (path !== undefined && typeof path !== 'string') throw new ScimError('path must be text.', 'invalidPath')
  if (name === 'remove' && !path) throw new ScimError('remove needs a path.', 'noTarget')
  return expand(name, path || undefined, value)
}

const readOnly = new Set(['schemas', 'id', 'meta'])

/** Without a path, the value contains attributes; their names may be paths. */
function expand(op: Change['op'], path: string | undefined, value: unknown): Change[] {
  if (path !== undefined) return [{ op, path: parsePath(path), value }]
  if (!isJson(value)) throw new ScimError('Without a path, the value must be an object.', 'invalidValue')
  return Object.entries(value)
    .filter(([name]) => !readOnly.has(name.toLowerCase()))
    .flatMap(([name, one]) => expand(op, name, one))
}

/** Text, or null if it is empty or removed. */
export function textIn({ op, path, value }: Change): string | null {
  if (op === 'remove' || value === null || value === undefined || value === '') return null
  if (typeof value !== 'string' || value.length > 500)
    throw new ScimError(`${path.attribute} must be text of at most 500 characters.`, 'invalidValue')
  return value
}
