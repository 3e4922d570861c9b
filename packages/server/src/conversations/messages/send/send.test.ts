import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyTopicDisplayName } from '@parley/api/common'
import * as api from '@parley/api/conversations/messages'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel, joins, leaves } from '../../../testing/channels.ts'
import { edits, topicOf } from '../../../testing/editing.ts'
import { upload } from '../../../testing/files.ts'
import { newWorld } from '../../../testing/world.ts'

async function read(actor: Actor, id: number, params = {}) {
  const { message } = await actor.does(api.getMessage, { path: { message_id: id }, ...params })
  return message
}

async function isHidden(actor: Actor, id: number) {
  const refusal = await actor.isRefused(api.getMessage, { path: { message_id: id } })
  const missing = await actor.isRefused(api.getMessage, { path: { message_id: 987_654 } })
  assert.deepEqual(refusal, missing)
}

test('a direct message shows its participants and no topic', async () => {
  const { ann, ben, host } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'hi **there**' })

  const { message, raw_content } = await ben.does(api.getMessage, { path: { message_id: id } })

  assert.equal(raw_content, 'hi **there**')
  assert.equal(message.content, '<p>hi <strong>there</strong></p>')
  assert.equal(message.content_type, 'text/html')
  assert.deepEqual([message.type, message.subject, message.stream_id], ['private', '', undefined])
  assert.deepEqual(message.display_recipient, [
    { id: ann.id, email: `ann@${host}`, full_name: 'Ann', is_mirror_dummy: false },
    { id: ben.id, email: `ben@${host}`, full_name: 'Ben', is_mirror_dummy: false },
  ])
  assert.deepEqual([message.sender_id, message.sender_full_name, message.client], [ann.id, 'Ann', 'ParleyTest'])
  assert.equal(message.sender_realm_str, host.replace('.', '-'))
  assert.deepEqual([message.reactions, message.submessages, message.topic_links], [[], [], []])
  assert.deepEqual(message.flags, [])
})

test('a channel message shows its channel and topic', async () => {
  const { ann, ben } = await newWorld()
  const channel = await inChannel('verona', [ann, ben])
  const id = await ann.sends({ channel: 'verona', topic: 'Balcony', content: '/me sighs' })
  const message = await read(ben, id)
  assert.deepEqual([message.type, message.stream_id], ['stream', channel])
  assert.deepEqual([message.display_recipient, message.subject], ['verona', 'Balcony'])
  assert.equal(message.is_me_message, true)
})

test('topic names that differ only in case are the same topic', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  const found: number[] = []
  for (const topic of ['Area m2', 'area M2', 'area m²', 'cafe\u0301', 'caf\u00e9']) {
    await ann.sends({ channel: 'verona', topic })
    found.push((await topicOf(ann, 'verona', topic)).length)
  }
  assert.deepEqual(found, [1, 2, 1, 1, 1])
})

test('apply_markdown: false returns the text as typed', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'hi **there**' })
  const message = await read(ben, id, { apply_markdown: false })
  assert.deepEqual([message.content, message.content_type], ['hi **there**', 'text/x-markdown'])
})

test('clients without support for the empty topic get its display name', async () => {
  const { ann } = await newWorld()
  await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona', topic: '' })
  assert.equal((await read(ann, id)).subject, emptyTopicDisplayName)
  assert.equal((await read(ann, id, { allow_empty_topic_name: true })).subject, '')
})

test('a message list contains avatar URLs only with client_gravatar: false', async () => {
  const { ann, ben } = await newWorld()
  await ann.sends({ to: [ben] })
  const lists = async (client_gravatar: boolean) =>
    (await ben.does(api.getMessages, { anchor: 'newest', num_before: 1, client_gravatar })).messages[0]!.avatar_url
  assert.equal(await lists(true), null)
  assert.match((await lists(false))!, /^https:/)
})

test('only participants may read a direct message; administrators may not', async () => {
  const { ann, ben, mona, adam, olga } = await newWorld()
  const id = await ann.sends({ to: [ben] })
  for (const one of [mona, adam, olga]) await isHidden(one, id)
  await read(ann, id)
})

test('every member may read a public channel; guests must be subscribed', async () => {
  const { ann, ben, gus } = await newWorld()
  await inChannel('verona', [ann])
  const id = await ann.sends({ channel: 'verona' })
  assert.deepEqual((await read(ben, id)).flags, ['read', 'historical'])
  await isHidden(gus, id)
  await inChannel('verona', [ann, gus])
  await read(gus, id)
})

test('only subscribers may read a private channel', async () => {
  const { ann, ben, olga } = await newWorld()
  await inChannel('plot', [ann, ben], { invite_only: true, history_public_to_subscribers: true })
  const id = await ann.sends({ channel: 'plot' })
  await read(ben, id)
  await isHidden(olga, id)
  await leaves(ben, 'plot')
  await isHidden(ben, id)
})

test('with protected history, users can read only messages they received', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('plot', [ann], { invite_only: true, history_public_to_subscribers: false })
  const before = await ann.sends({ channel: 'plot' })
  await inChannel('plot', [ann, ben])
  const after = await ann.sends({ channel: 'plot' })
  await isHidden(ben, before)
  await read(ben, after)
})

test('with shared history, new subscribers can read earlier messages', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('plot', [ann], { invite_only: true, history_public_to_subscribers: true })
  const before = await ann.sends({ channel: 'plot' })
  await inChannel('plot', [ann, ben])
  assert.deepEqual((await read(ben, before)).flags, ['read', 'historical'])
})

test('a message of another realm fails like one that does not exist', async () => {
  const { ann, ben } = await newWorld()
  for (let n = 0; n < 5; n++) await ann.sends({ to: [ben] })
  const id = await ann.sends({ to: [ben] })
  const { ann: stranger } = await newWorld()
  await isHidden(stranger, id)
})

test('flags contain the kind of mention, and the legacy flag for wildcards', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('verona', [ann, ben, mona])
  const id = await ann.sends({ channel: 'verona', content: 'ho, @**Ben** and @**all**', read_by_sender: true })
  assert.deepEqual((await read(ben, id)).flags, ['mentioned', 'stream_wildcard_mentioned', 'wildcard_mentioned'])
  assert.deepEqual((await read(mona, id)).flags, ['stream_wildcard_mentioned', 'wildcard_mentioned'])
  assert.deepEqual((await read(ann, id)).flags, ['read', 'stream_wildcard_mentioned', 'wildcard_mentioned'])
})

test('a mention of everyone in a direct message flags every participant', async () => {
  const { ann, ben, mona } = await newWorld()
  const wildcardFlags = ['stream_wildcard_mentioned', 'wildcard_mentioned']
  await ben.registers()
  const id = await ann.sends({ to: [ben, mona], content: 'ho, @**all**' })
  assert.deepEqual((await ben.receives('message'))[0]!.flags, wildcardFlags)
  for (const one of [ann, ben, mona]) assert.deepEqual((await read(one, id)).flags, wildcardFlags)
  const { unread_msgs } = await ben.registers()
  assert.deepEqual(unread_msgs!.mentions, [id])
  await edits(ann, id, { content: 'never mind' })
  assert.deepEqual((await ben.receives('update_message'))[0]!.flags, [])
  assert.deepEqual((await read(ben, id)).flags, [])
})

test('is:mentioned finds direct messages to everyone, to their participants only', async () => {
  const { ann, ben, mona } = await newWorld()
  const id = await ann.sends({ to: [ben], content: 'ho, @**everyone**' })
  const found = async (one: Actor) =>
    (await one.does(api.getMessages, { narrow: [['is', 'mentioned']], anchor: 'newest', num_before: 9 })).messages
  assert.deepEqual(
    (await found(ben)).map((message) => message.id),
    [id],
  )
  assert.deepEqual(await found(mona), [])
})

test('a mention of the topic in its first message flags the sender', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  await ann.registers()
  const id = await ann.sends({ channel: 'verona', topic: 'new', content: 'ho, @**topic**' })
  const wildcardFlags = ['topic_wildcard_mentioned', 'wildcard_mentioned']
  assert.deepEqual((await ann.receives('message'))[0]!.flags, wildcardFlags)
  assert.deepEqual((await read(ann, id)).flags, wildcardFlags)
  assert.deepEqual((await read(ben, id)).flags, [])
})

test('after subscribing again, messages from before and during the absence are read', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  const during = await ann.sends({ channel: 'verona' })
  await leaves(ben, 'verona')
  const away = await ann.sends({ channel: 'verona' })
  await joins(ben, 'verona')
  const back = await ann.sends({ channel: 'verona' })
  assert.deepEqual((await read(ben, during)).flags, ['read'])
  assert.deepEqual((await read(ben, away)).flags, ['read', 'historical'])
  assert.deepEqual((await read(ben, back)).flags, [])
})

test('the process that sends a message passes on the same event as those that read the log, for every kind', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  await inChannel('verona', [ann, ben])
  await ann.registers()
  const passedOn: string[] = []
  ctx.follower.onEvents((_, events) => {
    for (const { type, payload } of events) if (type === 'message') passedOn.push(payload)
  })
  const url = await upload(world, ann, { content: 'x', filename: 'x.txt', type: 'text/plain' })

  for (const topic of ['', 'new', 'NEW', '"quoted" \\ </b> 🎈 \u2028'])
    await ann.sends({ channel: 'verona', topic, content: '@**Ben** hi' })
  for (const content of ['/me waves', '/poll Lunch?\nyes', `[x](${url})`]) await ann.sends({ to: [ben], content })

  const query = "select payload from events where realm_id = $1 and type = 'message' order by seq desc limit 7"
  const { rows } = await ctx.pool.query<{ payload: string }>(query, [world.realmId])
  assert.deepEqual(passedOn, rows.map(({ payload }) => payload).reverse())
})

test('a text is rendered before the realm is locked, and not again', async (t) => {
  const { ann, ben, ctx } = await newWorld()
  const { mock } = t.mock.method(ctx.renderer, 'render')
  for (const request of [{ silent: true }, { streaming: true }, { content: '/poll tea?' }])
    await ann.does(api.sendMessage, { type: 'direct', to: [ben.id], content: `hi @**${ben.id}**`, ...request } as never)
  assert.equal(mock.callCount(), 3)
})
