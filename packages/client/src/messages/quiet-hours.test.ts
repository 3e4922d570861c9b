import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatQuietHours, nextQuiet, parseQuietHours, quietUntil } from './quiet-hours.ts'

const evenings = '19:00-08:00,19:00-08:00,21:00-08:00,19:00-08:00,17:00-08:00,00:00-24:00,00:00-24:00'

/** 19 November 2026 is a Thursday. */
const at = (text: string) => Date.parse(text) / 1000

function until(now: string, { quiet = evenings, timezone = 'Europe/Lisbon', paused = '' } = {}) {
  const notifications_paused_until = paused ? at(paused) : 0
  const end = quietUntil({ quiet_hours: quiet, timezone, notifications_paused_until }, at(now))
  return end && new Date(end * 1000).toISOString().slice(0, 16)
}

test('quiet hours end in the morning, and those that follow each other are one', () => {
  assert.equal(until('2026-11-19T18:59:59Z'), undefined)
  assert.equal(until('2026-11-19T19:00:00Z'), '2026-11-20T08:00')
  assert.equal(until('2026-11-19T23:30:10Z'), '2026-11-20T08:00')
  assert.equal(until('2026-11-20T07:59:59Z'), '2026-11-20T08:00')
  assert.equal(until('2026-11-20T08:00:00Z'), undefined)
  // The night to Saturday ends inside a quiet day, and Sunday ends the weekend.
  assert.equal(until('2026-11-20T17:30:00Z'), '2026-11-23T00:00')
})

test('quiet hours follow the clock of the time zone, also when it changes', () => {
  assert.equal(until('2026-11-19T10:00:00Z', { timezone: 'Asia/Tokyo' }), '2026-11-19T23:00')
  assert.equal(until('2026-11-19T10:00:00Z', { timezone: '' }), undefined)
  // Clocks went back in the night to 25 October 2026.
  const quiet = ',,,,,22:00-08:00,'
  assert.equal(until('2026-10-24T22:00:00Z', { quiet, timezone: 'Europe/Berlin' }), '2026-10-25T07:00')
})

test('a pause ends when it was set to, or with the quiet hours into which it leads', () => {
  assert.equal(until('2026-11-19T10:00:00Z', { paused: '2026-11-19T11:00:00Z' }), '2026-11-19T11:00')
  assert.equal(until('2026-11-19T18:30:00Z', { paused: '2026-11-19T19:30:00Z' }), '2026-11-20T08:00')
  assert.equal(until('2026-11-19T10:00:00Z', { paused: '2026-11-19T09:00:00Z' }), undefined)
})

test('a week without a gap is looked at again after a week', () => {
  const quiet = Array(7).fill('00:00-24:00').join()
  assert.equal(until('2026-11-19T10:00:00Z', { quiet }), '2026-11-26T10:00')
})

test('the next quiet hours are known', () => {
  const settings = { quiet_hours: evenings, timezone: 'Europe/Lisbon', notifications_paused_until: 0 }
  assert.equal(nextQuiet(settings, at('2026-11-19T10:00:30Z')), at('2026-11-19T19:00:00Z'))
  assert.equal(nextQuiet(settings, at('2026-11-19T20:00:00Z')), undefined)
  assert.equal(nextQuiet({ ...settings, quiet_hours: '' }), undefined)
})

test('texts of quiet hours that are malformed are none', () => {
  const wrong = ['x', ',,,,,', ',,,,,,,', '8:00-9:00,,,,,,', '08:00-25:00,,,,,,', '24:00-08:00,,,,,,', '08:00,,,,,,']
  for (const text of wrong) assert.equal(parseQuietHours(text), undefined, text)
  for (const text of ['', evenings, ',,,,,00:00-24:00,']) assert.equal(formatQuietHours(parseQuietHours(text)!), text)
})
