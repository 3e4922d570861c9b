import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { getMessages } from '@parley/api/conversations/messages'
import { getSubscriptions } from '@parley/api/conversations/subscriptions'
import { Actor } from '../../testing/actor.ts'
import { newWorld, renewKeys } from '../../testing/world.ts'
import { addAccount } from './create-account.ts'
import { createOrganization } from './create-realm.ts'

test('a new organization has a general channel with a message, and its users join it', async () => {
  const world = await newWorld()
  const { ctx, app } = world
  const host = `new-${world.host}`
  const id = await createOrganization(ctx, { string_id: host.replace('.', '-'), host, name: 'New' })
  const { realm } = await ctx.realms.get(id)
  const email = `olga@${host}`
  const owner = await addAccount(ctx, realm, { email, full_name: 'Olga', role: roles.owner })
  const olga = new Actor(app, owner.id, 'Olga', { host, email, key: '' })
  await renewKeys(world, olga)
  const { subscriptions } = await olga.does(getSubscriptions)
  assert.deepEqual(
    subscriptions.map(({ name }) => name),
    ['general'],
  )
  const { messages } = await olga.does(getMessages, { anchor: 'newest', num_before: 9, num_after: 0 })
  assert.deepEqual([messages[0]!.subject, messages[0]!.sender_full_name], ['welcome', 'Welcome Bot'])
  assert.equal(subscriptions[0]!.first_message_id, messages[0]!.id)
  const { unread_msgs } = await olga.registers()
  assert.deepEqual(unread_msgs!.streams[0]!.unread_message_ids, [messages[0]!.id])
})
