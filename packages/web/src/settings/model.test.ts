import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '@parley/api/scopes'
import { userSettings } from '@parley/api/settings'
import { dropdownOptions, matching, noticeRows, passwordProblem, scopeTexts, visiblePages } from './model.ts'

const pages = [
  { hash: '#settings/profile', title: 'profile.title', icon: 'hash', finds: 'profile.finds' },
  { hash: '#organization/jobs', title: 'jobs.title', icon: 'hash', finds: 'jobs.finds', leastRole: 200 },
] as const

test('members do not see the pages of administrators', () => {
  assert.deepEqual(
    visiblePages(pages, 400, '').map(({ title }) => title),
    ['profile.title'],
  )
  assert.deepEqual(
    visiblePages(pages, 200, '').map(({ title }) => title),
    ['profile.title', 'jobs.title'],
  )
})

test('a page is found by the name of a setting on it', () => {
  assert.deepEqual(
    visiblePages(pages, 200, 'avat').map(({ title }) => title),
    ['profile.title'],
  )
  assert.deepEqual(visiblePages(pages, 400, 'failed'), [])
})

test('matches that start with the query come first', () => {
  const found = matching([{ label: 'Joanna' }, { label: 'Anna' }, { label: 'Ben' }], 'ann')
  assert.deepEqual(
    found.map(({ label }) => label),
    ['Anna', 'Joanna'],
  )
})

test('what is typed without accents finds words with them', () => {
  assert.equal(matching([{ label: 'Clé d’accès' }, { label: 'Sesión' }], 'cle').length, 1)
  assert.equal(matching([{ label: 'cle' }], 'clé').length, 1)
})

test('each cell of the notification matrix is a boolean setting of its own', () => {
  const names = noticeRows.flatMap(({ settings }) => settings)
  assert.equal(new Set(names).size, noticeRows.length * 4)
  for (const name of names)
    assert.equal(typeof userSettings[name as keyof typeof userSettings].default, 'boolean', name)
})

test('every scope of tokens can be chosen', () => {
  assert.deepEqual(
    scopeTexts.map(([scope]) => scope),
    [...scopes],
  )
})

test('a password is refused if it is short or repeated differently', () => {
  assert.match(passwordProblem('short', 'short', 6) ?? '', /at least 6/)
  assert.match(passwordProblem('long enough', 'long enougH', 6) ?? '', /different/)
  assert.equal(passwordProblem('long enough', 'long enough', 6), undefined)
})

test('the options of a dropdown field come in their order', () => {
  const data = JSON.stringify({ 0: { text: 'Second', order: '2' }, 1: { text: 'First', order: '1' } })
  assert.deepEqual(dropdownOptions(data), [
    ['1', 'First'],
    ['0', 'Second'],
  ])
  assert.deepEqual(dropdownOptions('not JSON'), [])
})
