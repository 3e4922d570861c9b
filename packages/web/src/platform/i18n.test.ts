import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { matchLanguage } from '@parley/api/match-language'
import { parseMessage, valuesOf } from '../../message-format.ts'
import { list, rich, setTexts, t } from './i18n.ts'

// With a hook, the file runs in a process of its own, so that other files do not get these texts.
after(() => setTexts({ locale: 'en', messages: {} }))

/** What a message says in a language. */
function say(source: string, values: object = {}, locale = 'en'): string {
  setTexts({ locale, messages: { one: parseMessage(source) } })
  const anyText = t as unknown as (id: string, values: object) => string
  return anyText('one', values)
}

test('values stand in their places', () => {
  assert.equal(say('{b} before {a}', { a: 'A', b: 'B' }), 'B before A')
})

test('the language decides which plural is used', () => {
  const files = '{count, plural, =0 {no files} one {# file} other {# files}}'
  assert.deepEqual(
    [0, 1, 2].map((count) => say(files, { count })),
    ['no files', '1 file', '2 files'],
  )
  assert.equal(say('{count, plural, one {#} few {# few} other {#}}', { count: 3 }, 'pl'), '3 few')
})

test('numbers are written as in the language', () => {
  assert.equal(say('{count, number}', { count: 12345 }, 'de'), '12.345')
})

test('options are chosen by value, otherwise the last one', () => {
  const text = '{kind, select, cat {Meow} other {Hello, {name}}}'
  assert.deepEqual([say(text, { kind: 'cat' }), say(text, { kind: 'dog', name: 'Rex' })], ['Meow', 'Hello, Rex'])
})

test('apostrophes quote braces, and two of them are one', () => {
  assert.equal(say("It''s '{quoted}' isn't it"), "It's {quoted} isn't it")
})

test('tags become elements', () => {
  setTexts({ locale: 'en', messages: { one: parseMessage('Read <b>{what}</b> now') } })
  const anyRich = rich as unknown as (id: string, values: object) => unknown
  const node = anyRich('one', { what: 'this', b: (text: unknown) => ['B', text] }) as {
    props: { children: [string, [string, { props: { children: string } }], string] }
  }
  const [before, [tag, inner], after] = node.props.children
  assert.deepEqual([before, tag, inner.props.children, after], ['Read ', 'B', 'this', ' now'])
})

test('lists are joined as in the language', () => {
  setTexts({ locale: 'de', messages: {} })
  assert.equal(list(['Ann', 'Ben', 'Cho']), 'Ann, Ben und Cho')
})

test('messages with mistakes are refused, with the place', () => {
  for (const wrong of ['{name', '{n, plural, one {#}}', '<b>x', 'x}', '{a, date}', '</b>'])
    assert.throws(() => parseMessage(wrong), /at character \d+ of/)
})

test('values are known by name and kind', () => {
  const message = parseMessage('<b>{who}</b> has {n, plural, one {# file in {place}} other {# files}}')
  assert.deepEqual(Object.fromEntries(valuesOf(message)), { b: 'tag', who: 'text', n: 'number', place: 'text' })
})

test('the first language that exists is used, also in another variant', () => {
  const matches = [['de-AT', 'en'], ['fr', 'de'], ['EN-gb'], ['', 'fr'], []].map((tags) =>
    matchLanguage(tags, ['de', 'en']),
  )
  assert.deepEqual(matches, ['de', 'de', 'en', 'en', 'en'])
})
