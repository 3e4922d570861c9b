import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import pg from 'pg'
import { newWorld } from '../../testing/world.ts'

const world = await newWorld()

test('a large result is parsed in many turns of the event loop', async () => {
  const client = await world.ctx.pool.connect()
  const query = client.query(new pg.Query(`select repeat('x', 1000) from generate_series(1, 8000)`))
  let turn = 0
  let turning = setImmediate(function next() {
    turn++
    turning = setImmediate(next)
  })
  const rowsOfTurn: number[] = []
  query.on('row', () => {
    rowsOfTurn[turn] = (rowsOfTurn[turn] ?? 0) + 1
  })
  await once(query, 'end')
  clearImmediate(turning)
  client.release()
  const counts = Object.values(rowsOfTurn)
  assert.equal(
    counts.reduce((sum, one) => sum + one),
    8000,
  )
  assert.ok(Math.max(...counts) < 200, `at most ${Math.max(...counts)} rows in one turn`)
})
