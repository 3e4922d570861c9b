import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notificationSounds } from '@parley/api/settings'
import { melodyOf } from './sounds.ts'

test('every sound that can be chosen exists and is different', () => {
  const melodies = notificationSounds.map((sound) => melodyOf(sound).join())
  assert.ok(melodies.every((melody) => melody !== ''))
  assert.equal(new Set(melodies).size, melodies.length)
  assert.deepEqual(melodyOf('none'), [])
})
