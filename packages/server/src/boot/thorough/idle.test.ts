import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startHeartbeat } from '../../platform/jobs/heartbeat.ts'
import { newWorld } from '../../testing/world.ts'
import { startBackgroundWork } from '../background-jobs.ts'

const seconds = 5

test('an idle process asks the database at most four times a second', async (t) => {
  const { ctx, ann } = await newWorld()
  await ann.registers()
  const jobs = startBackgroundWork(ctx)
  const heartbeat = startHeartbeat({ pool: ctx.pool, log: ctx.log, serves: true, jobs })
  t.after(async () => {
    await jobs.stop()
    await heartbeat.stop()
  })
  await sleep(1000) // after the start
  const { mock } = t.mock.method(pg.Client.prototype, 'query')

  const counts: number[] = []
  // Three times, because jobs run at the beginning of a minute.
  for (let round = 0; round < 3; round++) {
    mock.resetCalls()
    await sleep(seconds * 1000)
    counts.push(mock.callCount())
  }
  assert.ok(Math.min(...counts) <= 4 * seconds, `${counts.join(', ')} statements in ${seconds} s each`)
})
