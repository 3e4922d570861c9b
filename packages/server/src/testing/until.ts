import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until a value is there, and returns it; fails after a timeout. */
export async function until<T>(
  find: () => T | undefined | false | Promise<T | undefined | false>,
  mostTries = 800,
): Promise<T> {
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await find()
    if (found) return found
    await sleep(15)
  }
  assert.fail('what was waited for did not happen')
}
