import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deactivateUser, revokeUserKeys, updateUser } from '@parley/api/accounts'
import type { Operation } from '@parley/api/operation'
import { addReaction } from '@parley/api/reactions'
import { createToken } from '@parley/api/tokens'
import { type Actor, encode } from '../testing/actor.ts'
import { inChannel } from '../testing/channels.ts'
import { sendSlowly } from '../testing/slow-body.ts'
import { newWorld, type World } from '../testing/world.ts'

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
