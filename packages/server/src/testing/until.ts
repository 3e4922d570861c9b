import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until a value is there, and returns it; fails after some seconds, enough also for a busy machine. */
export async function until<T>(
  find: () => T | undefined | false | Promise<T | undefined | false>,
  mostSeconds = 40,
): Promise<T> {
  const end = performance.now() + mostSeconds * 1000
  do {
    const found = await find()
    if (found) return found
    await sleep(15)
  } while (performance.now() < end)
  assert.fail(`what was waited for did not happen in ${mostSeconds} seconds`)
}
