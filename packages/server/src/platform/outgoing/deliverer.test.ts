import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../testing/until.ts'
import { Deliverer } from './deliverer.ts'

/** Endpoints of targets with a smaller id hang until they are aborted. */
const hanging = 200

function newDeliverer(begun: number[]): Deliverer {
  return new Deliverer({
    next: async (_realmId, targetId, signal) => {
      begun.push(targetId)
      if (targetId < hanging) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return false
    },
    overdue: async () => [],
    interrupted: assert.fail,
  })
}

test('more hanging endpoints than slots do not block other targets', async () => {
  const begun: number[] = []
  const deliverer = newDeliverer(begun)
  for (let targetId = 0; targetId <= hanging; targetId++) deliverer.wake(1, targetId)
  assert.ok(begun.length <= 64, `${begun.length} at once`)

  await until(() => begun.includes(hanging))
  await deliverer.stop()
})

test('a target has at most two running attempts', async () => {
  const begun: number[] = []
  const deliverer = newDeliverer(begun)
  for (let n = 0; n < 5; n++) deliverer.wake(1, 7)
  await until(() => begun.length === 2)
  await deliverer.stop()
  assert.deepEqual(begun, [7, 7])
})
