import assert from 'node:assert/strict'
import { test } from 'node:test'
import { garden, html } from './testing.ts'

// Each pattern is repeated to the length of the longest message.
const patterns = [
  '*',
  '*a',
  '**a',
  '[',
  '[a](',
  '(',
  '`',
  '` `` ',
  '>',
  '> ',
  '>\n',
  '# a\n',
  '- ',
  '* a\n\n',
  '```quote\n',
]
const others = [
  '$$a',
  'a.',
  'a@',
  ',http://a/(',
  ':a',
  '&a',
  '<time:',
  '@**a',
  '#**a>',
  '|',
  '~~a',
  '\n',
  '中',
  '😀',
  '👨‍',
  '\\',
]
const length = 10_000

for (const pattern of [...patterns, ...others]) {
  test(`a message full of ${JSON.stringify(pattern)} is rendered at once`, () => {
    const text = pattern.repeat(Math.floor(length / pattern.length)).slice(0, -1)
    const start = process.cpuUsage()
    html(`${text}x`, { ...garden, translateEmoticons: true })
    assert.ok(process.cpuUsage(start).user < 1_000_000)
  })
}

test('lists and quotes inside each other are rendered only so deep', () => {
  assert.ok(html(`${'- '.repeat(4999)}x`).length < 10_000 * 100)
  assert.ok(html(`${'> * '.repeat(2499)}x`).length < 10_000 * 100)
})
