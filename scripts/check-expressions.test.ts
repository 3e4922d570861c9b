import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSlowExpressions } from './check-expressions.ts'

const problemsIn = (code: string) => findSlowExpressions('sample.ts', code)

const slow = {
  'a repetition that begins at every place': String.raw`/\s*[\r\n]+\s*/g`,
  'a repetition before an end that is not there': String.raw`/\s+$/`,
  'an end that matches nothing': String.raw`/\s*$/`,
  'a start without an end': '/<[^>]*>/',
  'a start without an end, with word boundaries': String.raw`/<[^>]*\b(One|Two)\b[^>]*>/g`,
  'a lazy search for an end': '/a.*?b/s',
  'two repetitions of the same characters': '/^a*a*$/',
  'loops inside of loops': '/^(?:[a-z-]+: ?[-a-z0-9.% #]+;?)+$/',
  'alternatives that read the same': '/^(?:a|a)*$/',
  'an attempt that goes on after a match': '/a(?:.*b)?/g',
  'a lookahead that reads to the end': '/a(?=.*b)/s',
  'a repetition with a large maximum': '/^a{0,5000}a{0,5000}$/',
  'a backreference': String.raw`/^(a*)\1$/`,
}
for (const [name, expression] of Object.entries(slow))
  test(`${name} is reported`, () => {
    assert.match(
      problemsIn(`const one = 1\nexport const found = ${expression}`)[0] ?? '',
      /^sample\.ts:2 .* linear time/,
    )
  })

const linear = [
  String.raw`/^\s+/`,
  String.raw`/\s+/g`,
  '/<[^<>]*>/g',
  String.raw`/(?<!\/)\/+$/`,
  String.raw`/^ ?(\d+)\. +(?! )(.*)$/`,
  '/"[^"]*"/y',
  '/(?:a|b|ab)*/',
  String.raw`/^(?:https?:|\/)[^?#]*\.(?:mp3|wav)(?:[?#]|$)/i`,
  String.raw`/:([\p{L}\p{N}_+-]+):/gu`,
  '/[^\\n]{500}/',
]
for (const expression of linear)
  test(`${expression} is linear`, () => assert.deepEqual(problemsIn(`export const found = ${expression}`), []))

test('expressions that are built from texts are judged as well', () => {
  const parts = "const space = '\\\\s*'\nconst part = /[a-z]/.source"
  const built = (template: string) => `${parts}\nexport const read = (name: string) => new RegExp(\`${template}\`)`
  assert.match(problemsIn(built(`\${space}\${part}$`))[0] ?? '', /^sample\.ts:3 .* linear time/)
  assert.equal(problemsIn(built(`<\${name}>(.*)</\${name}>`)).length, 1)
  assert.equal(problemsIn(built(`^\${name}$`)).length, 0)
  assert.match(problemsIn(built('').replace('``', 'name'))[0] ?? '', /use re2js/)
})

test('an exception needs a reason beside it', () => {
  assert.deepEqual(problemsIn('// Not linear: only for our own file names.\nexport const found = /a*b/'), [])
  assert.equal(problemsIn('// Not linear:\nexport const found = /a*b/').length, 1)
})
