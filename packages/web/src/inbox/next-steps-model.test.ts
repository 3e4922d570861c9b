import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from '@parley/client/store/store'
import { openSteps } from './next-steps-model.ts'

const user = (user_id: number, change: object = {}) => ({
  user_id,
  role: 400,
  is_bot: false,
  is_active: true,
  ...change,
})
const owner = user(1, { role: 100 })
const bot = user(9, { is_bot: true })

const stepsFor = (change: object = {}, skipped: string[] = []) =>
  openSteps(
    createStore({
      user_id: 1,
      realm_users: [owner, bot],
      subscriptions: [{ stream_id: 1, name: 'general' }],
      realm_name: 'New',
      realm_icon_source: 'G',
      realm_logo_source: 'D',
      server_sends_email_notifications: false,
      ...change,
    }),
    skipped,
  )

test('the owner of an empty organization is offered every step that is not done or skipped', () => {
  assert.deepEqual(stepsFor(), ['people', 'channels', 'image', 'email'])
  assert.deepEqual(stepsFor({ realm_users: [owner, user(2)] }), ['channels', 'image', 'email'])
  assert.deepEqual(stepsFor({ never_subscribed: [{ stream_id: 2, name: 'design' }] }), ['people', 'image', 'email'])
  assert.deepEqual(stepsFor({ realm_icon_source: 'U', server_sends_email_notifications: true }), ['people', 'channels'])
  assert.deepEqual(stepsFor({}, ['people', 'email']), ['channels', 'image'])
})

test('others, and owners of organizations that are under way, are offered none', () => {
  assert.deepEqual(stepsFor({ realm_users: [user(1, { role: 200 })] }), [])
  assert.deepEqual(stepsFor({ realm_users: [owner, user(2), user(3), user(4), user(5)] }), [])
})
