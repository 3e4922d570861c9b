import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'
import { warnOfAsynchronousStandby } from './standby.ts'

test('a standby for which commits do not wait is a warning, also without the right to read statistics', async (t) => {
  const { ctx, ownerUrl } = await newWorld()
  const warning = () => warnOfAsynchronousStandby(ctx.pool)
  assert.equal(await warning(), undefined)

  const standby = new pg.Client({ connectionString: ownerUrl, replication: 'true' } as pg.ClientConfig)
  await standby.connect()
  t.after(() => standby.end())
  await until(async () => (await warning())?.startsWith('A standby of the database is asynchronous'))
})
