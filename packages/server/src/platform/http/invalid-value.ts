import { lookup } from '@parley/api/lookup'
import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { ApiError } from './api-error.ts'

type SchemaError = ReturnType<typeof Errors>[number]

interface Schema {
  type?: string
  anyOf?: Schema[]
  items?: Schema
  maxItems?: number
  maxProperties?: number
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
}

/**
 * The error of a value that its schema refuses. Looks for the first part that is wrong, because collecting all errors
 * of a long list takes seconds, and refuses what is too long before it looks inside.
 */
export function invalidValue(name: string, schema: TSchema, value: unknown): ApiError {
  return new ApiError(complaint(schema as Schema, value, name))
}

function complaint(schema: Schema, value: unknown, place: string): string {
  const own = alternativeFor(schema, value)
  if (own === undefined || !isCompound(value)) return `${place} ${explanation(schema, value)}`
  const excess = excessOf(own, value)
  if (excess !== undefined) return `${place} ${excess}`
  for (const [key, part, partSchema] of partsOf(own, value))
    if (!isValid(partSchema, part)) return complaint(partSchema, part, place + key)
  const missing = (own.required ?? []).filter((key) => !Object.hasOwn(value, key))
  if (missing.length > 0) return `${place} must have the key ${missing.join(', ')}`
  return `${place} ${explanation(own, value)}`
}

function isValid(schema: Schema, value: unknown): boolean {
  const own = isCompound(value) ? alternativeFor(schema, value) : undefined
  return !(own && excessOf(own, value as object)) && Check(schema as TSchema, value)
}

function excessOf(schema: Schema, value: object): string | undefined {
  const isList = Array.isArray(value)
  const most = isList ? schema.maxItems : schema.maxProperties
  const size = isList ? value.length : Object.keys(value).length
  return most !== undefined && size > most ? `must not have more than ${most} ${isList ? 'items' : 'keys'}` : undefined
}

function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The one form of the value that the schema allows: the list, or the object. */
function alternativeFor(schema: Schema, value: unknown): Schema | undefined {
  const type = Array.isArray(value) ? 'array' : 'object'
  const fitting = (schema.anyOf ?? [schema]).filter((one) => one.type === type)
  return fitting.length === 1 ? fitting[0] : undefined
}

function* partsOf(schema: Schema, value: object): Generator<[place: string, part: unknown, schema: Schema]> {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items) for (const [index, item] of value.entries()) yield [`[${index}]`, item, items]
    return
  }
  const [others] = Object.values(schema.patternProperties ?? {})
  for (const [key, part] of Object.entries(value)) {
    const declared = lookup(schema.properties ?? {}, key) ?? others
    if (declared) yield [`.${key}`, part, declared]
  }
}

function explanation(schema: Schema, value: unknown): string {
  const errors = Errors(schema as TSchema, value)
  return errors[0] ? explain(errors[0], errors) : 'is not valid'
}

const typeNames = new Map([
  ['integer', 'an integer'],
  ['number', 'a number'],
  ['string', 'a string'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
])

function explain(error: SchemaError, errors: SchemaError[]): string {
  if (error.keyword === 'type') return `must be ${typeNames.get(String(error.params.type)) ?? error.params.type}`
  if (error.keyword === 'enum') return oneOf(error.params.allowedValues)
  if (error.keyword === 'maxLength') return `is too long (limit: ${error.params.limit} characters)`
  if (error.keyword === 'const') return oneOf(errors.flatMap((other) => constantAt(error.instancePath, other)))
  return error.message
}

function constantAt(path: string, error: SchemaError): unknown[] {
  return error.keyword === 'const' && error.instancePath === path ? [error.params.allowedValue] : []
}

function oneOf(values: unknown[]): string {
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
}
