import type { Method, Operation } from '@parley/api/operation'
import { operationList } from '@parley/api/operations'
import fc from 'fast-check'
import { type Encoding, encodings, multipart } from '../samples.ts'

/** A request that no sane client would send. */
export interface HostileValue {
  name: string
  method: Method
  url: string
  headers: Record<string, string>
  payload: string | Buffer | undefined
}

type Schema = Record<string, unknown>

/** Text that has broken servers elsewhere. */
const nasty = [
  ...['', ' ', '\0', 'a\0b', '"\\u0000"', '"\\ud800"', '{"a":"\\udfff"}', '\ud800', '\u202e', '\ufeff', '\r\n'],
  ...['null', 'true', '[]', '{}', '[[]]', '[null]', '[{}]', '{"__proto__":{"x":1}}', '"', '[1,', '{"a"', 'undefined'],
  ...['0', '-1', '1.5', '1e999', '-0', 'NaN', 'Infinity', '9007199254740993', '9'.repeat(400), `-${'9'.repeat(20)}`],
  ...['99999999999999999999', '2147483648', '[9223372036854775808]', '[-1]', '0x10', '٣'],
  ...["'; drop table users; --", '%s%n', '../../etc/passwd', '<script>', '{{7*7}}', '@**all**', '* '.repeat(500)],
  ...[
    '['.repeat(5000),
    '{"a":'.repeat(3000),
    `${'['.repeat(19)}${']'.repeat(19)}`,
    'x'.repeat(50_000),
    '😀'.repeat(9000),
  ],
]

const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...nasty) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
)

/** A value of the declared type, so that the code behind the first check is reached too. */
function plausible({ type, enum: choices, anyOf, items }: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(choices)) return fc.constantFrom(...choices)
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one) => plausible(one as Schema)))
  if (type === 'array') return fc.array(plausible(items as Schema), { maxLength: 4 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.oneof(fc.integer({ min: 1, max: 30 }), fc.maxSafeInteger())
  if (type === 'string') return fc.oneof(fc.constantFrom('general', 'general chat', '#', 'a'), fc.string())
  return fc.object({ maxDepth: 1, maxKeys: 3 })
}

const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function fieldsFor({ params }: Operation): fc.Arbitrary<[string, string][]> {
  const declared = Object.entries(params).map(([name, schema]) => fieldFor(name, schema as Schema))
  const unknown = fc.tuple(fc.constantFrom('__proto__', 'constructor', 'toString', 'client', '', 'a[b]', 'é'), anyText)
  const extra = fc.array(unknown, { maxLength: 2 })
  return fc.tuple(fc.tuple(...declared), extra).map(([fields, more]) => [...fields.flat(), ...more])
}

/** Mostly once, sometimes twice, sometimes not at all; sometimes under its alias. */
function fieldFor(name: string, schema: Schema): fc.Arbitrary<[string, string][]> {
  const names = fc.constantFrom(name, name, name, (schema['x-alias'] as string | undefined) ?? name)
  const value = fc.oneof({ weight: 3, arbitrary: plausible(schema).map(asText) }, { weight: 1, arbitrary: anyText })
  const count = 'default' in schema || schema['~optional'] ? { maxLength: 1 } : { minLength: 0, maxLength: 2 }
  return fc.array(fc.tuple(names, value), count)
}

/** Percent-encoding for lone surrogates, as bytes that are invalid UTF-8. */
function escapeText(text: string): string {
  return encodeURIComponent(text.toWellFormed()) + (text.isWellFormed() ? '' : '%ED%A0%80')
}

const formOf = (fields: [string, string][]) =>
  fields.map(([name, value]) => `${escapeText(name)}=${escapeText(value)}`).join('&')

const brokenForms = ['%', '%zz', '%E0%A4', '%FF=%FF', '&&&=&', '=', 'a=%00', '\0', '[]=1']
const brokenTypes = [
  '',
  'text/plain',
  'application/json; charset=x',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  '💥',
  'a/b/c',
]
const brokenCredentials = [
  '',
  'Basic',
  'Basic !',
  'Basic Og==',
  'Basic AAAA',
  'Bearer x',
  'basic a b c',
  `Basic ${'A'.repeat(9000)}`,
]

function pathFor({ path, pathParams }: Operation): fc.Arbitrary<string> {
  const parts = Object.keys(pathParams)
  const value = fc.oneof(
    fc.constantFrom(
      '1',
      '0',
      '-1',
      '999999999999999',
      '9'.repeat(30),
      'x',
      '%',
      '%00',
      '%ED%A0%80',
      '..',
      '%2e%2e',
      '%2F',
    ),
    fc.string({ minLength: 1, maxLength: 600 }).map(escapeText),
    fc.integer({ min: 1, max: 40 }).map(String),
  )
  return fc.tuple(...parts.map(() => value)).map((values) => path.replace(/\{\w+\}/g, () => values.shift()!))
}

interface Body {
  query: string
  headers: Record<string, string>
  payload?: string | Buffer
}

function bodyFor(fields: [string, string][], encoding: Encoding): Body {
  switch (encoding) {
    case 'query':
      return { query: formOf(fields), headers: {} }
    case 'form':
      return { query: '', headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: formOf(fields) }
    case 'json':
      return { query: '', headers: { 'content-type': 'application/json' }, payload: jsonOf(fields) }
    case 'multipart':
      return {
        query: '',
        headers: { 'content-type': 'multipart/form-data; boundary=parley-test-boundary' },
        payload: multipart(fields.map(([name, value]) => [name.replace(/["\r\n]/g, ''), value])),
      }
  }
}

const jsonOf = (fields: [string, string][]) => JSON.stringify(Object.fromEntries(fields))

const brokenBody: fc.Arbitrary<Body> = fc.oneof(
  fc.constantFrom(...brokenForms).map((query) => ({ query, headers: {} })),
  fc.record({
    query: fc.constant(''),
    headers: fc.constantFrom(...brokenTypes).map((type) => ({ 'content-type': type })),
    payload: fc.constantFrom(...brokenForms, ...nasty),
  }),
  fc.record({
    query: fc.constant(''),
    headers: fc
      .constantFrom(
        'application/x-www-form-urlencoded',
        'application/json',
        'multipart/form-data; boundary=parley-test-boundary',
      )
      .map((type) => ({ 'content-type': type })),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...brokenForms, ...nasty, '--parley-test-boundary', '--parley-test-boundary\r\n\r\n'),
    ),
  }),
)

function bodiesFor(operation: Operation): fc.Arbitrary<Body> {
  const decent = fc
    .tuple(fieldsFor(operation), fc.constantFrom(...encodings))
    .map(([fields, encoding]) => bodyFor(fields, operation.method === 'GET' ? 'query' : encoding))
  return fc.oneof({ weight: 5, arbitrary: decent }, { weight: 1, arbitrary: brokenBody })
}

const credentials = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...brokenCredentials) },
)

export function hostileValuesFor(operation: Operation): fc.Arbitrary<HostileValue> {
  return fc.tuple(pathFor(operation), bodiesFor(operation), credentials).map(([path, body, authorization]) => ({
    name: operation.name,
    method: operation.method,
    url: `/api/v1${path}${body.query ? `?${body.query}` : ''}`,
    headers: { ...body.headers, ...(authorization !== undefined && { authorization }) },
    payload: operation.method === 'GET' ? undefined : body.payload,
  }))
}

export const hostileValues: fc.Arbitrary<HostileValue> = fc.constantFrom(...operationList).chain(hostileValuesFor)
