import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

type Action = () => Promise<unknown>

const parallel = 15
const samples = 3
/** Shorter times are mostly noise, so they count as this many milliseconds. */
const floor = 100
/** A busy machine may spoil one comparison, but not three. */
const attempts = 3

/** Asserts that a user's action takes at most three times as long while another user floods the server. */
export async function assertFair(action: Action, flood: Action): Promise<void> {
  await action() // warm-up is not counted
  const ratios: number[] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    const alone = Math.max(floor, await medianTime(action))
    const during = await whileFlooded(flood, () => medianTime(action))
    ratios.push(during / alone)
    if (during <= 3 * alone) return
  }
  assert.fail(`takes ${ratios.map((ratio) => ratio.toFixed(1)).join(', ')} times as long during the flood`)
}

async function medianTime(action: Action): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < samples; n++) {
    const start = performance.now()
    await action()
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[Math.floor(samples / 2)]!
}

async function whileFlooded<T>(flood: Action, measure: () => Promise<T>): Promise<T> {
  let isOver = false
  const floods = Array.from({ length: parallel }, async () => {
    while (!isOver) {
      await flood()
      await sleep(5) // refused requests leave a pause for other users too
    }
  })
  await sleep(50)
  try {
    return await measure()
  } finally {
    isOver = true
    await Promise.all(floods)
  }
}

/** One request may keep the others waiting for this many milliseconds. */
const longestAllowed = 50

/**
 * Asserts that an action never blocks the main thread for long. Counts CPU time, so that a busy machine changes nothing.
 * Garbage collection may spoil one attempt, but not three.
 */
export async function assertShortTurns(action: Action): Promise<void> {
  const turns: number[] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    turns.push(await longestTurn(action))
    if (turns.at(-1)! < longestAllowed) return
  }
  assert.fail(`blocks the main thread for ${turns.map(Math.round).join(', ')} ms`)
}

/** The longest time in CPU milliseconds between two runs of a timer: a blocked thread runs none. */
async function longestTurn(action: Action): Promise<number> {
  let longest = 0
  let last = threadMilliseconds()
  const measure = () => {
    const now = threadMilliseconds()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(measure, 1)
  await action().finally(() => clearInterval(timer))
  measure()
  return longest
}

function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const client = `
  const { parentPort, workerData: { url, headers } } = require('node:worker_threads')
  require('node:http').get(url, { headers }, (response) => {
    response.resume().on('end', () => parentPort.postMessage(response.statusCode))
  })`

/** GETs a URL in another thread, so that the client's work does not count. Expects success. */
export async function getInOtherThread(url: string, headers: Record<string, string>): Promise<void> {
  const [status] = await once(new Worker(client, { eval: true, workerData: { url, headers } }), 'message')
  assert.equal(status, 200)
}
