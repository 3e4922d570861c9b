import { queueEvent } from '@parley/api/events'
import { operations } from '@parley/api/operations'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

type Schema = Record<string, unknown>

/** The same schema, but objects with named fields refuse any other: undeclared fields must not be sent. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (schema === null || typeof schema !== 'object') return schema
  // TypeBox keeps its markers in hidden properties; copying the object itself keeps them.
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as Schema
  for (const [key, value] of Object.entries(copy)) copy[key] = strict(value)
  if (copy.properties && copy.additionalProperties === undefined) copy.additionalProperties = false
  return copy
}

const envelope = {
  result: Type.Literal('success'),
  msg: Type.Literal(''),
  ignored_parameters_unsupported: Type.Optional(Type.Array(Type.String())),
}
const responses = new Map(
  Object.values(operations).map(({ name, response }) => [
    name,
    Compile(strict(Type.Object({ ...response, ...envelope })) as ReturnType<typeof Type.Object>),
  ]),
)
const errorBody = Compile(Type.Object({ result: Type.Literal('error'), msg: Type.String(), code: Type.String() }))
const events = queueEvent.anyOf.map((schema) => ({
  type: schema.properties.type.const as string,
  check: Compile(strict(schema) as typeof schema),
}))

export function assertResponse(operation: string, body: unknown): void {
  const check = responses.get(operation)!
  if (!check.Check(body))
    throw new Error(
      `${operation} sent a response that violates its schema: ${JSON.stringify(check.Errors(body).slice(0, 5))}`,
    )
}

export function assertError(body: unknown): void {
  if (!errorBody.Check(body)) throw new Error(`not an error response: ${JSON.stringify(body)}`)
}

export function assertEvent(event: { type: string }): void {
  const candidates = events.filter(({ type }) => type === event.type)
  if (candidates.some(({ check }) => check.Check(event))) return
  const errors = candidates.map(({ check }) => check.Errors(event).slice(0, 3))
  throw new Error(`event violates its schema: ${JSON.stringify(event)} ${JSON.stringify(errors)}`)
}
