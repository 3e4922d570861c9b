import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as flags from '@parley/api/conversations/flags'
import * as reactions from '@parley/api/conversations/reactions'
import { setTypingStatus } from '@parley/api/conversations/typing'
import { sql } from 'kysely'
import { actIn } from '../../context.ts'
import { column, one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Actor } from '../../testing/actor.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'
import type { Tx } from '../transact.ts'

const world = await newWorld()
const { ctx, realmId } = world
const users = [world.olga, world.adam, world.mona, world.ann, world.ben]
const actor = (index: number) => ({ id: users[index]!.id, realm_id: realmId })

/** An event that says which act emitted it. */
const emit = (tx: Tx, name: string) => tx.emit({ type: 'typing', op: 'start', name } as never, { users: [] })

async function transactionOf(tx: Tx): Promise<string> {
  return (await one<{ id: string }>(tx.db)`select pg_current_xact_id()::text as id`).id
}

/** The names of the acts, in the order of their events. */
function emittedNames(prefix: string): Promise<string[]> {
  return column<string>(ctx.db)`
    select payload::json ->> 'name' from events
     where realm_id = ${realmId} and payload::json ->> 'name' like ${`${prefix}%`} order by seq`
}

test('acts that arrive during a transaction share the next one', async () => {
  const [first, ...later] = await Promise.all(users.map((_, index) => actIn(ctx, actor(index), transactionOf)))
  assert.equal(new Set(later).size, 1)
  assert.notEqual(later[0], first)
})

test('acts of one user are done in order, each in a transaction of its own', async () => {
  const names = ['order 1', 'order 2', 'order 3']
  const act = (name: string) =>
    actIn(ctx, actor(0), async (tx) => {
      emit(tx, name)
      return transactionOf(tx)
    })
  const ids = await Promise.all(names.map(act))
  assert.equal(new Set(ids).size, 3)
  assert.deepEqual(await emittedNames('order'), names)
})

test('a refused act emits nothing and does not fail the others', async () => {
  const act = (index: number) =>
    actIn(ctx, actor(index), async (tx) => {
      emit(tx, `refused ${index}`)
      await transactionOf(tx)
      if (index === 2) throw new ApiError('No.')
      return index
    })
  const outcomes = await Promise.allSettled(users.map((_, index) => act(index)))
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    [0, 1, 'No.', 3, 4],
  )
  assert.deepEqual((await emittedNames('refused')).sort(), ['refused 0', 'refused 1', 'refused 3', 'refused 4'])
})

test('if a statement of one act fails, the others are done again without it', async () => {
  const act = (index: number) =>
    actIn(ctx, actor(index), async (tx) => {
      emit(tx, `failed ${index}`)
      await sql`select 1 / ${index === 2 ? 0 : 1}::integer`.execute(tx.db)
    })
  const outcomes = await Promise.allSettled(users.map((_, index) => act(index)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual((await emittedNames('failed')).sort(), ['failed 0', 'failed 1', 'failed 3', 'failed 4'])
})

test('acts whose connection is lost are not done again', async () => {
  let runs = 0
  const act = (index: number) =>
    actIn(ctx, actor(index), async (tx) => {
      runs++
      emit(tx, `lost ${index}`)
      await transactionOf(tx)
      if (index === 2) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx.db)
    })
  const [first, ...later] = await Promise.allSettled(users.map((_, index) => act(index)))
  assert.equal(first!.status, 'fulfilled')
  assert.ok(later.every(({ status }) => status === 'rejected'))
  assert.equal(runs, users.length)
  assert.deepEqual(await emittedNames('lost'), ['lost 0'])
})

test('an act that waits for a lock does not keep the others waiting', async () => {
  const { ann, ben, mona } = world
  const message_id = await ann.sends({ to: [ben, mona] })
  const own = await ben.sends({ to: [ben] })
  const client = await ctx.pool.connect()
  await client.query('begin')
  await client.query('select from messages where realm_id = $1 and id = $2 for update', [realmId, message_id])

  const waiting = ['tada', 'heart'].map((emoji_name, index) =>
    [ann, mona][index]!.does(reactions.addReaction, { path: { message_id }, emoji_name }),
  )
  await ben.does(flags.updateMessageFlags, { messages: [own], op: 'add', flag: 'starred' })

  await client.query('commit')
  client.release()
  await Promise.all(waiting)
})

test('state and events agree after concurrent acts of several users, some of them refused', async () => {
  const { ann, ben, mona } = world
  const message_id = await ann.sends({ to: [ben, mona] })
  await verifyEvents([ann, ben, mona], async () => {
    const act = async (user: Actor) => {
      await user.does(reactions.addReaction, { path: { message_id }, emoji_name: 'tada' })
      await user.isRefused(reactions.removeReaction, { path: { message_id }, emoji_name: 'heart' })
      await user.does(flags.updateMessageFlags, { messages: [message_id], op: 'remove', flag: 'read' })
      await user.does(setTypingStatus, { op: 'start', to: [ann.id, ben.id] })
      await user.does(flags.updateMessageFlags, { messages: [message_id], op: 'add', flag: 'starred' })
      await user.does(reactions.removeReaction, { path: { message_id }, emoji_name: 'tada' })
    }
    await Promise.all([ann, ben, mona].map(act))
  })
})
