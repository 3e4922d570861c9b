import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getEvents } from '@parley/api/delivery/queues'
import { updateRealm } from '@parley/api/organization/realm'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { buildApp } from '../../http/app.ts'
import { Actor } from '../../testing/actor.ts'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'

/** A world, and a second server on its database that ann uses. */
async function withSecondServer(t: TestContext) {
  const world = await newWorld()
  const second = await createContext(world.ctx.config, world.ctx.pool.options.connectionString!)
  const app = buildApp(second)
  t.after(async () => {
    await app.close()
    await closeContext(second)
  })
  const { id, name, credentials } = world.ann
  const { follower, metrics } = second
  return { ...world, follower, metrics, there: new Actor(app, id, name, credentials) }
}

test('a realm that is not in use is no longer followed, and nothing stale is left of it', async (t) => {
  const { olga, realmId, follower, there } = await withSecondServer(t)
  await there.registers()
  follower.forgetIdle(-1)
  assert.equal(follower.use(realmId), false)

  await olga.does(updateRealm, { name: 'Renamed' })

  assert.equal((await there.registers()).realm_name, 'Renamed')
  assert.equal(follower.use(realmId), true)
})

test('a realm stays followed while a client waits for its events', async (t) => {
  const { ben, realmId, follower, metrics, there } = await withSecondServer(t)
  const state = await there.registers()
  const poll = there.does(getEvents, { queue_id: there.queueId, last_event_id: state.last_event_id })
  await until(async () => /parley_waiting_polls 1/.test(await metrics.registry.metrics()))
  follower.forgetIdle(-1)
  assert.equal(follower.use(realmId), true)

  await ben.sends({ to: [there], content: 'still there?' })

  assert.deepEqual(
    (await poll).events.map(({ type }) => type),
    ['message'],
  )
})
