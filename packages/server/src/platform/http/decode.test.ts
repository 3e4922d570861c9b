import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonOrText, onlyFor, operation, topicText, withAlias, withDefault } from '@parley/api/operation'
import { Type } from 'typebox'
import { ApiError } from './api-error.ts'
import { parseForm } from './body.ts'
import { decoderOf } from './decode.ts'
import { invalidValue } from './invalid-value.ts'

const declared = operation({
  name: 'example',
  method: 'POST',
  path: '/example',
  access: 'user',
  tag: 'Example',
  summary: 'An example.',
  params: {
    to: Type.Optional(jsonOrText(Type.Union([Type.Integer(), Type.String(), Type.Array(Type.Integer())]))),
    topic: Type.Optional(withAlias(topicText(), 'subject')),
    count: withDefault(Type.Integer({ minimum: 0 }), 3),
    list: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
    choice: Type.Optional(Type.Enum(['a', 'b'])),
    times: Type.Optional(Type.Array(Type.Number())),
    ids: Type.Optional(onlyFor(Type.Array(Type.Integer()), 'choice', ['a'])),
    change: Type.Optional(Type.Union([Type.Integer(), Type.Object({ new: Type.Integer() })])),
    maybe: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  },
})
const decode = decoderOf(declared)
const from = (body: string, query = '') => decode(parseForm(body), parseForm(query))
const decoded = (name: string, text: string) => from(`${name}=${encodeURIComponent(text)}`).params[name]

function refusal(body: string): ApiError {
  try {
    from(body)
  } catch (error) {
    return error as ApiError
  }
  return assert.fail(`${body} was accepted`)
}

test('a parameter that may be text or JSON is read as JSON if that matches the schema, otherwise as text', () => {
  assert.equal(decoded('to', '7'), 7)
  assert.equal(decoded('to', '"7"'), '7')
  assert.equal(decoded('to', 'general'), 'general')
  assert.equal(decoded('to', 'null'), 'null')
  assert.equal(decoded('to', 'true'), 'true')
  assert.equal(decoded('to', '7 wonders'), '7 wonders')
  assert.equal(decoded('to', '[broken'), '[broken')
  assert.deepEqual(decoded('to', '[7,8]'), [7, 8])
})

test('a parameter that does not apply is not parsed', () => {
  assert.deepEqual(from('choice=b&ids=nonsense'), { params: { count: 3, choice: 'b' }, ignored: [] })
  assert.equal(refusal('choice=a&ids=nonsense').code, 'BAD_REQUEST')
})

test('a list with an invalid element is an error, not a name', () => {
  assert.equal(refusal('to=[7,null]').code, 'BAD_REQUEST')
})

test('a number with a fraction or an exponent is not an integer', () => {
  for (const text of ['1.0', '1e2', '1E2', '10e-1']) assert.equal(refusal(`count=${text}`).code, 'BAD_REQUEST')
  assert.equal(refusal('to=[1.0]').code, 'BAD_REQUEST')
  assert.equal(decoded('to', '1.0'), '1.0')
  assert.deepEqual(decoded('list', '[{"name":"1.5e3"}]'), [{ name: '1.5e3' }])
})

test('a number may have a fraction where the schema allows it', () => {
  assert.deepEqual(decoded('times', '[1.5,2.0,3]'), [1.5, 2, 3])
})

test('a default replaces a missing value, not an invalid one', () => {
  assert.equal(from('').params.count, 3)
  assert.equal(refusal('count=').code, 'BAD_REQUEST')
})

test('null is accepted only where the schema allows it', () => {
  assert.equal(decoded('maybe', 'null'), null)
  assert.equal(refusal('count=null').code, 'BAD_REQUEST')
})

test('the alias of a parameter is read, and both names at once are refused', () => {
  assert.equal(from('subject=castle').params.topic, 'castle')
  const error = refusal('topic=a&subject=b')
  assert.equal(error.code, 'REQUEST_CONFUSING_VAR')
  assert.deepEqual(error.fields, { var_name1: 'topic', var_name2: 'subject' })
})

test('text that PostgreSQL cannot store is refused at any depth', () => {
  for (const text of ['a\0b', '\ud800']) {
    assert.throws(() => decode({ topic: text }, {}), { code: 'BAD_REQUEST' })
  }
  assert.equal(refusal(`list=${encodeURIComponent('[{"name":"\\u0000"}]')}`).code, 'BAD_REQUEST')
  assert.equal(refusal(`list=${encodeURIComponent('[{"name":"\\udc00"}]')}`).code, 'BAD_REQUEST')
  assert.equal(refusal(`to=${encodeURIComponent('"\\ud83d"')}`).code, 'BAD_REQUEST')
  assert.equal(decoded('to', '"\\ud83d\\ude00"'), '😀')
})

test('JSON may be nested twenty levels deep and no deeper', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${' '.repeat(40)}${']'.repeat(depth)}`
  assert.match(refusal(`list=${nested(20)}`).message, /^list\[0\]/)
  assert.match(refusal(`list=${nested(21)}`).message, /nested too deeply/)
})

test('a list that is too long is refused without a look at its elements', () => {
  const list = Array.from({ length: 11 }, (_, n) => n)
  Object.defineProperty(list, 0, { get: () => assert.fail('looked at an element') })
  const schema = Type.Union([Type.String(), Type.Array(Type.Integer(), { maxItems: 10 })])
  assert.equal(invalidValue('to', schema, list).message, 'to must not have more than 10 items')
  const inside = Type.Object({ ids: schema })
  assert.equal(invalidValue('to', inside, { ids: list }).message, 'to.ids must not have more than 10 items')
})

test('an error quotes at most a thousand characters', () => {
  const error = new ApiError('x'.repeat(5000), 'BAD_REQUEST', { fields: { list: Array(500).fill('y'.repeat(5000)) } })
  assert.equal(error.message.length, 1001)
  const list = error.body().list as string[]
  assert.deepEqual([list.length, list[0]!.length], [100, 1001])
})

test('long names of unknown parameters are cut in the list', () => {
  assert.deepEqual(from(`${'x'.repeat(5000)}=1`).ignored, ['x'.repeat(100)])
})

test('names of built-in object properties are ordinary parameter names', () => {
  assert.deepEqual(from('constructor=1&__proto__=2&toString=3').ignored, ['__proto__', 'constructor', 'toString'])
})

test('unknown parameters are listed once and sorted, and never include `client`', () => {
  assert.deepEqual(from('z=1&b=2&client=x', 'b=1&a=3').ignored, ['a', 'b', 'z'])
})

test('an error says what the value must be', () => {
  assert.equal(refusal('count=abc').message, 'count must be an integer')
  assert.equal(refusal('count="5"').message, 'count must be an integer')
  assert.equal(refusal('choice=c').message, 'choice must be one of a, b')
  assert.equal(refusal('change={}').message, 'change must have the key new')
  assert.equal(refusal('change={"new":"x"}').message, 'change.new must be an integer')
  assert.equal(refusal('list=[{}]').message, 'list[0] must have the key name')
  assert.equal(refusal('list=[{').message, 'list is not valid JSON')
})
