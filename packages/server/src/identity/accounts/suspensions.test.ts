import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/identity/accounts'
import { getUser } from '@parley/api/people/users'
import { FormBrowser } from '../../testing/forms.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { endSuspensions } from './suspend-account.ts'

const hour = 3600
const soon = () => Math.floor(Date.now() / 1000) + hour
const password = 'quite a long sentence'

/** Moves the end of all suspensions into the past, and ends what is due. */
async function elapse({ ctx, realmId }: World): Promise<void> {
  const past = new Date(Date.now() - 1000)
  await ctx.db.updateTable('suspensions').set({ ends_at: past }).where('realm_id', '=', realmId).execute()
  await endSuspensions(ctx)
}

const isActive = async ({ olga, ben }: World) =>
  (await olga.does(getUser, { path: { user_id: ben.id } })).user.is_active

test('a suspended user is deactivated for everyone, cannot call anything, and returns by themselves', async () => {
  const world = await newWorld()
  const { adam, ann, ben } = world
  const path = { user_id: ben.id }
  await verifyEvents([adam, ann], () => adam.does(api.suspendUser, { path, until: soon() }))
  assert.equal(await isActive(world), false)
  assert.equal((await ben.isRefused(getUser, { path })).code, 'UNAUTHORIZED')
  await verifyEvents([adam, ann], () => elapse(world))
  assert.equal(await isActive(world), true)
  assert.deepEqual((await adam.does(api.getSuspensions)).suspensions, [])
})

test('the sign-in page says until when, only with the right password', async () => {
  const world = await newWorld()
  const { ctx, adam, ben } = world
  const password_hash = await hashPassword(password)
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', ben.id).execute()
  const until = soon()
  await adam.does(api.suspendUser, { path: { user_id: ben.id }, until })
  const signIn = (typed: string) =>
    new FormBrowser(world).post('/login', { email: ben.credentials.email, password: typed })
  const minute = new Date(until * 1000).toISOString().slice(0, 16).replace('T', ' ')
  assert.ok((await signIn(password)).body.includes(`suspended until ${minute} UTC`))
  assert.ok(!(await signIn('wrong')).body.includes('suspended'))
  await elapse(world)
  assert.equal((await signIn(password)).statusCode, 303)
})

test('an administrator ends a suspension early, or changes its end', async () => {
  const world = await newWorld()
  const { adam, olga, ben } = world
  const path = { user_id: ben.id }
  const [first, second] = [soon(), soon() + hour]
  await adam.does(api.suspendUser, { path, until: first })
  await olga.does(api.suspendUser, { path, until: second })
  const { suspensions } = await adam.does(api.getSuspensions)
  assert.deepEqual(
    suspensions.map(({ user_id, until, suspended_by }) => [user_id, until, suspended_by]),
    [[ben.id, second, olga.id]],
  )
  await adam.does(api.reactivateUser, { path })
  assert.equal(await isActive(world), true)
  await adam.does(api.deactivateUser, { path })
  await elapse(world)
  assert.equal(await isActive(world), false)
})

test('deactivating a suspended user makes it permanent', async () => {
  const world = await newWorld()
  const { adam, ben } = world
  const path = { user_id: ben.id }
  await adam.does(api.suspendUser, { path, until: soon() })
  await adam.does(api.deactivateUser, { path })
  await elapse(world)
  assert.equal(await isActive(world), false)
})

test('nobody suspends themselves, bots, the only owner, into the past or for more than a year', async () => {
  const { adam, olga, ann, ben, add } = await newWorld()
  const until = soon()
  const bot = await add('bot', undefined, { bot_type: 1, bot_owner_id: ann.id })
  for (const [actor, user_id, end] of [
    [adam, adam.id, until],
    [adam, bot.id, until],
    [adam, olga.id, until],
    [olga, olga.id, until],
    [adam, ben.id, until - 2 * hour],
    [adam, ben.id, until + 400 * 24 * hour],
  ] as const)
    await actor.isRefused(api.suspendUser, { path: { user_id }, until: end })
  assert.deepEqual((await adam.does(api.getSuspensions)).suspensions, [])
})
