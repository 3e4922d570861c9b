import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../testing.ts'
import { parseTime } from './time-parser.ts'

test('a time is given in UTC and shown as typed', () => {
  const time = '<time datetime="2031-05-06T07:30:00Z">2031-05-06T09:30+02:00</time>'
  assert.equal(html('<time:2031-05-06T09:30+02:00>'), `<p>${time}</p>`)
})

test('without a zone a time is in UTC, and a date means midnight', () => {
  assert.equal(parseTime('2031-05-06 09:30:15'), '2031-05-06T09:30:15Z')
  assert.equal(parseTime('2031-05-06'), '2031-05-06T00:00:00Z')
})

for (const [text, moment] of [
  ['Jan 1 2024 10:00 PM', '2024-01-01T22:00:00Z'],
  ['January 1st, 2024 at 10:00', '2024-01-01T10:00:00Z'],
  ['1 January 2024', '2024-01-01T00:00:00Z'],
  ['01-Jan-2024 9:05:07', '2024-01-01T09:05:07Z'],
  ['Sept. 3, 2024', '2024-09-03T00:00:00Z'],
  ['12/31/2024 5pm', '2024-12-31T17:00:00Z'],
  ['31/12/2024 12 a.m.', '2024-12-31T00:00:00Z'],
  ['2024/2/29 12:30 pm', '2024-02-29T12:30:00Z'],
  ['Mon, 1 Jan 2024 22:00:00 +0100', '2024-01-01T21:00:00Z'],
  ['Thursday, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00Z'],
  ['2024-01-01 10:00 +02:00', '2024-01-01T08:00:00Z'],
  ['20240101T1000Z', '2024-01-01T10:00:00Z'],
  ['2024-01-01T10', '2024-01-01T10:00:00Z'],
  ['Jan 1 2024 10:00 PM -0530', '2024-01-02T03:30:00Z'],
] as const)
  test(`a time can be written as ${text}`, () => assert.equal(parseTime(text), moment))

test('a number is seconds since 1970', () => {
  assert.equal(parseTime('1500000000'), '2017-07-14T02:40:00Z')
})

test('impossible times are none', () => {
  const dates = ['', 'soon', '2031-02-30', '0000-01-01', '2031-0506', '13/13/2031', '30 February 2031', 'Foo 1 2031']
  const clocks = ['T25:00', 'T00:00+32:00', ' 13 pm', ' 0am', ' 5', ' 10:60', ' 10:00 PMT', ' 10:00 nonsense']
  for (const text of [...dates, ...clocks.map((clock) => `2031-05-06${clock}`)]) {
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
