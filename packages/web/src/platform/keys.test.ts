import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandsOf, keyLabel, keyName, keyTable } from './keys.ts'

const plain = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false }
const name = (key: string, code: string, held: object = {}) => keyName({ ...plain, key, code, ...held })

test('letters, signs and modifiers are named as in the table', () => {
  assert.equal(name('j', 'KeyJ'), 'j')
  assert.equal(name('I', 'KeyI', { shiftKey: true }), 'Shift+i')
  assert.equal(name('?', 'Slash', { shiftKey: true }), '?')
  assert.equal(name('k', 'KeyK', { metaKey: true }), 'Ctrl+k')
  assert.equal(name('ArrowDown', 'ArrowDown'), 'ArrowDown')
})

test('on a keyboard without Latin letters, the place of a key decides', () => {
  assert.equal(name('о', 'KeyJ'), 'j')
  assert.equal(name('Ш', 'KeyI', { shiftKey: true }), 'Shift+i')
  assert.equal(name('Ю', 'Period', { shiftKey: true }), '>')
  assert.equal(name('я', 'KeyZ', { ctrlKey: true }), 'Ctrl+z')
})

test('on another Latin layout, the letter decides', () => {
  assert.equal(name('a', 'KeyQ'), 'a')
})

test('E is done in the inbox, and edits a message elsewhere', () => {
  assert.deepEqual(commandsOf('e'), ['done', 'edit'])
})

test('keys of the composer do nothing outside of it', () => {
  assert.deepEqual(commandsOf('Ctrl+b'), [])
})

test('the keys of Zulip are complete', () => {
  const keys = [
    'j',
    'k',
    'n',
    'p',
    'r',
    '>',
    '@',
    'c',
    'x',
    's',
    't',
    'a',
    'Shift+i',
    'e',
    'm',
    'i',
    'u',
    'v',
    'q',
    'w',
  ]
  for (const key of [...keys, '/', '?', 'd', '*', ':', '+', '<', '=', 'Shift+m', 'Shift+u', 'Ctrl+s'])
    assert.ok(commandsOf(key).length > 0, key)
})

test('only E and Enter have two meanings', () => {
  const keys = Object.values<readonly string[]>(keyTable).flat()
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    ['Enter', 'e'],
  )
})

test('keys are shown as they are printed', () => {
  assert.deepEqual(['Ctrl+k', 'Shift+i', '+', 'ArrowUp', ' '].map(keyLabel), ['Ctrl K', 'Shift I', '+', '↑', 'Space'])
})
