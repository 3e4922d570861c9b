import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Follower } from '../../../events/following/follower.ts'
import { readHeads } from '../../../events/following/log-epochs.ts'
import { readPage } from '../../../events/log.ts'
import type { Database } from '../../../platform/db/pool.ts'
import { Metrics } from '../../../platform/metrics.ts'
import type { Actor } from '../../../testing/actor.ts'
import { newRecord } from '../../../testing/crash/harness.ts'
import { brokenPromises, type CrashRecord } from '../../../testing/crash/record.ts'
import { listenTo } from '../../../testing/hub-client.ts'
import { holdAnswers } from '../../../testing/load/held-answers.ts'
import { until } from '../../../testing/until.ts'
import { newWorld, type World } from '../../../testing/world.ts'
import { QueueHub } from '../hub.ts'

const rounds = Number(process.env.INTERLEAVINGS ?? 60)
const random = (limit: number) => Math.floor(Math.random() * limit)

/** A second process on the database of the world. The answers it gets from the database arrive late and in another order. */
function slowProcess(t: TestContext, { ctx }: World) {
  const { db, flushes, waiting, close } = holdAnswers(ctx.pool.options.connectionString!, () => true)
  const follower = new Follower(db, flushes, ctx.log)
  const deps = { ...ctx, db, follower, metrics: new Metrics(), endQueue: async () => {}, endOldEpochs: async () => {} }
  const hub = new QueueHub(deps)
  const releaser = setInterval(() => {
    for (const go of waiting.splice(0)) setTimeout(go, random(4) === 0 ? random(300) : random(15))
  }, 1)
  t.after(async () => {
    follower.close()
    await hub.close()
    await close()
    clearInterval(releaser)
  })
  return { follower, hub }
}

/** Fails over to a standby that has everything. */
async function failOver(db: Database, realmId: number): Promise<void> {
  await sql`select begin_epoch(array[${realmId}::bigint], 1000000)`.execute(db)
}

/** Fails over to a standby that lacks what `act` does. */
async function failOverWithout(act: () => Promise<unknown>, { ctx, realmId }: World): Promise<void> {
  const counters = ctx.db.selectFrom('realm_counters').where('realm_id', '=', realmId)
  const before = await counters.select(['last_event', 'last_message']).executeTakeFirstOrThrow()
  await act()
  await ctx.db.transaction().execute(async (db) => {
    await db.updateTable('realm_counters').set(before).where('realm_id', '=', realmId).execute()
    await db.deleteFrom('events').where('realm_id', '=', realmId).where('seq', '>', before.last_event).execute()
    await db.deleteFrom('messages').where('realm_id', '=', realmId).where('id', '>', before.last_message).execute()
    await failOver(db, realmId)
  })
}

/**
 * Opens a queue for a user and polls it. Returns a check whether a message has arrived, which opens another queue if the server
 * has ended this one.
 */
async function listen(user: Actor, { realmId }: World, hub: QueueHub, { received, ended }: CrashRecord) {
  const open = async () => {
    const params = { event_types: ['message'], fetch_event_types: [], apply_markdown: false }
    const { queue_id, last_event_id } = await user.registers(params)
    const name = `${user.name} ${queue_id}`
    const client = listenTo(hub, { userId: user.id, realmId, queueId: queue_id, lastEventId: last_event_id })
    received.set(name, client.received)
    return { name, client }
  }
  let queue = await open()
  return async (content?: string) => {
    if (!queue.client.hasEnded) return queue.client.received.at(-1)?.content === content
    ended.add(queue.name)
    queue = await open()
    return false
  }
}

/** Reports the end of the log like a commit of the process itself, like a hint of another one, or not at all. */
async function report({ ctx, realmId }: World, follower: Follower): Promise<void> {
  const [head] = await readHeads(ctx.db, [realmId])
  const kind = random(4)
  if (kind === 3) follower.hinted(new Map([[realmId, head!.last_event]]))
  const { events } = await readPage(ctx.db, realmId, head!.last_event - 1 - random(2), 10)
  if (kind > 0 && kind < 3 && events.length > 0) follower.committed(realmId, events)
}

test('however late answers of the database arrive, a queue delivers everything in order, or ends first', async (t) => {
  const world = await newWorld()
  const { ann, ben, mona, gus, ctx, realmId } = world
  const { follower, hub } = slowProcess(t, world)
  const record = newRecord()
  const checks = await Promise.all([ben, mona, gus].map((user) => listen(user, world, hub, record)))
  const haveReceived = async (content?: string) =>
    (await Promise.all(checks.map((check) => check(content)))).every(Boolean)
  for (let round = 0; round < rounds; round++) {
    for (let n = random(4); n > 0; n--) {
      await ann.sends({ to: [ben, mona, gus], content: `message ${round} ${n}` })
      await report(world, follower)
    }
    await haveReceived()
    if (random(3) === 0) await failOver(ctx.db, realmId)
    else if (random(8) === 0)
      await failOverWithout(async () => {
        await ann.sends({ to: [ben, mona, gus], content: `lost ${round}` })
        await report(world, follower)
        await sleep(random(30))
      }, world)
    await report(world, follower)
    await sleep(random(150)) // some reads of the new epoch begin before its first events
  }
  // Queues that end only now are followed by others, which get the next message. What is missing is reported below.
  for (let n = 0; n < 3; n++) {
    const content = `message at last ${n}`
    await ann.sends({ to: [ben, mona, gus], content })
    await until(() => haveReceived(content)).catch(() => {})
  }

  const stored = await ctx.db.selectFrom('messages').select(['id', 'content']).where('realm_id', '=', realmId).execute()
  record.stored = stored.filter(({ content }) => content.startsWith('message')).sort((a, b) => a.id - b.id)
  t.diagnostic(`${record.stored.length} messages, ${record.received.size} queues, of which ${record.ended.size} ended`)
  assert.deepEqual(brokenPromises(record, true), [])
})
