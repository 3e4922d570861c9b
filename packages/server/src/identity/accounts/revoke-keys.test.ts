import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBot, deactivateBot } from '@parley/api/delivery/bots'
import { getEvents } from '@parley/api/delivery/queues'
import * as accounts from '@parley/api/identity/accounts'
import { getOwnUser } from '@parley/api/people/users'
import { newWorld, renewKeys } from '../../testing/world.ts'

const of = (actor: { id: number }) => ({ path: { user_id: actor.id } })

test('keys from before a deactivation do not work after the reactivation, those of bots neither', async () => {
  const world = await newWorld()
  const { adam, ann, add } = world
  const bot = await add('helper', undefined, { bot_type: 1, bot_owner_id: ann.id })
  await adam.does(accounts.deactivateUser, of(ann))
  await adam.does(accounts.reactivateUser, of(ann))
  await adam.does(accounts.reactivateUser, of(bot))

  for (const actor of [ann, bot]) assert.equal((await actor.isRefused(getOwnUser)).msg, 'Invalid API key')
  await renewKeys(world, ann, bot)
  for (const actor of [ann, bot]) assert.equal((await actor.does(getOwnUser)).user_id, actor.id)
})

test('a bot that was deactivated comes back with another key, of which its owner is notified', async () => {
  const { adam, ann } = await newWorld()
  const { user_id, api_key } = await ann.does(createBot, { full_name: 'Helper', short_name: 'helper' })
  await ann.registers()
  await ann.does(deactivateBot, { path: { bot_id: user_id } })
  await adam.does(accounts.reactivateUser, { path: { user_id } })
  const keys = (await ann.receives('realm_bot')).flatMap(({ bot }) => ('api_key' in bot ? [bot.api_key] : []))
  assert.equal(keys.length, 1)
  assert.notEqual(keys[0], api_key)
})

test('an administrator revokes the keys and queues of a user and of their bots', async () => {
  const world = await newWorld()
  const { adam, ann, add } = world
  const bot = await add('helper', undefined, { bot_type: 1, bot_owner_id: ann.id })
  for (const actor of [ann, bot]) await actor.registers()
  await adam.does(accounts.revokeUserKeys, of(ann))

  for (const actor of [ann, bot]) assert.equal((await actor.isRefused(getOwnUser)).code, 'UNAUTHORIZED')
  await renewKeys(world, ann, bot)
  for (const actor of [ann, bot]) {
    const { code } = await actor.isRefused(getEvents, { queue_id: actor.queueId, last_event_id: -1 })
    assert.equal(code, 'BAD_EVENT_QUEUE_ID')
  }
})

test('only owners revoke the keys of owners, and nobody below administrators revokes any', async () => {
  const { olga, adam, mona, ann } = await newWorld()
  assert.equal((await adam.isRefused(accounts.revokeUserKeys, of(olga))).code, 'UNAUTHORIZED_PRINCIPAL')
  for (const actor of [mona, ann])
    assert.equal((await actor.isRefused(accounts.revokeUserKeys, of(ann))).code, 'UNAUTHORIZED_PRINCIPAL')
  await olga.does(accounts.revokeUserKeys, of(adam))
  assert.equal((await adam.isRefused(getOwnUser)).code, 'UNAUTHORIZED')
})
