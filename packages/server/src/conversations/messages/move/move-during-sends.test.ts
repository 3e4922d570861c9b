import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { addReaction } from '@parley/api/conversations/reactions'
import { sql } from 'kysely'
import { one } from '../../../platform/db/query.ts'
import { inChannel } from '../../../testing/channels.ts'
import { edits, sees, topicOf } from '../../../testing/editing.ts'
import { until } from '../../../testing/until.ts'
import { newWorld, type World } from '../../../testing/world.ts'

const quietly = { send_notification_to_new_thread: false } as const
const whole = { propagate_mode: 'change_all', ...quietly } as const

/** Blocks a move halfway, by locking the message `locked`, while `work` runs. */
async function whileMoving<T>(
  { ctx, realmId }: World,
  locked: number,
  move: () => Promise<unknown>,
  work: () => Promise<T>,
) {
  const { moving, result } = await ctx.db.transaction().execute(async (other) => {
    await sql`select 1 from messages where realm_id = ${realmId} and id = ${locked} for no key update`.execute(other)
    const moving = move()
    await until(async () => {
      const { waits } = await one<{ waits: boolean }>(other)`
        select exists (select 1 from pg_stat_activity
                        where datname = current_database() and wait_event_type = 'Lock') as waits`
      return waits
    })
    return { moving, result: await work() }
  })
  await moving
  return result
}

async function newScene() {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const rome = await inChannel('rome', [ann, ben])
  const ids = [
    await ann.sends({ channel: 'verona', topic: 'castle' }),
    await ann.sends({ channel: 'verona', topic: 'castle' }),
  ]
  return { ...world, rome, ids }
}

test('users can send during a merge of topics, and messages sent to the old topic move too', async () => {
  const world = await newScene()
  const { ann, ben, ids } = world
  const there = await ann.sends({ channel: 'verona', topic: 'tower' })
  const merge = () => edits(ann, ids[0]!, { topic: 'tower', ...whole })
  await ben.registers()
  const [late, later] = await whileMoving(world, ids[1]!, merge, async () => [
    await ben.sends({ channel: 'verona', topic: 'castle' }),
    await ben.sends({ channel: 'verona', topic: 'tower' }),
  ])
  assert.deepEqual(await topicOf(ben, 'verona', 'tower'), [...ids, there, late, later])
  assert.deepEqual(await topicOf(ben, 'verona', 'castle'), [])
  const [moved] = await ben.receives('update_message')
  assert.deepEqual(moved!.message_ids, [...ids, late])
  assert.equal((await sees(ben, late!)).edit_history!.length, 1)
  assert.equal((await sees(ben, later!)).edit_history, undefined)
})

test('messages sent while their topic moves to another channel move too and stay unread', async () => {
  const world = await newScene()
  const { ann, ben, ids, rome } = world
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  const late = await whileMoving(world, ids[1]!, move, () => ann.sends({ channel: 'verona', topic: 'castle' }))
  assert.deepEqual(await topicOf(ben, 'rome', 'castle'), [...ids, late])
  for (const id of [...ids, late]) {
    const { flags, stream_id, edit_history } = await sees(ben, id)
    assert.deepEqual([flags, stream_id, edit_history!.length], [[], rome, 1])
  }
})

test('a move merges into a topic that is created under the new name during the move', async () => {
  const world = await newScene()
  const { ann, ben, ids, rome } = world
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  const created = await whileMoving(world, ids[1]!, move, () => ben.sends({ channel: 'rome', topic: 'Castle' }))
  assert.deepEqual(await topicOf(ben, 'rome', 'castle'), [...ids, created])
  for (const id of ids) assert.equal((await sees(ben, id)).edit_history!.length, 1)
  assert.equal((await sees(ben, created)).edit_history, undefined)
})

test('a move of part of a topic merges into a topic that is created under the new name during the move', async () => {
  const world = await newScene()
  const { ann, ben, ids } = world
  const last = await ann.sends({ channel: 'verona', topic: 'castle' })
  const split = () => edits(ann, ids[1]!, { topic: 'gate', propagate_mode: 'change_later', ...quietly })
  const created = await whileMoving(world, last, split, () => ben.sends({ channel: 'verona', topic: 'gate' }))
  assert.deepEqual(await topicOf(ben, 'verona', 'gate'), [ids[1], last, created])
  assert.deepEqual(await topicOf(ben, 'verona', 'castle'), [ids[0]])
})

test('a reply sent while the only message of its topic moves stays in the topic', async () => {
  const world = await newScene()
  const { ann, ben, rome } = world
  const only = await ann.sends({ channel: 'verona', topic: 'keep' })
  const move = () => edits(ann, only, { stream_id: rome, ...quietly })
  const reply = await whileMoving(world, only, move, () => ben.sends({ channel: 'verona', topic: 'keep' }))
  assert.deepEqual(await topicOf(ben, 'verona', 'keep'), [reply])
  assert.deepEqual(await topicOf(ben, 'rome', 'keep'), [only])
})

test('a star added while the message moves is not lost', async () => {
  const world = await newScene()
  const { ann, ben, ids, rome } = world
  await ben.does(updateMessageFlags, { op: 'add', flag: 'read', messages: [ids[1]!] })
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  await whileMoving(world, ids[1]!, move, () =>
    ben.does(updateMessageFlags, { op: 'add', flag: 'starred', messages: [ids[0]!] }),
  )
  assert.deepEqual((await sees(ben, ids[0]!)).flags, ['starred'])
})

test('a move does not block reactions, edits and flag updates on other messages of both channels', async () => {
  const world = await newScene()
  const { ann, ben, ids, rome } = world
  const unmoved = [
    await ben.sends({ channel: 'verona', topic: 'gate' }),
    await ben.sends({ channel: 'rome', topic: 'forum' }),
  ]
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  await whileMoving(world, ids[1]!, move, async () => {
    for (const id of unmoved) {
      await ann.does(addReaction, { path: { message_id: id }, emoji_name: 'tada' })
      await edits(ben, id, { content: 'second' })
    }
    await ben.does(updateMessageFlags, { op: 'add', flag: 'read', messages: [ids[0]!] })
  })
  for (const id of unmoved) {
    const { content, reactions } = await sees(ann, id)
    assert.deepEqual([content, reactions.length], ['<p>second</p>', 1])
  }
  assert.deepEqual(await Promise.all(ids.map(async (id) => (await sees(ben, id)).flags)), [['read'], []])
})

test('a reaction to a message that is moving waits, and its event follows the event of the move', async () => {
  const world = await newScene()
  const { ann, ben, ids, rome } = world
  await ben.registers()
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  const [reacting] = await whileMoving(world, ids[1]!, move, async () => [
    ben.does(addReaction, { path: { message_id: ids[0]! }, emoji_name: 'tada' }),
  ])
  await reacting
  const types = (await ben.reads()).map(({ type }) => type)
  assert.deepEqual(
    types.filter((type) => type === 'update_message' || type === 'reaction'),
    ['update_message', 'reaction'],
  )
})
