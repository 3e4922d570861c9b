import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as typing from '@parley/api/conversations/typing'
import * as queues from '@parley/api/delivery/queues'
import { sql } from 'kysely'
import { one } from '../../platform/db/query.ts'
import type { Actor } from '../../testing/actor.ts'
import { startsWaiting } from '../../testing/waiting-poll.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { endIdleQueues, trimEvents } from './jobs.ts'

async function unseenFor({ ctx }: World, actor: Actor, seconds: number): Promise<void> {
  await ctx.queues.flushTouches()
  await sql`update queues set last_seen = now() - make_interval(secs => ${seconds}) where id = ${actor.queueId}`.execute(
    ctx.db,
  )
}

async function makeEvents({ olga, ann }: World, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await olga.does(typing.setTypingStatus, { op: 'start', type: 'direct', to: [ann.id] })
}

/** Makes all events and queues one hour older. */
async function letAnHourPass({ ctx, realmId }: World): Promise<void> {
  await ctx.queues.flushTouches()
  await sql`update events set created_at = created_at - interval '1 hour' where realm_id = ${realmId}`.execute(ctx.db)
}

async function logOf({ ctx, realmId }: World): Promise<{ first: number | null; trimmed: number; last: number }> {
  return one<{ first: number | null; trimmed: number; last: number }>(ctx.db)`
    select (select min(seq) from events where realm_id = ${realmId}) as first, trimmed_event as trimmed, last_event as last
      from realm_counters where realm_id = ${realmId}`
}

test('a queue is ended when it was idle for longer than its lifetime', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ann.registers()
  await ben.registers({ idle_queue_timeout: 3600 })
  await unseenFor(world, ann, 600 + 121)
  await unseenFor(world, ben, 600 + 121)

  await endIdleQueues(world.ctx)

  const { code } = await ann.isRefused(queues.getEvents, { queue_id: ann.queueId, last_event_id: -1 })
  assert.equal(code, 'BAD_EVENT_QUEUE_ID')
  assert.deepEqual(await ben.reads(), [])
})

test('a queue may be idle for its lifetime plus the tolerance', async () => {
  const world = await newWorld()
  await world.ann.registers()
  await unseenFor(world, world.ann, 600 + 110)

  await endIdleQueues(world.ctx)

  assert.deepEqual(await world.ann.reads(), [])
})

test('a client waiting on a queue that is ended gets no events, then BAD_EVENT_QUEUE_ID', async () => {
  const world = await newWorld()
  await world.ann.registers()
  const poll = { queue_id: world.ann.queueId, last_event_id: -1 }
  const { answer } = await startsWaiting(world.ctx, () => world.ann.does(queues.getEvents, poll))
  await unseenFor(world, world.ann, 10_000)

  await endIdleQueues(world.ctx)

  assert.deepEqual((await answer).events, [])
  assert.equal((await world.ann.isRefused(queues.getEvents, poll)).code, 'BAD_EVENT_QUEUE_ID')
})

test('the log is trimmed up to the oldest acknowledged event of all queues', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ann.registers()
  await ben.registers()
  await makeEvents(world, 5)
  await ann.reads()
  await makeEvents(world, 5)
  await ben.reads()
  await letAnHourPass(world)

  await trimEvents(world.ctx)

  const { first, trimmed, last } = await logOf(world)
  assert.equal(first, trimmed + 1)
  assert.ok(last - trimmed >= 10 && trimmed > 0, `trimmed ${trimmed} of ${last}`)
  assert.equal((await ann.receives('typing')).length, 10)
})

test('events of the last 15 minutes are kept for clients that poll again', async () => {
  const world = await newWorld()
  await world.ann.registers()
  await makeEvents(world, 3)
  await world.ann.reads()
  const before = await logOf(world)

  await trimEvents(world.ctx)

  assert.deepEqual(await logOf(world), before)
})

test('without queues all old events are trimmed, and new queues work', async () => {
  const world = await newWorld()
  await makeEvents(world, 3)
  await letAnHourPass(world)

  await trimEvents(world.ctx)

  const { first, trimmed, last } = await logOf(world)
  assert.deepEqual([first, trimmed], [null, last])
  await world.ann.registers()
  await makeEvents(world, 1)
  assert.equal((await world.ann.receives('typing')).length, 1)
})

test('polling for trimmed events ends the queue instead of leaving a gap', async () => {
  const world = await newWorld()
  const { ann } = world
  const { last_event_id } = await ann.registers()
  await makeEvents(world, 5)
  await ann.reads()
  await ann.reads() // acknowledges the events of the first read
  await letAnHourPass(world)
  await trimEvents(world.ctx)
  world.ctx.follower.forget(world.realmId)
  await world.ctx.follower.follow(world.realmId)

  const { code } = await ann.isRefused(queues.getEvents, { queue_id: ann.queueId, last_event_id, dont_block: true })

  assert.equal(code, 'BAD_EVENT_QUEUE_ID')
})

test('a queue that is too far behind is ended, so that the log can be trimmed', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ann.registers()
  await makeEvents(world, 8)
  await ben.registers()
  await letAnHourPass(world)

  await trimEvents(world.ctx, 6)

  assert.equal((await ann.isRefused(queues.deleteQueue, { queue_id: ann.queueId })).code, 'BAD_EVENT_QUEUE_ID')
  assert.ok((await logOf(world)).trimmed > 0)
  await ben.reads()
})

test('a new epoch, in which event numbers jump, does not make a queue look far behind', async () => {
  const world = await newWorld()
  const { ann, ctx, realmId } = world
  await ann.registers()
  await makeEvents(world, 2)
  await sql`select begin_epoch(array[${realmId}::bigint], 1000000)`.execute(ctx.db)
  await makeEvents(world, 1)

  await trimEvents(ctx, 6)

  assert.equal((await ann.receives('typing')).length, 3)
})
