import { queueEvent } from '@parley/api/events'
import type { Operation } from '@parley/api/operation'
import { operations } from '@parley/api/operations'
import { type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

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
const errorBody = Compile(Type.Object({ result: Type.Literal('error'), msg: Type.String(), code: Type.String() }))
const byName = new Map<string, Operation>(Object.values(operations).map((operation) => [operation.name, operation]))

/** Compiles schemas on first use: compiling all would take longer than most test files. */
function compiled(schemasOf: (name: string) => unknown[]) {
  const checks = new Map<string, Validator[]>()
  return (name: string): Validator[] => {
    const found = checks.get(name) ?? schemasOf(name).map((schema) => Compile(strict(schema) as TSchema))
    checks.set(name, found)
    return found
  }
}

const responseChecks = compiled((name) => [Type.Object({ ...byName.get(name)!.response, ...envelope })])
const eventChecks = compiled((type) => queueEvent.anyOf.filter(({ properties }) => properties.type.const === type))

export function assertResponse(operation: string, body: unknown): void {
  const [check] = responseChecks(operation)
  if (!check!.Check(body))
    throw new Error(
      `${operation} sent a response that violates its schema: ${JSON.stringify(check!.Errors(body).slice(0, 5))}`,
    )
}

export function assertError(body: unknown): void {
  if (!errorBody.Check(body)) throw new Error(`not an error response: ${JSON.stringify(body)}`)
}

export function assertEvent(event: { type: string }): void {
  const candidates = eventChecks(event.type)
  if (candidates.some((check) => check.Check(event))) return
  const errors = candidates.map((check) => check.Errors(event).slice(0, 3))
  throw new Error(`event violates its schema: ${JSON.stringify(event)} ${JSON.stringify(errors)}`)
}
