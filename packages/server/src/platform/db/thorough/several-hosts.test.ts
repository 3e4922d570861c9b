import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FreezingProxy } from '../../../testing/peers/freezing-proxy.ts'
import { until } from '../../../testing/until.ts'
import { query, start, tempFolder } from '../../postgres/test-support.ts'
import { connectToPrimary } from '../database-hosts.ts'
import { isConnectionError } from '../db-errors.ts'
import { createPool } from '../pool.ts'

const password = 'the same on both hosts'

/** A PostgreSQL that accepts writes, or behaves like a standby. */
async function startHost(t: TestContext, name: string) {
  const { url } = await start(t, join(tempFolder(t), 'data'))
  await query(url, `alter role parley password '${password}'; alter database parley set parley.host = '${name}'`)
  const known = new URL(url)
  known.password = password
  const allowWrites = (isAllowed: boolean) =>
    query(
      known.toString(),
      `set transaction read write;
       alter database parley set default_transaction_read_only = ${isAllowed ? 'off' : 'on'};
       select pg_terminate_backend(pid) from pg_stat_activity where datname = 'parley' and pid <> pg_backend_pid()`,
    )
  const { host } = new URL((await FreezingProxy.start(t, known.toString())).url)
  return { host, allowWrites }
}

test('of several hosts the one that accepts writes is used, also after another has taken over', async (t) => {
  const [first, second] = [await startHost(t, 'first'), await startHost(t, 'second')]
  await first.allowWrites(false)
  const hosts = ['127.0.0.1:1', first.host, second.host].join() // nothing listens on port 1
  const url = `postgres://parley:${encodeURIComponent(password)}@${hosts}/parley?target_session_attrs=read-write`
  const pool = createPool({ url, log: () => {} })
  t.after(() => pool.end())
  const errors: unknown[] = []
  const hostInUse = () =>
    until(async () => {
      const read = pool.query(`select current_setting('parley.host') as host`)
      return read.then(
        ({ rows }) => rows[0].host as string,
        (error) => void errors.push(error),
      )
    })

  assert.equal(await hostInUse(), 'second')
  assert.deepEqual(errors, [])
  await second.allowWrites(false)
  await first.allowWrites(true)
  assert.equal(await hostInUse(), 'first')
  const reserved = await pool.connect()
  reserved.release()

  assert.ok(errors.every(isConnectionError), String(errors))
  const client = await connectToPrimary(url)
  assert.deepEqual((await client.query(`show parley.host`)).rows, [{ 'parley.host': 'first' }])
  await client.end()
})
