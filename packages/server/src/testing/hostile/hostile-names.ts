import assert from 'node:assert/strict'
import type { Operation } from '@parley/api/operation'

type Values = Record<string, unknown>
type Schema = Record<string, unknown>

/** Names with a special meaning for JavaScript, PostgreSQL or terminals. */
export const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'isPrototypeOf',
  'length',
  'name',
  'then',
  'toJSON',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202eevil\u202c',
  '\u200f',
  '\ufeff',
  '\r\nX-Injected: 1',
  '$where',
  '%00',
]

/** Names that are looked up, not only stored: these are tried in every position. */
export const lookedUp = hostileNames.slice(0, 6)

/** The request with one string replaced, by the position of the string. */
export interface Hostile {
  position: string
  path: Values
  params: Values
}

/**
 * One request for each position of a string in the request: path parts, values, list elements, keys and values of
 * objects; also positions that the sample omits, as far as the schema shows them.
 */
export function hostileRequests(
  { pathParams, params: schemas }: Operation,
  sample: Pick<Hostile, 'path' | 'params'>,
  text: string,
): Hostile[] {
  const { path, params } = sample
  const inPath = Object.entries(pathParams)
    .filter(([, schema]) => (schema as Schema).type === 'string')
    .map(([part]) => ({ position: `path ${part}`, path: { ...path, [part]: text }, params }))
  const inParams = Object.entries(schemas).flatMap(([param, schema]) =>
    [...textsIn(params[param], text), ...textsOf(schema as Schema, text)].map(([position, value]) => ({
      position: `${param}${position}`,
      path,
      params: { ...params, [param]: value },
    })),
  )
  const unknown = { position: 'an unknown parameter', path, params: { ...params, ...ownKey(text, 'x') } }
  return dedupe([...inPath, ...inParams, unknown])
}

type Placed = [position: string, value: unknown]

/** The given value, with each of its strings and keys replaced in turn. */
function textsIn(value: unknown, text: string): Placed[] {
  if (typeof value === 'string') return [['', text], ...textsInJson(value, text)]
  if (Array.isArray(value)) {
    const inside = value.flatMap((one, index) =>
      textsIn(one, text).map(([position, other]): Placed => [`[${index}]${position}`, value.with(index, other)]),
    )
    return [...inside, ['[+]', [...value, text]]]
  }
  if (value === null || typeof value !== 'object') return []
  const inside = Object.entries(value).flatMap(([key, one]) =>
    textsIn(one, text).map(([position, other]): Placed => [`.${key}${position}`, { ...value, [key]: other }]),
  )
  return [...inside, ['{+}', { ...value, ...ownKey(text, 'x') }]]
}

/** A string that contains JSON, such as the content of a widget. */
function textsInJson(value: string, text: string): Placed[] {
  if (!value.startsWith('{')) return []
  const inside = textsIn(JSON.parse(value), text)
  return inside.map(([position, other]): Placed => [`, in JSON ${position}`, JSON.stringify(other)])
}

/** Values generated from the schema alone. */
function textsOf(schema: Schema, text: string): Placed[] {
  const { type, anyOf, items, properties, patternProperties, enum: choices } = schema
  if (Array.isArray(anyOf)) return anyOf.flatMap((one) => textsOf(one as Schema, text))
  if (type === 'array' && items) return listsOf(items as Schema | Schema[], text)
  if (type === 'object') {
    const others = Object.fromEntries(((schema.required ?? []) as string[]).map((key) => [key, 'x']))
    const named = Object.entries((properties ?? {}) as Record<string, Schema>).flatMap(([key, one]) =>
      textsOf(one, text).map(([position, value]): Placed => [`.${key}${position}`, { ...others, [key]: value }]),
    )
    const nested: Placed[] = patternProperties ? [['{key}', ownKey(text, text)]] : []
    return [...named, ...nested, ['{+}', ownKey(text, text)]]
  }
  return type === 'string' || Array.isArray(choices) || type === undefined ? [['', text]] : []
}

/** A list with one such element; for a tuple, with the string at each position. */
function listsOf(items: Schema | Schema[], text: string): Placed[] {
  if (!Array.isArray(items)) return textsOf(items, text).map(([position, value]): Placed => [`[]${position}`, [value]])
  return items.map((_, index): Placed => [`[${index}]`, items.map((_one, other) => (other === index ? text : 'x'))])
}

/** An own property even if its name is `__proto__`. */
function ownKey(key: string, value: unknown): Values {
  return Object.defineProperty({}, key, { value, enumerable: true, configurable: true, writable: true }) as Values
}

function dedupe(requests: Hostile[]): Hostile[] {
  const seen = new Set<string>()
  return requests.filter(({ path, params }) => {
    const key = JSON.stringify([path, params])
    return !seen.has(key) && seen.add(key)
  })
}

/** Signs that a name was looked up in a JavaScript object. */
const traces = /\[native code\]|\[object |function \w*\(|=> \{/

interface Response {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}

/** Asserts a regular response, without headers that the caller chose. */
export function assertHarmless({ statusCode, headers, body }: Response, what: string): void {
  assert.ok(statusCode < 500, what)
  assert.doesNotMatch(body, traces, what)
  assert.equal(headers['x-injected'], undefined, what)
  assert.equal(typeof (JSON.parse(body) as { result: unknown }).result, 'string', what)
}
