import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

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

/** The longest time in CPU milliseconds for which the action blocked the main thread. */
export async function longestTurn(action: Action): Promise<number> {
  let isOver = false
  let longest = 0
  const watching = (async () => {
    while (!isOver) {
      const start = process.threadCpuUsage()
      await new Promise((resolve) => setImmediate(resolve))
      const { user, system } = process.threadCpuUsage(start)
      longest = Math.max(longest, (user + system) / 1000)
    }
  })()
  await action().finally(() => {
    isOver = true
  })
  await watching
  return longest
}
