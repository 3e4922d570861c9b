import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './testing.ts'
import { parseTime } from './times.ts'

test('a time is given in UTC and shown as typed', () => {
  const time = '<time datetime="2031-05-06T07:30:00Z">2031-05-06T09:30+02:00</time>'
  assert.equal(html('<time:2031-05-06T09:30+02:00>'), `<p>${time}</p>`)
})

test('without a zone a time is in UTC, and a date means midnight', () => {
  assert.equal(parseTime('2031-05-06 09:30:15'), '2031-05-06T09:30:15Z')
  assert.equal(parseTime('2031-05-06'), '2031-05-06T00:00:00Z')
})

test('a number is seconds since 1970', () => {
  assert.equal(parseTime('1500000000'), '2017-07-14T02:40:00Z')
})

test('impossible times are none', () => {
  for (const text of ['', 'soon', '2031-02-30', '2031-05-06T25:00', '2031-05-06T00:00+32:00', '0000-01-01']) {
    assert.equal(parseTime(text), undefined, text)
  }
})

test('an invalid time is shown as an error', () => {
  assert.equal(html('<time:soon>'), '<p><span class="timestamp-error">Invalid time format: soon</span></p>')
})
