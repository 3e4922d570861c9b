import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'
import { Replication } from '../backup/replication.ts'
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

test('a backup that follows the database is no standby', async (t) => {
  const { ctx, ownerUrl } = await newWorld()

  const backup = await Replication.connect(ownerUrl)
  t.after(() => backup.close())
  const isListed = async () => (await ctx.pool.query('select from pg_stat_replication')).rows.length > 0

  await until(isListed)
  assert.equal(await warnOfAsynchronousStandby(ctx.pool), undefined)
})
