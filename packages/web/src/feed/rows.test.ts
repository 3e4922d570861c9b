import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownMessage } from '@parley/client/messages/cache'
import { rowAt } from './rows.ts'

const rowsOf = (messages: Parameters<typeof rowAt>[0], options: Parameters<typeof rowAt>[2]) =>
  messages.map((_, index) => rowAt(messages, index, options))

/** Noon of a day, in the time zone of the test. */
const noon = new Date(2026, 10, 16, 12).getTime() / 1000
const message = (id: number, change: object = {}) =>
  ({
    id,
    type: 'stream',
    stream_id: 1,
    subject: 'plans',
    sender_id: 5,
    content: '<p>plain</p>',
    timestamp: noon + id,
    ...change,
  }) as ShownMessage
const options = { viewerId: 9, isMixed: false, firstUnread: undefined }
const leads = (messages: ShownMessage[], change: object = {}) =>
  rowsOf(messages, { ...options, ...change }).map(({ isLead }) => isLead)

test('messages of one sender within five minutes are one group', () => {
  assert.deepEqual(leads([message(1), message(2), message(3, { timestamp: noon + 400 })]), [true, false, true])
})

test('what follows an action starts a group, unless it is an action too', () => {
  const action = { content: '<p>/me waves</p>' }
  assert.deepEqual(leads([message(1), message(2, action), message(3, action), message(4)]), [true, false, false, true])
})

test('another sender starts a group', () => {
  assert.deepEqual(leads([message(1), message(2, { sender_id: 6 })]), [true, true])
})

test('another day starts a group under its name', () => {
  const rows = rowsOf([message(1, { timestamp: noon + 43_199 }), message(2, { timestamp: noon + 43_201 })], options)
  assert.deepEqual(
    rows.map(({ startsDay, isLead }) => [startsDay, isLead]),
    [
      [true, true],
      [true, true],
    ],
  )
})

test('the first unread message starts a group under its line', () => {
  const rows = rowsOf([message(1), message(2)], { ...options, firstUnread: 2 })
  assert.deepEqual(
    rows.map(({ startsUnread, isLead }) => [startsUnread, isLead]),
    [
      [false, true],
      [true, true],
    ],
  )
})

test('in a feed of several conversations each starts under its heading', () => {
  const messages = [message(1), message(2, { subject: 'Plans' }), message(3, { subject: 'lunch' }), message(4)]
  const headings = (isMixed: boolean) =>
    rowsOf(messages, { ...options, isMixed }).map(({ startsConversation }) => startsConversation)
  assert.deepEqual(headings(true), [true, false, true, true])
  assert.deepEqual(headings(false), [false, false, false, false])
})

test('direct messages with the same people are one conversation, from any sender', () => {
  const direct = (id: number, sender_id: number) =>
    message(id, { type: 'private', sender_id, display_recipient: [{ id: 9 }, { id: 5 }] })
  const rows = rowsOf([direct(1, 5), direct(2, 9)], { ...options, isMixed: true })
  assert.deepEqual(
    rows.map(({ startsConversation }) => startsConversation),
    [true, false],
  )
})
