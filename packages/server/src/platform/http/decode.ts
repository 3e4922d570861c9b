import { emptyTopicDisplayName } from '@parley/api/common'
import { lookup } from '@parley/api/lookup'
import type { Operation } from '@parley/api/operation'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError } from './api-error.ts'
import { nullFields, type RawParams } from './body.ts'
import { invalidValue } from './invalid-value.ts'
import { checkJsonShape } from './json-shape.ts'

type AnnotatedSchema = TSchema & Record<string, unknown>

/** How the text of a parameter becomes its value. */
type Form = 'text' | 'json' | 'either'

interface Parameter {
  name: string
  alias: string | undefined
  form: Form
  required: boolean
  nullable: boolean
  fallback: unknown
  isTopic: boolean
  onlyFor: { name: string; values: unknown[] } | undefined
  /** Whether the schema contains numbers that may have a fraction. */
  fractions: boolean
  schema: TSchema
  check: ReturnType<typeof Compile>
}

export interface Decoded {
  params: Record<string, unknown>
  ignored: string[]
}

/** Prepares the decoder of one operation: body before query, strict types, aliases, list of unknown parameters. */
export function decoderOf(operation: Operation) {
  const parameters = Object.entries(operation.params).map(([name, schema]) =>
    parameterOf(name, schema as AnnotatedSchema),
  )
  const known = new Set(['client', ...parameters.flatMap(({ name, alias }) => (alias ? [name, alias] : [name]))])

  return (body: RawParams | undefined, query: RawParams): Decoded => {
    const values = new Map<string, unknown>()
    for (const parameter of parameters) {
      if (!applies(parameter, values)) continue
      const text = textOf(parameter, body, query)
      refuseNull(parameter, body)
      const value = text === undefined ? absent(parameter) : decodedValue(parameter, text)
      if (value !== undefined) values.set(parameter.name, value)
    }
    return { params: Object.fromEntries(values), ignored: unknownNames(known, body, query) }
  }
}

function parameterOf(name: string, schema: AnnotatedSchema): Parameter {
  return {
    name,
    alias: schema['x-alias'] as string | undefined,
    form: schema['x-json-or-text'] ? 'either' : isText(schema) ? 'text' : 'json',
    required: !('default' in schema) && schema['~optional'] !== true,
    nullable: Compile(schema).Check(null),
    fallback: schema.default,
    isTopic: schema['x-topic'] === true,
    onlyFor: schema['x-only-for'] as Parameter['onlyFor'],
    fractions: JSON.stringify(schema).includes('"type":"number"'),
    schema,
    check: Compile(schema),
  }
}

function applies({ onlyFor }: Parameter, values: Map<string, unknown>): boolean {
  return onlyFor === undefined || onlyFor.values.includes(values.get(onlyFor.name))
}

/** Strings and enums of strings are sent as bare text; everything else as JSON. */
function isText(schema: AnnotatedSchema): boolean {
  if (schema.type === 'string') return true
  return Array.isArray(schema.enum) && schema.enum.every((choice) => typeof choice === 'string')
}

function textOf({ name, alias }: Parameter, body: RawParams = {}, query: RawParams): string | undefined {
  const text = lookup(body, name) ?? lookup(query, name)
  if (alias === undefined) return text
  const other = lookup(body, alias) ?? lookup(query, alias)
  if (text !== undefined && other !== undefined)
    throw new ApiError(`Can't decide between '${name}' and '${alias}' arguments`, 'REQUEST_CONFUSING_VAR', {
      fields: { var_name1: name, var_name2: alias },
    })
  return text ?? other
}

/** In a form, `null` may be a topic or a name. In a JSON body, null is a value of the wrong type. */
function refuseNull({ name, alias = name, form, nullable }: Parameter, body: RawParams = {}): void {
  const isNull = body[nullFields]?.some((field) => field === name || field === alias)
  if (isNull && form !== 'json' && !nullable) throw new ApiError(`${name} must not be null`)
}

function absent({ name, required, fallback }: Parameter): unknown {
  if (required)
    throw new ApiError(`Missing '${name}' argument`, 'REQUEST_VARIABLE_MISSING', { fields: { var_name: name } })
  return fallback
}

function decodedValue(parameter: Parameter, text: string): unknown {
  refuseBrokenText(parameter.name, text)
  if (parameter.nullable && text === '') return null
  const value = checkedValue(parameter, parameter.form === 'text' ? text : parseJson(parameter, text), text)
  if (parameter.isTopic && value === emptyTopicDisplayName) return ''
  return value
}

function checkedValue(parameter: Parameter, value: unknown, text: string): unknown {
  if (parameter.check.Check(value)) return value
  // `to=null` may be a channel of that name; a list with an invalid element is always an error.
  if (parameter.form === 'either' && !isCompound(value) && parameter.check.Check(text)) return text
  throw invalidValue(parameter.name, parameter.schema, value)
}

function isCompound(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** PostgreSQL stores neither NUL nor lone surrogates. */
export function refuseBrokenText(name: string, text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw new ApiError(`${name} contains invalid characters`)
}

/** What JSON can begin with. Names rarely do, and a failed parse is expensive. */
const jsonStart = /^\s*[[{"\-\dtfn]/

/** A broken list, object or string. Anything else, such as `abc` for a number, is a value of the wrong type. */
const compoundStart = /^\s*[[{"]/

/** Most numbers must be integers. JSON.parse alone cannot tell `1.0` from `1`. */
const hasFraction = /\d[.eE]/

function onlyIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && !/^-?\d+$/.test(context!.source!) ? Number.NaN : value
}

function parseJson(parameter: Parameter, text: string): unknown {
  const { name, form, fractions } = parameter
  if (form === 'either' && !jsonStart.test(text)) return text
  if (text.length > 40) checkJsonShape(name, text)
  try {
    const value = JSON.parse(text, !fractions && hasFraction.test(text) ? onlyIntegers : undefined)
    refuseBrokenValues(name, text, value)
    return value
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (form === 'either') return text
    if (!compoundStart.test(text) && !parameter.check.Check(text)) throw invalidValue(name, parameter.schema, text)
    throw new ApiError(`${name} is not valid JSON`)
  }
}

/** JSON escapes can hide `\u0000` and lone surrogates. */
function refuseBrokenValues(name: string, text: string, value: unknown): void {
  if (!text.includes('\\u')) return
  JSON.stringify(value, (key, inner) => {
    refuseBrokenText(name, key)
    if (typeof inner === 'string') refuseBrokenText(name, inner)
    return inner
  })
}

/** Listed in the response, so a long name is cut. */
const longestListedName = 100

function unknownNames(known: Set<string>, body: RawParams | undefined, query: RawParams): string[] {
  const ignored = new Set<string>()
  for (const fields of [body, query])
    for (const name in fields) if (!known.has(name)) ignored.add(name.slice(0, longestListedName))
  return [...ignored].sort()
}
