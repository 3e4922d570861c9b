import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue, type FairQueueOptions, type QueueFull } from './fair-queue.ts'

const roomy = { waitingPerOwner: 100, waitingInTotal: 100 }

/** A queue whose jobs run until the test finishes them, and the order in which they started. */
function newQueue(options: Partial<FairQueueOptions> & { concurrency: number }) {
  const queue = new FairQueue({ ...roomy, ...options })
  const started: string[] = []
  const finish = new Map<string, () => void>()
  function run(owner: string, job: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    finish.set(job, resolve)
    return queue.run(owner, () => {
      started.push(job)
      return promise
    })
  }
  return { queue, started, run, finish: (job: string) => finish.get(job)!() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('owners take turns, however many jobs one of them has waiting', async () => {
  const { started, run, finish } = newQueue({ concurrency: 1 })
  const jobs = ['a1', 'a2', 'a3', 'a4'].map((job) => run('a', job))
  jobs.push(run('b', 'b1'), run('b', 'b2'), run('c', 'c1'))
  for (const job of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']) {
    await settled()
    assert.equal(started.at(-1), job)
    finish(job)
  }
  await Promise.all(jobs)
})

test('one owner leaves a slot free for the others', async () => {
  const { started, run } = newQueue({ concurrency: 2, concurrencyPerOwner: 1 })
  for (const job of ['a1', 'a2']) void run('a', job)
  void run('b', 'b1')
  await settled()
  assert.deepEqual(started, ['a1', 'b1'])
})

test('an owner with too many waiting jobs is refused, and others are not', async () => {
  const { started, run, queue } = newQueue({ concurrency: 1, waitingPerOwner: 1 })
  for (const job of ['a1', 'a2']) void run('a', job)
  await assert.rejects(run('a', 'a3'), (error: QueueFull) => {
    assert.equal(error.status, 429)
    assert.equal(error.headers['Retry-After'], '5')
    return true
  })
  void run('b', 'b1')
  assert.equal(queue.waiting, 2)
  assert.deepEqual(started, ['a1'])
})

test('a full queue refuses every owner', async () => {
  const { run } = newQueue({ concurrency: 1, waitingInTotal: 1 })
  for (const job of ['a1', 'a2']) void run('a', job)
  await assert.rejects(run('b', 'b1'), (error: QueueFull) => error.status === 503)
})

test('a failed job frees its slot and reports its error', async () => {
  const { queue } = newQueue({ concurrency: 1 })
  const failing = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', () => 'done')
  await assert.rejects(failing, /broken/)
  assert.equal(await next, 'done')
})
