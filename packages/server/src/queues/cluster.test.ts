import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as api from '@parley/api/queues'
import type { FastifyInstance } from 'fastify'
import { closeContext, createContext } from '../boot/create-context.ts'
import type { Context } from '../context.ts'
import { buildApp } from '../http/app.ts'
import { Actor } from '../testing/actor.ts'
import { until } from '../testing/until.ts'
import { newWorld, type World } from '../testing/world.ts'

let here: World
let other: { ctx: Context; app: FastifyInstance }

/** The same user, connected to the other process. */
function elsewhere(actor: Actor): Actor {
  return new Actor(other.app, actor.id, actor.name, actor.credentials)
}

before(async () => {
  here = await newWorld()
  const ctx = await createContext(here.ctx.config, here.ctx.pool.options.connectionString!)
  other = { ctx, app: buildApp(ctx) }
})

after(async () => {
  await other.app.close()
  await closeContext(other.ctx)
})

test('a message sent through one process reaches a client waiting in another', async () => {
  const { ann, ben } = here
  const far = elsewhere(ben)
  // Even on a busy machine, the wake-up hint is sometimes faster than polling the counters.
  await until(async () => {
    const { queue_id, last_event_id } = await far.registers()
    const waiting = far.does(api.getEvents, { queue_id, last_event_id })
    const started = performance.now()
    const id = await ann.sends({ to: [ben] })
    const { events } = await waiting
    assert.equal(events[0]?.type === 'message' && events[0].message.id, id)
    return performance.now() - started < 500
  }, 10)
})

test('a queue registered in one process can be polled in any other', async () => {
  const { ann, ben } = here
  const { queue_id, last_event_id } = await ben.registers()
  await ann.sends({ to: [ben], content: 'one' })
  const near = await ben.does(api.getEvents, { queue_id, last_event_id, dont_block: true })
  const far = await elsewhere(ben).does(api.getEvents, { queue_id, last_event_id })
  assert.deepEqual(far.events, near.events)
})

test('a queue deleted in one process ends in every other', async () => {
  const { ben } = here
  const { queue_id, last_event_id } = await ben.registers()
  const waiting = elsewhere(ben).isRefused(api.getEvents, { queue_id, last_event_id })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await ben.does(api.deleteQueue, { queue_id })
  assert.equal((await waiting).code, 'BAD_EVENT_QUEUE_ID')
})

test('concurrent sends through two processes arrive in the same order in both, without gaps or duplicates', async () => {
  const { ann, ben, mona } = here
  const far = { ann: elsewhere(ann), mona: elsewhere(mona) }
  await ben.registers()
  await far.mona.registers()
  const sends = Array.from({ length: 60 }, (_, n) =>
    (n % 2 ? ann : far.ann).sends({ to: [ben, mona], content: `message ${n}` }),
  )
  const ids = (await Promise.all(sends)).sort((a, b) => a - b)
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.deepEqual(
    (await ben.receives('message')).map((event) => event.message.id),
    ids,
  )
  assert.deepEqual(
    (await far.mona.receives('message')).map((event) => event.message.id),
    ids,
  )
})

test('a change of access in one process takes effect in another immediately', async () => {
  const newcomer = await here.add('nora')
  const far = elsewhere(newcomer)
  await far.registers()
  await here.ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', newcomer.id).execute()
  here.ctx.realms.drop(here.realmId)
  // The deactivation itself comes with the issue on users; here the log's word is enough.
  const { transactIn } = await import('../context.ts')
  await transactIn(here.ctx, here.realmId, async (tx) => tx.emitInternal({ access: true }))
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.equal((await far.isRefused(api.register)).code, 'UNAUTHORIZED')
})
