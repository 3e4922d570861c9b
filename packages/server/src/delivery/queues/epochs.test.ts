import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { Follower } from '../../events/following/follower.ts'
import { readHeads } from '../../events/following/log-epochs.ts'
import { readPage } from '../../events/log.ts'
import { Metrics } from '../../platform/metrics.ts'
import { listenTo } from '../../testing/hub-client.ts'
import { holdAnswers } from '../../testing/load/held-answers.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { QueueHub } from './hub.ts'
import type { Poll } from './registry.ts'

/** A second process on the database of the world, whose reads can be held back. */
function secondProcess(t: TestContext, { ctx }: World) {
  let held: RegExp | undefined
  const { db, flushes, waiting, close } = holdAnswers(
    ctx.pool.options.connectionString!,
    (text) => held?.test(text) ?? false,
  )
  const follower = new Follower(db, flushes, ctx.log)
  const deps = { ...ctx, db, follower, metrics: new Metrics(), endQueue: async () => {}, endOldEpochs: async () => {} }
  const hub = new QueueHub(deps)
  t.after(async () => {
    follower.close()
    await hub.close()
    await close()
  })
  /** Lets `act` read something from the database, and holds the answer back until the returned function is called. */
  const holding = async <T>(statement: RegExp, act: () => T) => {
    held = statement
    const result = act()
    await until(() => waiting.length > 0)
    held = undefined
    return [() => waiting.shift()!(), result] as const
  }
  return { follower, hub, holding }
}

const pageOfLog = /payload/
const counters = /epoch.* from "?realm_counters/s

async function beginEpoch({ ctx, realmId }: World): Promise<void> {
  await sql`select begin_epoch(array[${realmId}::bigint], 1000000)`.execute(ctx.db)
}

/** Lets a process read the log up to its end. */
async function catchUp(world: World, follower: Follower): Promise<void> {
  const end = await lastEvent(world)
  follower.hinted(new Map([[world.realmId, end]]))
  await until(() => follower.head(world.realmId) === end)
}

async function lastEvent({ ctx, realmId }: World): Promise<number> {
  return (await readHeads(ctx.db, [realmId]))[0]!.last_event
}

async function bensPoll({ ben, realmId }: World): Promise<Poll> {
  const { queue_id, last_event_id } = await ben.registers({ event_types: ['message'], fetch_event_types: [] })
  return { userId: ben.id, realmId, queueId: queue_id, lastEventId: last_event_id }
}

test('a client whose page of the log was empty receives the events that were appended while it was read', async (t) => {
  const world = await newWorld()
  const { ann, ben, realmId } = world
  const { follower, hub, holding } = secondProcess(t, world)
  const poll = await bensPoll(world)
  await beginEpoch(world)
  await follower.follow(realmId)
  const [release, { received }] = await holding(pageOfLog, () => listenTo(hub, poll))
  const sent = [await ann.sends({ to: [ben] }), await ann.sends({ to: [ben] })]
  await catchUp(world, follower)

  release()
  sent.push(await ann.sends({ to: [ben] }))
  await catchUp(world, follower)

  const ids = () => received.map(({ messageId }) => messageId)
  await until(() => ids().at(-1) === sent.at(-1))
  assert.deepEqual(ids(), sent)
})

test('a page of the log that was overtaken by a new epoch is not delivered', async (t) => {
  const world = await newWorld()
  const { ann, ben, realmId } = world
  const { follower, holding } = secondProcess(t, world)
  await follower.follow(realmId)
  const delivered: number[] = []
  follower.onEvents((_, events) => void delivered.push(...events.map(({ seq }) => seq)))
  await beginEpoch(world)
  await ann.sends({ to: [ben] })
  const end = await lastEvent(world)
  const [release] = await holding(counters, () => follower.hinted(new Map([[realmId, end]])))
  await until(() => follower.head(realmId) === end) // the poll of the counters was faster

  await ann.sends({ to: [ben] })
  follower.committed(realmId, (await readPage(world.ctx.db, realmId, end, 10)).events)
  release()
  await ann.sends({ to: [ben] })
  await catchUp(world, follower)

  assert.deepEqual(delivered, [end + 1, end + 2])
})
