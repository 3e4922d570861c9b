import assert from 'node:assert/strict'
import { test } from 'node:test'
import { glyphOf } from '@parley/markdown/glyph'
import { emojiTable } from '@parley/markdown/inline/emoji-table.generated'
import { inTone } from '../platform/emoji.ts'
import { groupsOf } from './emoji-groups.ts'
import { standardEntries } from './emoji-list.ts'

/** As the server sends them: an object, whose keys that are numbers come first. */
const served = Object.fromEntries(
  emojiTable
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([code, ...names]) => [code!, names]),
)
const groups = groupsOf(standardEntries(served))
const labelOf = (code: string) => groups.find(({ emoji }) => emoji.some(({ emoji_code }) => emoji_code === code))?.label

test('every emoji is in one group, also those whose code is a number', () => {
  const codes = groups.flatMap(({ emoji }) => emoji.map(({ emoji_code }) => emoji_code))
  assert.equal(new Set(codes).size, codes.length)
  assert.deepEqual(codes.toSorted(), Object.keys(served).toSorted())
  const expected = { '2764': 'smileys', '1f44b': 'people', '2618': 'animals', '2615': 'food', '2708': 'travel' }
  for (const [code, label] of Object.entries(expected)) assert.equal(labelOf(code), `emoji.${label}`)
  const others = { '2728': 'activities', '2709': 'objects', '2705': 'symbols', '1f1ea-1f1fa': 'flags' }
  for (const [code, label] of Object.entries(others)) assert.equal(labelOf(code), `emoji.${label}`)
})

test('emoji are written so that they are drawn in colour', () => {
  assert.equal(glyphOf('2764'), '❤️')
  assert.equal(glyphOf('0031-20e3'), '1️⃣')
  assert.equal(glyphOf('1f44d'), '👍')
  assert.equal(glyphOf('1f3f3-200d-1f308'), '🏳️‍🌈')
  assert.equal(glyphOf('1f1ea-1f1fa'), '🇪🇺')
})

test('only emoji with a skin have a tone', () => {
  assert.equal(inTone('👋', '🏽'), '👋🏽')
  assert.equal(inTone('👩‍💻', '🏽'), '👩🏽‍💻')
  assert.equal(inTone('☝️', '🏽'), '☝🏽')
  assert.equal(inTone('🌊', '🏽'), undefined)
  assert.equal(inTone('👋', ''), undefined)
})
