import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { getMessages } from '@parley/api/conversations/messages'
import * as api from '@parley/api/conversations/subscriptions'
import { transactIn } from '../../context.ts'
import { createUser } from '../../people/users/actions.ts'
import { findUsers } from '../../people/users/find-users.ts'
import { many } from '../../platform/db/query.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { welcomeAccount } from './welcome.ts'

async function welcome({ ctx, realmId }: World, userId: number): Promise<void> {
  const state = await ctx.realms.get(realmId)
  const [user] = await findUsers(ctx.db, state, [userId])
  await transactIn(ctx, realmId, (tx) => welcomeAccount(tx, ctx, state.realm, user!))
}

test('a new account joins the default channels and finds a message', async () => {
  const world = await newWorld()
  const { adam, ann } = world
  await adam.does(api.subscribe, { subscriptions: [{ name: 'hello' }], is_default_stream: true })
  await adam.does(api.subscribe, { subscriptions: [{ name: 'other' }] })
  await ann.registers()
  await adam.registers()
  await welcome(world, ann.id)
  const [message] = await ann.receives('message')
  assert.equal(message?.message.type, 'private')
  assert.equal(message?.message.sender_full_name, 'Welcome Bot')
  assert.deepEqual(
    (await ann.does(api.getSubscriptions)).subscriptions.map(({ name }) => name),
    ['hello'],
  )
  assert.deepEqual(
    (await adam.receives('subscription')).map(({ op }) => op),
    ['peer_add'],
  )
})

test('a guest is welcomed too, but joins nothing', async () => {
  const world = await newWorld()
  const { adam, gus } = world
  await adam.does(api.subscribe, { subscriptions: [{ name: 'hello' }], is_default_stream: true })
  await gus.registers()
  await welcome(world, gus.id)
  assert.equal((await gus.receives('message')).length, 1)
  assert.deepEqual((await gus.does(api.getSubscriptions)).subscriptions, [])
})

test('an account can be made and welcomed in one transaction', async () => {
  const world = await newWorld()
  const { ctx, realmId, adam, host } = world
  await adam.does(api.subscribe, { subscriptions: [{ name: 'hello' }], is_default_stream: true })
  await adam.registers()
  const { realm } = await ctx.realms.get(realmId)
  await transactIn(ctx, realmId, async (tx) => {
    const wanted = { email: `new@${host}`, full_name: 'Nora', role: roles.member }
    await welcomeAccount(tx, ctx, realm, await createUser(tx, ctx.vault, realm, wanted))
  })
  const received = (await adam.reads()).map(({ type }) => type)
  assert.ok(received.includes('realm_user'))
  assert.equal(received.at(-1), 'subscription')
})

test('an organization that has moved to another host still has its bots', async () => {
  const world = await newWorld()
  const { ctx, realmId, ann } = world
  await ctx.db
    .updateTable('realms')
    .set({ host: `moved-${world.host}` })
    .where('id', '=', realmId)
    .execute()
  ctx.realms.drop(realmId)
  await welcome(world, ann.id)
  const rows = await many<{ full_name: string }>(ctx.db)`
    select u.full_name from messages m join users u on u.id = m.sender_id where m.realm_id = ${realmId}`
  assert.deepEqual(rows, [{ full_name: 'Welcome Bot' }])
})

test('a new account finds the last twenty messages of the default channels unread, as history', async () => {
  const world = await newWorld()
  const { adam, ann } = world
  for (const name of ['hello', 'news'])
    await adam.does(api.subscribe, { subscriptions: [{ name }], is_default_stream: true })
  await adam.does(api.subscribe, { subscriptions: [{ name: 'other' }] })
  const sent: number[] = []
  for (let n = 0; n < 22; n++) sent.push(await adam.sends({ channel: n % 2 ? 'hello' : 'news' }))
  await adam.sends({ channel: 'other' })
  await welcome(world, ann.id)
  const { unread_msgs } = await ann.registers({ fetch_event_types: ['message', 'update_message_flags'] })
  assert.deepEqual(
    unread_msgs!.streams.flatMap(({ unread_message_ids }) => unread_message_ids).sort((a, b) => a - b),
    sent.slice(-20),
  )
  const { messages } = await ann.does(getMessages, {
    anchor: sent.at(-1)!,
    num_before: 21,
    num_after: 0,
    narrow: [],
  })
  const flags = new Map(messages.map((message) => [message.id, message.flags]))
  assert.deepEqual(flags.get(sent.at(-1)!), ['historical'])
})

test('the message that welcomes an account is starred', async () => {
  const world = await newWorld()
  await welcome(world, world.ann.id)
  const { starred_messages } = await world.ann.registers({ fetch_event_types: ['starred_messages'] })
  assert.equal(starred_messages!.length, 1)
})
