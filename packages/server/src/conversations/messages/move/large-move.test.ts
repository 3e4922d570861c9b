import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { addReaction } from '@parley/api/conversations/reactions'
import { setTopicPolicy } from '@parley/api/conversations/topics'
import { sql } from 'kysely'
import { inChannel } from '../../../testing/channels.ts'
import { edits, mayNotEdit, sees, topicOf } from '../../../testing/editing.ts'
import { fillTopic, moveDeps, storesMove } from '../../../testing/stored-moves.ts'
import { everything, verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'
import { resumeMoves } from './move-jobs.ts'

const whole = { propagate_mode: 'change_all', send_notification_to_new_thread: false } as const
/** More than one transaction moves. */
const many = 1100

let world: World
let verona: number
let rome: number
let den: number
before(async () => {
  world = await newWorld()
  const { ann, ben, mona, adam, gus } = world
  verona = await inChannel('verona', [ann, ben, mona, adam, gus])
  rome = await inChannel('rome', [ann, ben, adam])
  den = await inChannel('den', [ann, adam], { invite_only: true, history_public_to_subscribers: true })
})

async function newTopic(name: string, count = 6): Promise<number[]> {
  return fillTopic(world, await world.ann.sends({ channel: 'verona', topic: name }), count)
}

test('a large move is done in parts; its events name every message once and say how far it is', async () => {
  const { ann, ben } = world
  const ids = await newTopic('castle', many)
  await ben.registers()
  await edits(ann, ids[5]!, { stream_id: rome, ...whole })
  assert.deepEqual(await topicOf(ben, 'rome', 'castle'), ids.slice(-1000))
  assert.deepEqual(await topicOf(ben, 'verona', 'castle'), [])
  const events = await ben.receives('update_message')
  assert.ok(events.length > 1)
  assert.deepEqual(
    events.flatMap(({ message_ids }) => message_ids),
    ids,
  )
  for (const { message_id, message_ids } of events) assert.ok(message_ids.includes(message_id))
  assert.deepEqual(events.at(-1)!.move_progress, { moved: many, total: many })
  assert.equal((await sees(ben, ids.at(-1)!)).edit_history!.length, 1)
})

test('events keep the state of clients correct during a large move', async () => {
  const { ann, ben, mona, gus } = world
  const ids = await newTopic('state')
  await ann.sends({ channel: 'verona', topic: 'newer' })
  await ben.does(updateMessageFlags, { op: 'add', flag: 'read', messages: ids.slice(0, 2) })
  await ben.does(updateMessageFlags, { op: 'add', flag: 'starred', messages: [ids[0]!, ids[5]!] })
  const part = await storesMove(world, ann, ids[0]!, { stream_id: rome })
  for (const size of [2, 2, 2]) await verifyEvents([ann, ben, mona, gus], () => part(size))
  assert.deepEqual(await topicOf(ben, 'rome', 'state'), ids)
  assert.deepEqual((await sees(ben, ids[5]!)).flags, ['starred'])
  assert.deepEqual((await sees(ben, ids[0]!)).flags.sort(), ['read', 'starred'])
})

test('edits, reactions, flags, deletions, moves and sends during a large move all succeed', async () => {
  const { ann, ben, adam } = world
  const ids = await newTopic('busy', many)
  const some = [ids[3]!, ids[700]!, ids[1050]!]
  const [deleted, taken] = [ids[10]!, ids[1060]!]
  const [late] = await Promise.all([
    ann.sends({ channel: 'verona', topic: 'busy' }),
    edits(ann, ids[0]!, { stream_id: rome, ...whole }),
    ...some.flatMap((id) => [
      edits(ann, id, { content: 'second' }),
      ben.does(addReaction, { path: { message_id: id }, emoji_name: 'tada' }),
      ben.does(updateMessageFlags, { op: 'add', flag: 'starred', messages: [id] }),
    ]),
    adam.does(deleteMessage, { path: { message_id: deleted } }),
    edits(adam, taken, { topic: 'elsewhere', send_notification_to_new_thread: false }),
  ])
  const left = await topicOf(ben, 'verona', 'busy')
  assert.deepEqual(left, (await sees(ben, late)).stream_id === rome ? [] : [late])
  assert.equal((await sees(ben, taken)).subject, 'elsewhere')
  for (const id of some) {
    const { content, reactions, flags } = await sees(ben, id)
    assert.deepEqual([content, reactions.length, flags], ['<p>second</p>', 1, ['starred']])
  }
})

test('messages sent to the old topic before the last part move too', async () => {
  const { ann, ben } = world
  const ids = await newTopic('late')
  const part = await storesMove(world, ann, ids[0]!, { stream_id: rome })
  await part(4)
  const late = await ben.sends({ channel: 'verona', topic: 'late' })
  assert.equal(await part(4), true)
  assert.deepEqual(await topicOf(ann, 'rome', 'late'), [...ids, late])
})

test('between the parts, users can read each message in exactly one of the channels', async () => {
  const { ann, ben, mona } = world
  const ids = await newTopic('secret')
  const part = await storesMove(world, ann, ids[0]!, { stream_id: den })
  await mona.registers(everything)
  await part(3)
  assert.deepEqual(await topicOf(mona, 'verona', 'secret'), ids.slice(3))
  assert.deepEqual(await topicOf(ann, 'den', 'secret'), ids.slice(0, 3))
  assert.match((await mayNotEdit(ben, ids[0]!, { topic: 'x' })).msg, /Invalid message/)
  await part(3)
  const lost = (await mona.receives('delete_message')).flatMap(({ message_ids }) => message_ids)
  assert.deepEqual(lost, ids)
  assert.deepEqual(await mona.receives('update_message'), [])
})

test('the policy for the topic and the notices follow with the last part', async () => {
  const { ann, ben } = world
  const ids = await newTopic('muted')
  await ben.does(setTopicPolicy, { stream_id: verona, topic: 'muted', visibility_policy: 1 })
  const notices = { send_notification_to_new_thread: true, send_notification_to_old_thread: true }
  const part = await storesMove(world, ann, ids[0]!, { stream_id: rome, ...notices })
  const mutedIn = async () => {
    const { user_topics } = await ben.registers(everything)
    return user_topics!.filter(({ topic_name }) => topic_name === 'muted').map(({ stream_id }) => stream_id)
  }
  await part(3)
  assert.deepEqual([await mutedIn(), await topicOf(ann, 'rome', 'muted')], [[verona], ids.slice(0, 3)])
  await part(3)
  assert.deepEqual(await mutedIn(), [rome])
  assert.match((await sees(ann, (await topicOf(ann, 'rome', 'muted'))[6]!)).content, /moved this topic here from/)
  assert.match((await sees(ann, (await topicOf(ann, 'verona', 'muted'))[0]!)).content, /moved this topic to/)
})

test('a merge moves only the messages of its mode, and the notice counts those of all parts', async () => {
  const { ann } = world
  const ids = await newTopic('from')
  const there = await ann.sends({ channel: 'verona', topic: 'into' })
  const later = { propagate_mode: 'change_later', send_notification_to_new_thread: true } as const
  const part = await storesMove(world, ann, ids[2]!, { topic: 'into', ...later })
  assert.deepEqual([await part(2), await part(2)], [false, true])
  assert.deepEqual(await topicOf(ann, 'verona', 'from'), ids.slice(0, 2))
  const [notice] = (await topicOf(ann, 'verona', 'into')).slice(-1)
  assert.deepEqual(await topicOf(ann, 'verona', 'into'), [...ids.slice(2), there, notice])
  assert.match((await sees(ann, notice!)).content, /moved 4 messages here/)
})

test('if the new topic is renamed between parts, the others follow', async () => {
  const { ann, ben } = world
  const ids = await newTopic('gate')
  const part = await storesMove(world, ann, ids[0]!, { stream_id: rome })
  await part(3)
  await edits(ben, ids[0]!, { topic: 'portal', ...whole })
  await part(3)
  assert.deepEqual(await topicOf(ann, 'rome', 'portal'), ids)
  for (const [id, entries] of [
    [ids[0]!, 2],
    [ids[5]!, 1],
  ] as const)
    assert.equal((await sees(ann, id)).edit_history!.length, entries)
})

test('if the rest of the topic is moved elsewhere between parts, it stays there', async () => {
  const { ann, adam } = world
  const ids = await newTopic('split')
  const part = await storesMove(world, ann, ids[0]!, { stream_id: rome })
  await part(3)
  await edits(adam, ids[5]!, { stream_id: den, ...whole })
  assert.equal(await part(3), true)
  assert.deepEqual(await topicOf(adam, 'rome', 'split'), ids.slice(0, 3))
  assert.deepEqual(await topicOf(adam, 'den', 'split'), ids.slice(3))
})

test('if the rest is deleted between parts, the move completes', async () => {
  const { ann } = world
  const ids = await newTopic('short')
  const part = await storesMove(world, ann, ids[0]!, { stream_id: rome })
  await part(3)
  const { ctx, realmId } = world
  await sql`delete from messages where realm_id = ${realmId} and id = any(${ids.slice(3)}::bigint[])`.execute(ctx.db)
  assert.equal(await part(3), true)
  assert.deepEqual(await topicOf(ann, 'rome', 'short'), ids.slice(0, 3))
})

test('a move whose process died is continued by the job, once', async () => {
  const { ann, ben, ctx } = world
  const ids = await newTopic('crash')
  const part = await storesMove(world, ann, ids[0]!, { stream_id: rome })
  await part(2)
  await ben.registers()
  await resumeMoves(ctx, moveDeps(world)) // its process is alive
  assert.equal((await topicOf(ben, 'rome', 'crash')).length, 2)
  await sql`update message_moves set touched_at = touched_at - interval '1 minute'`.execute(ctx.db)
  await Promise.all([resumeMoves(ctx, moveDeps(world)), resumeMoves(ctx, moveDeps(world))])
  const moved = (await ben.receives('update_message')).flatMap(({ message_ids }) => message_ids)
  assert.deepEqual(moved, ids.slice(2))
  assert.deepEqual(await topicOf(ben, 'rome', 'crash'), ids)
})

test('some messages of a topic are resolved, or spelled differently, in parts', async () => {
  const { ann, ben } = world
  const ids = await newTopic('tavern')
  const respell = await storesMove(world, ann, ids[1]!, { topic: 'Tavern', propagate_mode: 'change_later' })
  for (const isComplete of [false, false, true]) assert.equal(await respell(2), isComplete)
  const spellings = await Promise.all(ids.map(async (id) => (await sees(ann, id)).subject))
  assert.deepEqual(spellings, ['tavern', ...Array(5).fill('Tavern')])
  await ben.registers()
  const resolve = await storesMove(world, ann, ids[1]!, { topic: '✔ Tavern', propagate_mode: 'change_later' })
  for (const isComplete of [false, false, true]) assert.equal(await resolve(2), isComplete)
  assert.deepEqual((await topicOf(ann, 'verona', '✔ tavern')).slice(0, -1), ids.slice(1))
  for (const id of ids) assert.equal((await sees(ann, id)).last_moved_timestamp, undefined)
  const notices = await ben.receives('message')
  assert.match(notices[0]!.message.content, /resolved this topic/)
  assert.equal(notices.length, 1)
})
