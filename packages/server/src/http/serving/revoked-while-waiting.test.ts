import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateFlagsInNarrow } from '@parley/api/conversations/flags'
import { getMessages } from '@parley/api/conversations/messages'
import { addReaction } from '@parley/api/conversations/reactions'
import { unsubscribe } from '@parley/api/conversations/subscriptions'
import { deactivateUser, revokeUserKeys, updateUser } from '@parley/api/identity/accounts'
import { createToken } from '@parley/api/identity/tokens'
import type { Operation } from '@parley/api/operation'
import { type Actor, encode } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { sendSlowly } from '../../testing/load/slow-body.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

const of = ({ id }: Actor) => ({ path: { user_id: id } })

/** Sends everything but the body. */
function begins({ app }: World, { headers }: Actor, { method, path }: Operation, params: object) {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = encode({ ...params })
  return sendSlowly(app, { method, path: `/api/v1${path}`, headers: { ...headers, ...form }, body })
}

test('a key that is revoked before the end of the body gets no token', async () => {
  const world = await newWorld()
  const { adam, ann } = world
  const finish = await begins(world, ann, createToken, { name: 'laptop' })
  await adam.does(revokeUserKeys, of(ann))
  assert.equal((await finish()).code, 'UNAUTHORIZED')
})

test('a user who is deactivated before the end of the body changes nothing', async () => {
  const world = await newWorld()
  const { adam, ann } = world
  await inChannel('verona', [ann])
  const message_id = await ann.sends({ channel: 'verona' })
  const path = addReaction.path.replace('{message_id}', String(message_id))
  const finish = await begins(world, ann, { ...addReaction, path } as Operation, { emoji_name: 'tada' })
  await adam.does(deactivateUser, of(ann))
  assert.equal((await finish()).code, 'UNAUTHORIZED')
})

test('a request continues after its body if only something else was changed', async () => {
  const world = await newWorld()
  const { adam, ann, ben } = world
  const finish = await begins(world, ann, createToken, { name: 'laptop' })
  await adam.does(updateUser, { ...of(ben), full_name: 'Benjamin' })
  assert.equal((await finish()).result, 'success')
})

/** Occupies every turn of the user in the queue of heavy requests, until the returned function is called. */
function takeTurns({ ctx, realmId }: World, { id }: Actor): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let turn = 0; turn < 2; turn++) void ctx.heavyRequests.run(`${realmId} ${id}`, () => promise)
  return resolve
}

test('a user who is unsubscribed while a request waits for its turn does not read later messages', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  const channel = await inChannel('secret', [ann, ben], { invite_only: true, history_public_to_subscribers: true })
  const page = {
    narrow: [['channel', channel]] as [string, number][],
    anchor: 'newest' as const,
    num_before: 5,
    num_after: 0,
  }
  await ben.does(getMessages, page)
  const release = takeTurns(world, ben)
  const listing = ben.isRefused(getMessages, page)
  await until(() => ctx.heavyRequests.waiting > 0)
  await ann.does(unsubscribe, { subscriptions: ['secret'], principals: [ben.id] })
  await ann.sends({ channel: 'secret' })
  release()
  assert.equal((await listing).code, 'BAD_NARROW')
})

test('a user who is deactivated while a request waits for its turn gets no answer', async () => {
  const world = await newWorld()
  const { adam, ben, ctx } = world
  const release = takeTurns(world, ben)
  const listing = ben.isRefused(getMessages, { anchor: 'newest', num_before: 5, num_after: 0 })
  await until(() => ctx.heavyRequests.waiting > 0)
  await adam.does(deactivateUser, of(ben))
  release()
  assert.equal((await listing).code, 'UNAUTHORIZED')
})

test('changing flags in a narrow waits for its turn, because searching can keep the database busy', async () => {
  const world = await newWorld()
  const { ben, ctx } = world
  const release = takeTurns(world, ben)
  const range = { anchor: 'newest' as const, num_before: 5, num_after: 0 }
  const change = ben.does(updateFlagsInNarrow, { ...range, op: 'add', flag: 'read', narrow: [] })
  await until(() => ctx.heavyRequests.waiting > 0, 5).finally(release)
  await change
})
