import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as channels from '@parley/api/conversations/channels'
import * as api from '@parley/api/conversations/deletion'
import * as messages from '@parley/api/conversations/messages'
import { operations } from '@parley/api/operations'
import { sql } from 'kysely'
import { purgeDeleted } from '../../../operation/retention/purge-deleted.ts'
import { columnOf, many, one } from '../../../platform/db/query.ts'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { upload } from '../../../testing/files.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'
import { restoredColumns } from './put-back.ts'

const deletes = (actor: Actor, message_id: number) => actor.does(api.deleteMessage, { path: { message_id } })
const restores = (actor: Actor, message_id: number) => actor.does(api.restoreMessage, { path: { message_id } })
const mayNotRestore = (actor: Actor, message_id: number) =>
  actor.isRefused(api.restoreMessage, { path: { message_id } })
const listOf = async (actor: Actor) => (await actor.does(api.getDeletedMessages)).messages.map(({ id }) => id)

async function newScene() {
  const world = await newWorld()
  const { ann, ben, gus, mona } = world
  const stream_id = await inChannel('verona', [ann, ben, gus, mona])
  return { ...world, stream_id }
}

/** All rows of a message, as they are stored. */
async function rowsOf({ ctx, realmId }: World, id: number) {
  return many<{ kind: string; row: object }>(ctx.db)`
    select 'message' as kind, to_jsonb(m) as row from messages m where realm_id = ${realmId} and id = ${id}
    union all select 'flags', to_jsonb(f) from message_flags f where realm_id = ${realmId} and message_id = ${id}
    union all select 'reaction', to_jsonb(r) from reactions r where realm_id = ${realmId} and message_id = ${id}
    union all select 'vote', to_jsonb(s) from submessages s where realm_id = ${realmId} and message_id = ${id}
    union all select 'file', to_jsonb(a) from attachment_messages a where realm_id = ${realmId} and message_id = ${id}
     order by 1, 2`
}

test('a restored message has everything that it had: text, history, reactions, flags, votes and files', async () => {
  const world = await newScene()
  const { ann, ben, mona } = world
  const url = await upload(world, ann, { content: 'x' })
  const id = await ann.sends({ channel: 'verona', content: '/poll Lunch?' })
  const second = await ann.sends({ channel: 'verona', content: `first @**Ben** [x](${url})` })
  for (const message_id of [id, second]) {
    await ben.does(operations.addReaction, { path: { message_id }, emoji_name: 'tada' })
    await ben.does(operations.updateMessageFlags, { op: 'add', flag: 'starred', messages: [message_id] })
  }
  const vote = '{"type":"vote","key":"canned,0","vote":1}'
  await ben.does(operations.addSubmessage, { message_id: id, msg_type: 'widget', content: vote })
  await ann.does(operations.editMessage, { path: { message_id: second }, content: `second @**Ben** [x](${url})` })
  for (const one of [id, second]) {
    const before = await rowsOf(world, one)
    const kinds = one === id ? ['flags', 'message', 'reaction', 'vote'] : ['file', 'flags', 'message', 'reaction']
    assert.deepEqual([...new Set(before.map(({ kind }) => kind))], kinds)
    await deletes(ann, one)
    assert.deepEqual(await rowsOf(world, one), [])
    await restores(mona, one)
    assert.deepEqual(await rowsOf(world, one), before)
    assert.deepEqual(await listOf(mona), [])
  }
})

test('everything that a message has is restored, also in columns that were added later', async () => {
  const { ctx } = await newWorld()
  for (const [table, columns] of Object.entries(restoredColumns)) {
    const found = await many<{ name: string }>(ctx.db)`
      select column_name::text as name from information_schema.columns
       where table_schema = 'public' and table_name = ${table}`
    assert.deepEqual(found.map(({ name }) => name).sort(), columns.toSorted(), table)
  }
})

test('the readers receive a restored message in a message event with its id; bots, which have answered it, do not', async () => {
  const { ann, ben, gus, adam, mona, add } = await newScene()
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  await inChannel('verona', [ann, bot])
  const id = await ann.sends({ channel: 'verona', topic: 'Castle', content: '@**Ben** **hi**' })
  await ben.does(operations.addReaction, { path: { message_id: id }, emoji_name: 'tada' })
  await ann.does(operations.editMessage, { path: { message_id: id }, content: '@**Ben** **hello**' })
  await ann.sends({ channel: 'verona', topic: 'Castle' })
  await deletes(ann, id)
  for (const actor of [ben, gus, adam, bot]) await actor.registers({ apply_markdown: true })
  await restores(mona, id)
  const [event] = await ben.receives('message')
  assert.deepEqual(
    [event?.message.id, event?.message.subject, event?.flags, event?.message.reactions.length],
    [id, 'Castle', ['mentioned'], 1],
  )
  assert.match(event!.message.content, /<strong>hello<\/strong>/)
  assert.ok(event!.message.last_edit_timestamp)
  assert.equal((await gus.receives('message')).length, 1)
  assert.deepEqual([await adam.receives('message'), await bot.receives('message')], [[], []])
})

test('a message that was read before it was deleted comes back read, another one unread', async () => {
  const { ann, ben, gus, mona } = await newScene()
  const id = await ann.sends({ channel: 'verona' })
  await ben.does(operations.markAllAsRead)
  await deletes(ann, id)
  for (const actor of [ben, gus]) await actor.registers()
  await restores(mona, id)
  assert.deepEqual((await ben.receives('message'))[0]?.flags, ['read'])
  assert.deepEqual((await gus.receives('message'))[0]?.flags, [])
})

test('events keep the client state correct when messages are restored', async () => {
  const { ann, ben, gus, mona, adam, olga, stream_id } = await newScene()
  const ids = [
    await ann.sends({ channel: 'verona', topic: 'castle', content: '@**Ben**' }),
    await ann.sends({ channel: 'verona', topic: 'castle' }),
  ]
  await ben.does(operations.updateMessageFlags, { op: 'add', flag: 'starred', messages: ids })
  const direct = await mona.sends({ to: [ben] })
  await mona.sends({ to: [ben] })
  await deletes(mona, direct)
  await verifyEvents([mona, ben], () => restores(mona, direct))
  await adam.does(api.deleteTopic, { path: { stream_id }, topic_name: 'channel events' })
  await adam.does(api.deleteTopic, { path: { stream_id }, topic_name: 'castle' })
  await verifyEvents([ann, ben, gus, mona, adam, olga], () => restores(mona, ids[1]!))
  await verifyEvents([ann, ben, gus, mona, adam, olga], () => restores(mona, ids[0]!))
})

test('a message of a deleted topic comes back in a topic of the same name', async () => {
  const { ann, ben, mona, adam, stream_id } = await newScene()
  const [first, second] = [
    await ann.sends({ channel: 'verona', topic: 'Castle' }),
    await ben.sends({ channel: 'verona', topic: 'Castle' }),
  ]
  await adam.does(operations.editMessage, { path: { message_id: first }, topic: 'Fort', propagate_mode: 'change_all' })
  await adam.does(api.deleteTopic, { path: { stream_id }, topic_name: 'Fort' })
  await restores(mona, first)
  await ann.sends({ channel: 'verona', topic: 'fort' })
  await restores(mona, second)
  const { topics } = await ann.does(channels.getTopics, { path: { stream_id } })
  assert.equal(topics.filter(({ name }) => name.toLowerCase() === 'fort').length, 1)
  for (const message_id of [first, second]) {
    const { message } = await ann.does(messages.getMessage, { path: { message_id } })
    assert.equal(message.subject, 'Fort')
    assert.deepEqual(
      message.edit_history?.map(({ prev_topic }) => prev_topic),
      ['Castle'],
    )
  }
})

test('a message comes back where its topic was moved in the meantime', async () => {
  const { ann, ben, mona, adam } = await newScene()
  const padua = await inChannel('padua', [adam, ben, mona])
  const [id, other] = [
    await ann.sends({ channel: 'verona', topic: 'castle' }),
    await ann.sends({ channel: 'verona', topic: 'castle' }),
  ]
  await deletes(ann, id)
  await inChannel('verona', [adam])
  await adam.does(operations.editMessage, {
    path: { message_id: other },
    stream_id: padua,
    propagate_mode: 'change_all',
  })
  await verifyEvents([ben, mona, adam], () => restores(mona, id))
  const { message } = await ben.does(messages.getMessage, { path: { message_id: id } })
  assert.deepEqual([message.stream_id, message.subject], [padua, 'castle'])
})

test('only moderators restore messages, and only those that they could read', async () => {
  const { ann, ben, gus, mona, adam } = await newScene()
  const id = await ann.sends({ channel: 'verona' })
  await inChannel('den', [ann], { invite_only: true })
  const hidden = await ann.sends({ channel: 'den' })
  for (const one of [id, hidden]) await deletes(ann, one)
  for (const actor of [ann, ben, gus]) {
    assert.equal((await mayNotRestore(actor, id)).code, 'UNAUTHORIZED_PRINCIPAL')
    assert.equal((await actor.isRefused(api.getDeletedMessages)).code, 'UNAUTHORIZED_PRINCIPAL')
  }
  for (const actor of [mona, adam]) {
    assert.deepEqual(await listOf(actor), [id])
    assert.deepEqual(await mayNotRestore(actor, hidden), await mayNotRestore(actor, 999_999))
  }
  assert.deepEqual(await mayNotRestore((await newWorld()).mona, id), await mayNotRestore(mona, 999_999))
})

test('with protected history, a moderator who joined later does not see what was deleted before', async () => {
  const { ann, mona } = await newWorld()
  await inChannel('vault', [ann], { invite_only: true })
  const early = await ann.sends({ channel: 'vault' })
  await inChannel('vault', [ann, mona])
  const late = await ann.sends({ channel: 'vault' })
  for (const id of [early, late]) await deletes(ann, id)
  assert.deepEqual(await listOf(mona), [late])
  await mayNotRestore(mona, early)
})

test('direct messages are kept only for moderators who deleted them themselves', async () => {
  const { ann, mona, adam, ctx, realmId } = await newWorld()
  const [own, others] = [await mona.sends({ to: [ann] }), await ann.sends({ to: [mona, adam] })]
  await deletes(mona, own)
  await deletes(ann, others)
  assert.deepEqual([await listOf(mona), await listOf(adam)], [[own], []])
  await mayNotRestore(adam, own)
  await mayNotRestore(mona, others)
  const kept = ctx.db.selectFrom('deleted_messages').where('realm_id', '=', realmId)
  assert.deepEqual(await columnOf(kept.select('id')), [own])
})

test('a message of an archived channel is restored only after the channel', async () => {
  const { ann, mona, olga, stream_id } = await newScene()
  const id = await ann.sends({ channel: 'verona' })
  await deletes(ann, id)
  await olga.does(channels.archiveChannel, { path: { stream_id } })
  assert.match((await mayNotRestore(mona, id)).msg, /archived/)
  await olga.does(channels.updateChannel, { path: { stream_id }, is_archived: false })
  await restores(mona, id)
})

test('of two moderators who restore a message at once, one is refused', async () => {
  const { ann, mona, adam } = await newScene()
  const [inVerona, direct] = [await ann.sends({ channel: 'verona' }), await mona.sends({ to: [adam] })]
  for (const [id, by, actors] of [
    [inVerona, ann, [mona, adam]],
    [direct, mona, [mona, mona]],
  ] as const) {
    await deletes(by, id)
    const answers = await Promise.all(
      actors.map((actor) => actor.request(operations.restoreMessage, { path: { message_id: id } })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    await ann.does(messages.getMessage, { path: { message_id: inVerona } })
  }
})

test('a message can be deleted and restored again, and both are in the audit log', async () => {
  const { ann, mona, ctx, realmId } = await newScene()
  const id = await ann.sends({ channel: 'verona' })
  for (let n = 0; n < 2; n++) {
    await deletes(ann, id)
    await restores(mona, id)
  }
  await mayNotRestore(mona, id)
  const rows = await many<{ action: string; acting_user_id: number | null }>(ctx.db)`
    select action, acting_user_id from audit_log
     where realm_id = ${realmId} and (target ->> 'message_id')::bigint = ${id} order by id`
  const both = [
    { action: 'message_deleted', acting_user_id: ann.id },
    { action: 'message_restored', acting_user_id: mona.id },
  ]
  assert.deepEqual(rows, [...both, ...both])
})

test('pages of deleted messages follow each other, newest deletion first', async () => {
  const { ann, mona } = await newScene()
  const ids: number[] = []
  for (let n = 0; n < 5; n++) ids.push(await ann.sends({ channel: 'verona' }))
  for (const id of ids) await deletes(ann, id)
  const first = await mona.does(api.getDeletedMessages, { limit: 3 })
  const rest = await mona.does(api.getDeletedMessages, { limit: 3, before: first.messages.at(-1)!.number })
  assert.deepEqual(
    [...first.messages, ...rest.messages].map(({ id }) => id),
    ids.reverse(),
  )
  assert.deepEqual([first.found_oldest, rest.found_oldest], [false, true])
})

test('after 30 days a deleted message is gone', async () => {
  const { ann, mona, ctx, realmId } = await newScene()
  const [young, old] = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })]
  for (const id of [young, old]) await deletes(ann, id)
  await sql`
    update deleted_messages set deleted_at = now() - make_interval(days => case when id = ${old} then 30 else 29 end)
     where realm_id = ${realmId}`.execute(ctx.db)
  await mayNotRestore(mona, old)
  await purgeDeleted(ctx)
  assert.deepEqual(await listOf(mona), [young])
  const { count } = await one<{ count: number }>(ctx.db)`
    select count(*) as count from deleted_messages where realm_id = ${realmId}`
  assert.equal(count, 1)
})

test('a deleted message ends with the retention period of its channel, together with its files', async () => {
  const world = await newScene()
  const { ann, mona, olga, ctx, realmId, stream_id } = world
  const url = await upload(world, ann, { content: 'x' })
  const id = await ann.sends({ channel: 'verona', content: `[x](${url})` })
  await deletes(ann, id)
  await sql`
    update deleted_messages set date_sent = now() - interval '3 days' where realm_id = ${realmId}`.execute(ctx.db)
  await purgeDeleted(ctx)
  assert.deepEqual(await listOf(mona), [id])
  await olga.does(channels.updateChannel, { path: { stream_id }, message_retention_days: 2 })
  await purgeDeleted(ctx)
  assert.deepEqual(await listOf(mona), [])
  assert.deepEqual((await ann.does(operations.getAttachments)).attachments, [])
})
