import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from '@parley/client/store/store'
import { summaryOf, textOf } from './texts.ts'

const store = (pm_content_in_desktop_notifications = true) =>
  createStore({
    user_id: 1,
    user_settings: { pm_content_in_desktop_notifications },
    subscriptions: [{ stream_id: 7, name: 'design' }],
  })
const direct = (people: number) =>
  ({
    type: 'private',
    sender_full_name: 'Ines',
    display_recipient: Array.from({ length: people }, () => ({})),
  }) as never
const inTopic = { type: 'stream', stream_id: 7, subject: '', sender_full_name: 'Ines' } as never

test('a notification names sender, channel and topic', () => {
  assert.deepEqual(textOf(store(), inTopic, 'Hello'), { title: 'Ines · #design > general chat', body: 'Hello' })
})

test('an action is a sentence about its sender', () => {
  assert.equal(textOf(store(), direct(2), '/me waves').body, 'Ines waves')
})

test('a notification of a group names its size', () => {
  assert.equal(textOf(store(), direct(4), 'Hello').title, 'Ines, to you and 2 more')
})

test('the text of direct messages is left out if the viewer wants that', () => {
  assert.equal(textOf(store(), direct(2), 'secret').body, 'secret')
  assert.equal(textOf(store(false), direct(2), 'secret').body, 'New direct message')
  assert.equal(textOf(store(false), inTopic, 'public').body, 'public')
})

test('long messages are cut', () => {
  const { body } = textOf(store(), inTopic, 'long '.repeat(100))
  assert.ok(body.length <= 200 && body.endsWith('…'))
})

test('many messages become one notification', () => {
  assert.deepEqual(summaryOf(['Ines', 'Amir', 'Ines', 'Bo', 'Cy']), {
    title: '5 new messages',
    body: 'From Ines, Amir and 2 more',
  })
  assert.equal(summaryOf(['Ines', 'Ines', 'Amir', 'Ines']).body, 'From Ines and Amir')
})
