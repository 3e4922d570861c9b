import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Move, undoSteps } from './undo-steps.ts'

const here = { stream_id: 1, topic: 'here' }
const there = { stream_id: 2, topic: 'there' }
const move = (mode: Move['mode']): Move => ({ messageId: 7, from: here, to: there, mode })
const many = Array.from({ length: 51 }, (_, index) => index)

test('a topic that was moved to an unused name moves back as a whole', () => {
  assert.deepEqual(undoSteps(move('change_all'), true, many), [
    { messageId: 7, from: there, to: here, mode: 'change_all' },
  ])
})

test('after a merge only the moved messages move back', () => {
  assert.deepEqual(undoSteps(move('change_all'), false, [7, 9]), [
    { messageId: 7, from: there, to: here, mode: 'change_one' },
    { messageId: 9, from: there, to: here, mode: 'change_one' },
  ])
})

test('later messages move back one by one, also from a new topic', () => {
  assert.equal(undoSteps(move('change_later'), true, [7, 8])?.length, 2)
})

test('undo is not offered if it would not be exact', () => {
  assert.equal(undoSteps(move('change_all'), false, many), undefined)
  assert.equal(undoSteps(move('change_all'), false, []), undefined)
})
