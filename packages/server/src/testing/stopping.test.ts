import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newLoopback } from './peers/loopback.ts'
import { until } from './until.ts'

test('before it refuses connections, a server diverts reads and polls to others and still serves writes', async () => {
  const { ctx, realm, ann, ben } = await newLoopback()
  const { queue_id } = await ben.registers()
  const read = async (path: string) => (await fetch(`${realm}${path}`, { headers: ben.headers })).status
  const poll = () => read(`/api/v1/events?queue_id=${queue_id}&last_event_id=-1&dont_block=true`)
  ctx.shutdown.graceMilliseconds = 2000
  assert.equal(await poll(), 200)

  const stopped = ctx.shutdown.announce()
  assert.deepEqual([await poll(), await read('/health/ready')], [200, 503])
  await until(async () => (await read('/api/v1/server_settings')) === 502)
  assert.deepEqual([await poll(), await read('/health')], [502, 200])
  await ann.sends({ to: [ben] })
  await stopped
})
