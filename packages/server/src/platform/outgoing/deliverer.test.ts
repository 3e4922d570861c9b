import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../testing/until.ts'
import { Deliverer } from './deliverer.ts'

/** Endpoints of bots with a smaller id hang until they are aborted. */
const hanging = 200

function newDeliverer(begun: number[]): Deliverer {
  return new Deliverer({
    next: async (_realmId, botId, signal) => {
      begun.push(botId)
      if (botId < hanging) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return false
    },
    overdue: async () => [],
    interrupted: assert.fail,
  })
}

test('more hanging endpoints than slots do not block other bots', async () => {
  const begun: number[] = []
  const deliverer = newDeliverer(begun)
  for (let botId = 0; botId <= hanging; botId++) deliverer.wake(1, botId)
  assert.ok(begun.length <= 64, `${begun.length} at once`)

  await until(() => begun.includes(hanging))
  await deliverer.stop()
})

test('a bot has at most two running attempts', async () => {
  const begun: number[] = []
  const deliverer = newDeliverer(begun)
  for (let n = 0; n < 5; n++) deliverer.wake(1, 7)
  await until(() => begun.length === 2)
  await deliverer.stop()
  assert.deepEqual(begun, [7, 7])
})
