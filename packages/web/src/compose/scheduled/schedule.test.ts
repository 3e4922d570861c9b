import '../../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromLocalInput, localInput, reminderTimes, sendTimes } from './schedule.ts'

const times = (now: Date) => sendTimes(now).map(({ label, at }) => `${label} ${localInput(at)}`)

test('a morning in the week offers the afternoon, tomorrow and Monday', () => {
  assert.deepEqual(times(new Date(2026, 10, 17, 8, 30)), [
    'In one hour 2026-11-17T09:30',
    'This afternoon 2026-11-17T16:00',
    'Tomorrow morning 2026-11-18T09:00',
    'Monday morning 2026-11-23T09:00',
  ])
})

test('late on a Sunday, tomorrow is Monday', () => {
  assert.deepEqual(times(new Date(2026, 10, 22, 21, 0)), [
    'In one hour 2026-11-22T22:00',
    'Tomorrow morning 2026-11-23T09:00',
  ])
})

test('next week begins on a Monday that is not tomorrow', () => {
  const next = (day: number) => localInput(reminderTimes(new Date(2026, 10, day, 8))[2]!.at)
  assert.deepEqual([next(17), next(22), next(23)], ['2026-11-23T09:00', '2026-11-30T09:00', '2026-11-30T09:00'])
})

test('an input for date and time is read as it was written', () => {
  const at = new Date(2026, 0, 5, 9, 7).getTime() / 1000
  assert.equal(fromLocalInput(localInput(at)), at)
  assert.equal(fromLocalInput(''), undefined)
})
