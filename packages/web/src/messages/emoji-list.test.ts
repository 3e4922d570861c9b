import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@parley/client/store/store'
import { allEmoji, findEmoji, standardEntries } from './emoji-list.ts'

const standard = standardEntries({
  '1f602': ['joy', 'tears'],
  '1f92a': ['zany', 'joyful_wink'],
  '1f3ae': ['video_game', 'joystick'],
  '1f44d': ['+1', 'thumbs_up'],
})
const names = (query: string, limit = 10) => findEmoji(standard, query, limit).map(({ emoji_name }) => emoji_name)
const custom = (id: string, name: string, deactivated = false) => ({ id, name, deactivated, source_url: `/${id}.png` })

test('the exact name comes first, then beginnings, then other parts of names', () => {
  assert.deepEqual(names('joy'), ['joy', 'joyful_wink', 'joystick'])
  assert.deepEqual(names('game'), ['video_game'])
})

test('an emoji with several matching names is listed once', () => {
  assert.equal(names('').length, 4)
})

test('spaces and capital letters match names with underscores', () => {
  assert.deepEqual(names('Thumbs UP'), ['thumbs_up'])
})

test('no more than the limit are found', () => {
  assert.equal(names('joy', 2).length, 2)
})

test('custom emoji hide standard ones of the same name, unless they are deactivated', () => {
  const store = { emoji: { byId: { 7: custom('7', 'joy'), 8: custom('8', 'tears', true) } } } as unknown as Store
  const all = allEmoji(standard, store)
  assert.equal(findEmoji(all, 'joy', 1)[0]?.url, '/7.png')
  assert.equal(findEmoji(all, 'tears', 1)[0]?.emoji_code, '1f602')
})
