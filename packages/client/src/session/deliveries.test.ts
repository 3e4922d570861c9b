import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scripted } from '../testing.ts'
import { ParleyError } from '../wire/errors.ts'
import { Deliveries, DeliveryExpired } from './deliveries.ts'

const lost = new TypeError('fetch failed')
const star = (id: number) => ({ messages: [id], op: 'add' as const, flag: 'starred' as const })

test('a delivery is repeated with the same key until the server answers', async () => {
  const inUse = { status: 409, code: 'IDEMPOTENCY_KEY_IN_USE' }
  const { client, received } = scripted(lost, inUse, { status: 503, code: 'SERVICE_UNAVAILABLE' }, { messages: [] })
  const deliveries = new Deliveries(client)
  const done = deliveries.deliver('updateMessageFlags', star(1))
  const hurrying = setInterval(() => deliveries.hurry(), 5)
  await done
  clearInterval(hurrying)
  assert.equal(received.length, 4)
  assert.match(received[0]!.idempotencyKey!, /^[0-9a-f]{32}$/)
  assert.equal(new Set(received.map(({ idempotencyKey }) => idempotencyKey)).size, 1)
})

test('deliveries arrive in order, each with its own key', async () => {
  const { client, received } = scripted(lost, {}, {}, {})
  const deliveries = new Deliveries(client)
  const all = [1, 2, 3].map((id) => deliveries.deliver('updateMessageFlags', star(id)))
  await Promise.all(all)
  assert.deepEqual(
    received.map(({ params }) => params.messages),
    ['[1]', '[1]', '[2]', '[3]'],
  )
  assert.equal(new Set(received.map(({ idempotencyKey }) => idempotencyKey)).size, 3)
})

test('a refused delivery fails, and the next one goes on', async () => {
  const { client } = scripted({ status: 409, code: 'OUTCOME_UNKNOWN' }, {})
  const deliveries = new Deliveries(client)
  const [refused, next] = [1, 2].map((id) => deliveries.deliver('updateMessageFlags', star(id)))
  await assert.rejects(refused!, (error) => error instanceof ParleyError && error.code === 'OUTCOME_UNKNOWN')
  await next
})

test('a delivery is not repeated after the server may have forgotten its key', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  const { client, received } = scripted(lost, {})
  const done = new Deliveries(client).deliver('updateMessageFlags', star(1))
  t.mock.timers.tick(24 * 3_600_000)
  await assert.rejects(done, DeliveryExpired)
  assert.equal(received.length, 1)
})
