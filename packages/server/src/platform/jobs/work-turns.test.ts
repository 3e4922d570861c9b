import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WorkTurns } from './work-turns.ts'

/** Performs this many jobs, each by a worker of its own, and returns how many ran at the same time at most. */
async function mostAtOnce(turns: WorkTurns, jobs: number, work: () => Promise<void>): Promise<number> {
  let running = 0
  let most = 0
  const perform = async () => {
    most = Math.max(most, ++running)
    await work()
    running--
  }
  const done = Array.from({ length: jobs }, () => turns.run(async () => 'job', perform))
  assert.deepEqual(new Set(await Promise.all(done)), new Set([true]))
  return most
}

test('a few short jobs are performed one after another', async () => {
  assert.equal(await mostAtOnce(new WorkTurns(), 5, async () => {}), 1)
})

test('long jobs are performed at the same time', async () => {
  assert.equal(await mostAtOnce(new WorkTurns(), 3, () => sleep(300)), 3)
})

test('many short jobs are performed at the same time', async () => {
  assert.ok((await mostAtOnce(new WorkTurns(), 40, () => sleep(10))) > 2)
})

test('a worker that finds nothing, or whose job fails, lets the next one look', async () => {
  const turns = new WorkTurns()
  const failing = turns.run(
    async () => 'job',
    () => Promise.reject(new Error('failed')),
  )
  const idle = turns.run(
    async () => undefined,
    async () => {},
  )
  await assert.rejects(failing, /failed/)
  assert.equal(await idle, false)
  assert.equal(await mostAtOnce(turns, 1, async () => {}), 1)
})
