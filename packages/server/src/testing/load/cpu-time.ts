import assert from 'node:assert/strict'

type Action = () => unknown

/** Less is mostly noise, so that it counts as this many milliseconds. */
const floor = 20
/** Garbage collection may spoil one comparison, but not three. */
const attempts = 3

/** Asserts that an action takes at most ten times the CPU time of a harmless one of its kind, on a busy machine too. */
export async function assertCheap(action: Action, harmless: Action): Promise<void> {
  await harmless() // warm-up is not counted
  const ratios: number[] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    const usual = Math.max(floor, await cpuTime(harmless))
    ratios.push((await cpuTime(action)) / usual)
    if (ratios.at(-1)! <= 10) return
  }
  assert.fail(`takes ${ratios.map((ratio) => ratio.toFixed(1)).join(', ')} times the CPU time`)
}

async function cpuTime(action: Action): Promise<number> {
  const start = process.threadCpuUsage()
  await action()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}
