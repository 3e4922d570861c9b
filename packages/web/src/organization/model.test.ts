import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropdownData, emailsIn, limitValue, mayManage, movedUp, rolesFor, tryLinkifier } from './model.ts'

test('only owners make owners and manage them', () => {
  assert.ok(rolesFor(100).some(([role]) => role === 100))
  assert.ok(!rolesFor(200).some(([role]) => role === 100))
  assert.deepEqual(
    [mayManage(100, 100), mayManage(200, 100), mayManage(200, 200), mayManage(300, 600)],
    [true, false, true, false],
  )
})

test('emails are read from lines, commas and spaces, each once', () => {
  assert.deepEqual(emailsIn('a@x.org, b@x.org\n a@x.org;c@x.org '), ['a@x.org', 'b@x.org', 'c@x.org'])
})

test('a linkifier is tried with named groups of either spelling', () => {
  assert.deepEqual(tryLinkifier('#(?P<id>[0-9]+)', 'https://x.org/{id}', 'see #12 and #7'), {
    matches: [
      { text: '#12', url: 'https://x.org/12' },
      { text: '#7', url: 'https://x.org/7' },
    ],
  })
})

test('a broken pattern is reported, and an empty match is no link', () => {
  assert.ok('problem' in tryLinkifier('(', '', 'text'))
  assert.deepEqual(tryLinkifier('x*', 'https://x.org', 'abc'), { matches: [] })
})

test('values of groups are encoded in the URL', () => {
  assert.deepEqual(tryLinkifier('q:(?<q>.+)', 'https://x.org/?q={q}', 'q:a&b'), {
    matches: [{ text: 'q:a&b', url: 'https://x.org/?q=a%26b' }],
  })
})

test('lists, limits and options take the shape of the API', () => {
  assert.deepEqual(movedUp([1, 2, 3], 2), [1, 3, 2])
  assert.deepEqual([limitValue(null), limitValue(600)], ['unlimited', 600])
  assert.deepEqual(dropdownData('Red\n\n Blue '), { 0: { text: 'Red', order: '1' }, 1: { text: 'Blue', order: '2' } })
})
