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

test('a moment outside the years 1 to 9999 is none', () => {
  assert.equal(parseTime('0001-01-01T01:00:00+02:00'), undefined)
  assert.equal(parseTime('9999-12-31T23:00:00-02:00'), undefined)
})

test('an invalid time stays as typed, without other markup', () => {
  assert.equal(html('<time:soon>'), '<p>&lt;time:soon&gt;</p>')
  assert.equal(html('<time:**a** `b`>'), '<p>&lt;time:**a** `b`&gt;</p>')
})
