import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateMessageFlags } from '@parley/api/flags'
import { addReaction } from '@parley/api/reactions'
import { sql } from 'kysely'
import { inChannel } from '../../testing/channels.ts'
import { edits, sees, topicOf } from '../../testing/editing.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

const quietly = { send_notification_to_new_thread: false } as const
const whole = { propagate_mode: 'change_all', ...quietly } as const

/** Keeps a move half done, because somebody holds one of the messages, while something else happens. */
async function whileMoving<T>(
  { ctx, realmId }: World,
  held: number,
  move: () => Promise<unknown>,
  work: () => Promise<T>,
) {
  const { moving, result } = await ctx.db.transaction().execute(async (other) => {
    await sql`select 1 from messages where realm_id = ${realmId} and id = ${held} for no key update`.execute(other)
    const moving = move()
    await until(async () => {
      const { rows } = await sql<{ waits: boolean }>`
        select exists (select 1 from pg_stat_activity
                        where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(other)
      return rows[0]!.waits
    })
    return { moving, result: await work() }
  })
  await moving
  return result
}

async function furnished() {
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

test('others send while topics become one, and what they send to the old topic comes along', async () => {
  const world = await furnished()
  const { ann, ben, ids } = world
  const there = await ann.sends({ channel: 'verona', topic: 'tower' })
  const merge = () => edits(ann, ids[0]!, { topic: 'tower', ...whole })
  await ben.listens()
  const [late, later] = await whileMoving(world, ids[1]!, merge, async () => [
    await ben.sends({ channel: 'verona', topic: 'castle' }),
    await ben.sends({ channel: 'verona', topic: 'tower' }),
  ])
  assert.deepEqual(await topicOf(ben, 'verona', 'tower'), [...ids, there, late, later])
  assert.deepEqual(await topicOf(ben, 'verona', 'castle'), [])
  const [moved] = await ben.hears('update_message')
  assert.deepEqual(moved!.message_ids, [...ids, late])
  assert.equal((await sees(ben, late!)).edit_history!.length, 1)
  assert.equal((await sees(ben, later!)).edit_history, undefined)
})

test('what is sent while a topic goes to another channel comes along, unread', async () => {
  const world = await furnished()
  const { ann, ben, ids, rome } = world
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  const late = await whileMoving(world, ids[1]!, move, () => ann.sends({ channel: 'verona', topic: 'castle' }))
  assert.deepEqual(await topicOf(ben, 'rome', 'castle'), [...ids, late])
  for (const id of [...ids, late]) {
    const { flags, stream_id, edit_history } = await sees(ben, id)
    assert.deepEqual([flags, stream_id, edit_history!.length], [[], rome, 1])
  }
})

test('a topic that somebody begins meanwhile under the new name is joined', async () => {
  const world = await furnished()
  const { ann, ben, ids, rome } = world
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  const begun = await whileMoving(world, ids[1]!, move, () => ben.sends({ channel: 'rome', topic: 'Castle' }))
  assert.deepEqual(await topicOf(ben, 'rome', 'castle'), [...ids, begun])
  for (const id of ids) assert.equal((await sees(ben, id)).edit_history!.length, 1)
  assert.equal((await sees(ben, begun)).edit_history, undefined)
})

test('so is one that is begun meanwhile under the name that a part of a topic gets', async () => {
  const world = await furnished()
  const { ann, ben, ids } = world
  const last = await ann.sends({ channel: 'verona', topic: 'castle' })
  const split = () => edits(ann, ids[1]!, { topic: 'gate', propagate_mode: 'change_later', ...quietly })
  const begun = await whileMoving(world, last, split, () => ben.sends({ channel: 'verona', topic: 'gate' }))
  assert.deepEqual(await topicOf(ben, 'verona', 'gate'), [ids[1], last, begun])
  assert.deepEqual(await topicOf(ben, 'verona', 'castle'), [ids[0]])
})

test('what is said meanwhile in a topic whose only message goes stays in it', async () => {
  const world = await furnished()
  const { ann, ben, rome } = world
  const only = await ann.sends({ channel: 'verona', topic: 'keep' })
  const move = () => edits(ann, only, { stream_id: rome, ...quietly })
  const reply = await whileMoving(world, only, move, () => ben.sends({ channel: 'verona', topic: 'keep' }))
  assert.deepEqual(await topicOf(ben, 'verona', 'keep'), [reply])
  assert.deepEqual(await topicOf(ben, 'rome', 'keep'), [only])
})

test('a star that is given while the message moves is not lost', async () => {
  const world = await furnished()
  const { ann, ben, ids, rome } = world
  await ben.does(updateMessageFlags, { op: 'add', flag: 'read', messages: [ids[1]!] })
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  await whileMoving(world, ids[1]!, move, () =>
    ben.does(updateMessageFlags, { op: 'add', flag: 'starred', messages: [ids[0]!] }),
  )
  assert.deepEqual((await sees(ben, ids[0]!)).flags, ['starred'])
})

test('others react, edit and read beside a move, in both channels, and need not wait for it', async () => {
  const world = await furnished()
  const { ann, ben, ids, rome } = world
  const beside = [
    await ben.sends({ channel: 'verona', topic: 'gate' }),
    await ben.sends({ channel: 'rome', topic: 'forum' }),
  ]
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  await whileMoving(world, ids[1]!, move, async () => {
    for (const id of beside) {
      await ann.does(addReaction, { path: { message_id: id }, emoji_name: 'tada' })
      await edits(ben, id, { content: 'second' })
    }
    await ben.does(updateMessageFlags, { op: 'add', flag: 'read', messages: [ids[0]!] })
  })
  for (const id of beside) {
    const { content, reactions } = await sees(ann, id)
    assert.deepEqual([content, reactions.length], ['<p>second</p>', 1])
  }
  assert.deepEqual(await Promise.all(ids.map(async (id) => (await sees(ben, id)).flags)), [['read'], []])
})

test('a reaction to a message that is on its way waits, and is told after it has arrived', async () => {
  const world = await furnished()
  const { ann, ben, ids, rome } = world
  await ben.listens()
  const move = () => edits(ann, ids[0]!, { stream_id: rome, ...whole })
  const [reacting] = await whileMoving(world, ids[1]!, move, async () => [
    ben.does(addReaction, { path: { message_id: ids[0]! }, emoji_name: 'tada' }),
  ])
  await reacting
  const heard = (await ben.reads()).map(({ type }) => type)
  assert.deepEqual(
    heard.filter((type) => type === 'update_message' || type === 'reaction'),
    ['update_message', 'reaction'],
  )
})
