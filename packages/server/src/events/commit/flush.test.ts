import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { type Context, transactIn } from '../../context.ts'
import { one } from '../../platform/db/query.ts'
import { OutcomeUnknown } from '../../platform/http/api-error.ts'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'
import type { Tx } from '../transact.ts'

const { ctx: shared, realmId, ann } = await newWorld()

/** Other tests do not wait for the disk. */
function durableContext(): Promise<Context> {
  const url = new URL(shared.pool.options.connectionString!)
  url.searchParams.set('options', '-c synchronous_commit=on')
  return createContext(shared.config, url.toString())
}

/** How a transaction that emits these events will commit, and up to where it has written. */
async function commitOf(ctx: Context, emit: (tx: Tx) => void | Promise<void>) {
  return transactIn(ctx, realmId, async (tx) => {
    await emit(tx)
    await tx.flush()
    return one<{ mode: string; position: string }>(tx.db)`
      select current_setting('synchronous_commit') as mode, pg_current_wal_insert_lsn()::text as position`
  })
}

const typing = (tx: Tx) =>
  tx.emit(
    { type: 'typing', op: 'start', message_type: 'direct', sender: { user_id: ann.id, email: '' }, recipients: [] },
    { users: [ann.id] },
  )

test('an acknowledged small act is on disk, although its commit did not wait for that', async () => {
  const ctx = await durableContext()
  const { mode, position } = await commitOf(ctx, typing)
  assert.equal(mode, 'off')
  const { isFlushed } = await one<{ isFlushed: boolean }>(ctx.db)`
    select pg_current_wal_flush_lsn() >= ${position}::pg_lsn as "isFlushed"`
  assert.ok(isFlushed)
  await closeContext(ctx)
})

test('what changes caches, is audited or starts jobs is on disk before others see it', async () => {
  const ctx = await durableContext()
  const acts: ((tx: Tx) => void | Promise<void>)[] = [
    (tx) => tx.emitInternal({ access: true }),
    async (tx) => {
      typing(tx)
      await tx.flush()
      tx.emitInternal({ access: true })
    },
    async (tx) => {
      typing(tx)
      await tx.audit(ann.id, 'tested', {})
    },
  ]
  for (const act of acts) assert.equal((await commitOf(ctx, act)).mode, 'on')
  await closeContext(ctx)
})

/** Ends the connection that flushes, as a crash of the database does. */
async function crash(): Promise<void> {
  const { ended } = await one<{ ended: number }>(shared.db)`
    select count(pg_terminate_backend(pid, 5000)) as ended from pg_stat_activity
     where application_name = 'parley flush' and datname = current_database()`
  assert.ok(ended > 0)
}

test('one flush serves all who wait for it', async (t) => {
  const ctx = await durableContext()
  const flush = await ctx.flushes.open()
  const { mock } = t.mock.method(pg.Client.prototype, 'query')
  await Promise.all(Array.from({ length: 20 }, () => flush()))
  const flushes = mock.calls.filter(({ arguments: [query] }) => (query as { name?: string }).name === 'flush')
  assert.equal(flushes.length, 1)
  await closeContext(ctx)
})

test('if the flush fails, the outcome is unknown and nothing is delivered', async (t) => {
  const ctx = await durableContext()
  const delivered = t.mock.method(ctx.follower, 'committed')
  const acting = transactIn(ctx, realmId, async (tx) => {
    tx.emitInternal({ ended_queues: [`of ${ann.id}`] })
    await crash()
  })
  await assert.rejects(acting, OutcomeUnknown)
  assert.equal(delivered.mock.callCount(), 0)
  await closeContext(ctx)
})

test('a flush does not vouch for what was committed before its connection was opened', async () => {
  const ctx = await durableContext()
  const before = await ctx.flushes.open()
  await crash()
  await until(async () => (await ctx.flushes.open()) !== before)
  await (await ctx.flushes.open())()
  await assert.rejects(before())
  await closeContext(ctx)
})
