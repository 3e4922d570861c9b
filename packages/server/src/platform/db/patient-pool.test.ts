import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type pg from 'pg'
import { newWorld } from '../../testing/world.ts'
import { createPool } from './pool.ts'

/** A pool with one open connection. */
async function openPool(t: TestContext, patienceMilliseconds: number): Promise<pg.Pool> {
  const { ctx } = await newWorld()
  const pool = createPool({ url: ctx.pool.options.connectionString!, patienceMilliseconds, log: () => {} })
  t.after(() => void pool.end())
  await pool.query('select')
  return pool
}

test('a short burst of statements needs no further connection', async (t) => {
  const pool = await openPool(t, 10_000)
  await Promise.all(Array.from({ length: 10 }, () => pool.query('select')))
  assert.equal(pool.totalCount, 1)
})

test('another connection opens while the open one stays busy', async (t) => {
  const pool = await openPool(t, 5)
  const busy = await pool.connect()
  await pool.query('select')
  assert.equal(pool.totalCount, 2)
  busy.release()
})

test('those who wait for a connection get it in their order', async (t) => {
  const pool = await openPool(t, 10_000)
  const order: number[] = []
  await Promise.all([1, 2, 3].map((n) => pool.query('select').then(() => order.push(n))))
  assert.deepEqual(order, [1, 2, 3])
})

test('nobody waits where more than a few connections are open', async (t) => {
  const pool = await openPool(t, 1000)
  const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()))
  t.mock.timers.enable({ apis: ['setTimeout'] }) // so that waiting would never end
  clients.push(await pool.connect())
  assert.equal(pool.totalCount, 5)
  for (const client of clients) client.release()
})
