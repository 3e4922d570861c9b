import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import * as api from '@parley/api/delivery/push'
import { newWorld } from '../../testing/world.ts'

const token = 'ab12'.repeat(16)

test('a token can be added, added again and removed once', async () => {
  const { ann } = await newWorld()
  await ann.does(api.addApnsToken, { token, appid: 'org.parley.app' })
  await ann.does(api.addApnsToken, { token, appid: 'org.parley.app' })
  await ann.does(api.removeApnsToken, { token })
  assert.equal((await ann.isRefused(api.removeApnsToken, { token })).code, 'BAD_REQUEST')
  await ann.does(api.addFcmToken, { token })
  await ann.does(api.removeFcmToken, { token })
})

test('tokens that are missing, empty, too long or impossible are refused', async () => {
  const { ann } = await newWorld()
  for (const operation of [api.removeApnsToken, api.addApnsToken]) {
    assert.equal((await ann.isRefused(operation, { appid: 'x' })).code, 'REQUEST_VARIABLE_MISSING')
    for (const bad of ['', 'a'.repeat(4097), 'abcde', '=abc'])
      assert.equal((await ann.isRefused(operation, { token: bad, appid: 'x' })).code, 'BAD_REQUEST', bad)
  }
  for (const bad of ['', 'a'.repeat(4097)]) await ann.isRefused(api.addFcmToken, { token: bad })
  for (const appid of ['', 'a b', 'x/y']) await ann.isRefused(api.addApnsToken, { token, appid })
  await ann.does(api.addFcmToken, { token: 'a'.repeat(4096) })
})

test('a token of another user, of another kind or of another organization does not exist', async () => {
  const { ann, ben } = await newWorld()
  const other = await newWorld()
  await ben.does(api.addApnsToken, { token, appid: 'x' })
  await other.ann.does(api.addApnsToken, { token, appid: 'x' })
  await ann.does(api.addFcmToken, { token })
  assert.equal((await ann.isRefused(api.removeApnsToken, { token })).msg, 'Token does not exist')
  await ben.does(api.removeApnsToken, { token })
})

test('a test notification is refused: for unknown devices, and because the server sends none', async () => {
  const { ann, ben } = await newWorld()
  await ben.does(api.addFcmToken, { token })
  assert.equal((await ann.isRefused(api.sendTestNotification, { token })).code, 'INVALID_PUSH_DEVICE_TOKEN')
  for (const params of [{ token }, {}])
    assert.match((await ben.isRefused(api.sendTestNotification, params)).msg, /does not send push notifications/)
})

test('bots have no devices', async () => {
  const { ann, add } = await newWorld()
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  for (const operation of [
    api.addApnsToken,
    api.removeApnsToken,
    api.addFcmToken,
    api.removeFcmToken,
    api.sendTestNotification,
  ])
    assert.equal((await bot.isRefused(operation, { token })).code, 'BAD_REQUEST')
})
