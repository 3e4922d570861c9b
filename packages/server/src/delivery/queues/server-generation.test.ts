import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHeartbeat } from '../../platform/jobs/heartbeat.ts'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'
import { beginGeneration } from './server-generation.ts'

test('a client whose queue survives a restart receives a restart event', async () => {
  const { ann, ben, ctx } = await newWorld()
  const { server_generation: before } = await ann.registers()
  await ben.registers({ event_types: ['message'] })

  await beginGeneration(ctx)

  const [event, ...others] = await ann.reads()
  const now = await ann.registers()
  assert.deepEqual(others, [])
  assert.deepEqual(event, {
    id: event!.id,
    type: 'restart',
    zulip_version: now.zulip_version,
    zulip_feature_level: 372,
    zulip_merge_base: now.zulip_merge_base,
    server_generation: now.server_generation,
  })
  assert.ok(now.server_generation! > before!)
  assert.deepEqual(await ben.reads(), [])
})

test('a process that joins others of the same version emits no restart event', async (t) => {
  const { ann, ctx } = await newWorld()
  await beginGeneration(ctx)
  const other = startHeartbeat({ pool: ctx.pool, log: ctx.log, serves: true, jobs: undefined })
  t.after(() => other.stop())
  await until(() => ctx.db.selectFrom('processes').select('id').where('serves', '=', true).executeTakeFirst())
  await ann.registers()

  await beginGeneration(ctx)

  assert.deepEqual(await ann.reads(), [])
})
