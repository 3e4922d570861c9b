import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/flags'
import type { UnreadMessages } from '@parley/api/delivery/register'
import { sql } from 'kysely'
import type { Actor } from '../../testing/actor.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'

type State = Record<string, unknown> & { unread_msgs: UnreadMessages }

async function registers(actor: Actor, params = {}): Promise<State> {
  return (await actor.registers(params)) as unknown as State
}

async function unreadOf(actor: Actor, params = {}): Promise<UnreadMessages> {
  return (await registers(actor, params)).unread_msgs
}

/** Marks everything so far as read, including the server's notices. */
async function readsEverything(actor: Actor): Promise<void> {
  const { pms, streams, huddles } = await unreadOf(actor)
  const messages = [...pms, ...streams, ...huddles].flatMap(({ unread_message_ids }) => unread_message_ids)
  await actor.does(api.updateMessageFlags, { messages, op: 'add', flag: 'read' })
}

async function setPolicy({ ctx, realmId }: World, actor: Actor, topic: string, policy: number): Promise<void> {
  await sql`insert into user_topics (realm_id, user_id, topic_id, visibility_policy)
            select realm_id, ${actor.id}, id, ${policy} from topics where realm_id = ${realmId} and name = ${topic}
            on conflict (realm_id, user_id, topic_id) do update set visibility_policy = ${policy}`.execute(ctx.db)
}

test('unread messages are listed by conversation, ids ascending', async () => {
  const { ann, ben, mona } = await newWorld()
  const channel = await inChannel('verona', [ann, ben])
  await readsEverything(ben)
  const direct = [await ann.sends({ to: [ben] }), await ann.sends({ to: [ben] })]
  const self = await ben.sends({ to: [ben] })
  const group = await mona.sends({ to: [ann, ben] })
  const balcony = [
    await ann.sends({ channel: 'verona', topic: 'Balcony' }),
    await ben.sends({ channel: 'verona', topic: 'balcony' }),
  ]
  const feud = await ann.sends({ channel: 'verona', topic: 'a feud', content: '@**Ben**' })

  assert.deepEqual(await unreadOf(ben), {
    count: 7,
    pms: [
      { other_user_id: ann.id, sender_id: ann.id, unread_message_ids: direct },
      { other_user_id: ben.id, sender_id: ben.id, unread_message_ids: [self] },
    ],
    streams: [
      { stream_id: channel, topic: 'a feud', unread_message_ids: [feud] },
      { stream_id: channel, topic: 'Balcony', unread_message_ids: balcony },
    ],
    huddles: [{ user_ids_string: [mona.id, ann.id, ben.id].join(), unread_message_ids: [group] }],
    mentions: [feud],
    old_unreads_missing: false,
  })
})

test('messages sent with read_by_sender are read for their sender', async () => {
  const { ann, ben } = await newWorld()
  await ann.sends({ to: [ben], read_by_sender: true })
  assert.equal((await unreadOf(ann)).count, 0)
  assert.equal((await unreadOf(ben)).count, 1)
})

test('unsubscribing marks a channel as read, and it stays read after subscribing again', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  const id = await ann.sends({ channel: 'verona' })
  await ben.does(api.updateMessageFlags, { messages: [id], op: 'add', flag: 'read' })
  await ben.does(api.updateMessageFlags, { messages: [id], op: 'remove', flag: 'read' })
  await ann.sends({ channel: 'verona' })
  await leaves(ben, 'verona')
  assert.deepEqual((await unreadOf(ben)).streams, [])
  await inChannel('verona', [ann, ben])
  assert.deepEqual((await unreadOf(ben)).streams, [])
})

test('muted messages are listed but not counted, and their wildcards are not mentions', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  const channel = await inChannel('verona', [ann, ben])
  await readsEverything(ben)
  const all = await ann.sends({ channel: 'verona', topic: 'feud', content: '@**all**' })
  const name = await ann.sends({ channel: 'verona', topic: 'feud', content: '@**Ben**' })
  assert.deepEqual((await unreadOf(ben)).mentions, [all, name])

  await setPolicy(world, ben, 'feud', 1)
  const muted = await unreadOf(ben)
  assert.equal(muted.count, 0)
  assert.equal(muted.streams[0]?.unread_message_ids.length, 2)
  assert.deepEqual(muted.mentions, [name])

  await sql`update subscriptions set is_muted = true where user_id = ${ben.id} and channel_id = ${channel}`.execute(
    ctx.db,
  )
  await sql`update user_topics set visibility_policy = 2 where user_id = ${ben.id}`.execute(ctx.db)
  assert.equal((await unreadOf(ben)).count, 2)
})

test('clients without support for the empty topic get its display name', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  await readsEverything(ben)
  await ann.sends({ channel: 'verona', topic: '' })
  assert.equal((await unreadOf(ben)).streams[0]?.topic, '')
  const client_capabilities = { notification_settings_null: true }
  assert.equal((await unreadOf(ben, { client_capabilities })).streams[0]?.topic, 'general chat')
})

test('at most the newest 50,000 are listed, and old_unreads_missing is set', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  const first = await ann.sends({ to: [ben] })
  await sql`
    insert into messages (realm_id, id, recipient_id, sender_id, date_sent, client, content, rendered_content)
    select m.realm_id, m.id + n, m.recipient_id, m.sender_id, m.date_sent, m.client, '', ''
      from messages m, generate_series(1, 50000) n where m.realm_id = ${realmId} and m.id = ${first}`.execute(ctx.db)
  await sql`update realm_counters set last_message = last_message + 50000 where realm_id = ${realmId}`.execute(ctx.db)
  const unread = await unreadOf(ben)
  assert.equal(unread.count, 50_000)
  assert.equal(unread.old_unreads_missing, true)
  assert.equal(unread.pms[0]?.unread_message_ids[0], first + 1)
})

test('starred messages are listed with ascending ids', async () => {
  const { ann, ben } = await newWorld()
  const ids = [await ann.sends({ to: [ben] }), await ann.sends({ to: [ben] })]
  for (const id of ids.toReversed())
    await ben.does(api.updateMessageFlags, { messages: [id], op: 'add', flag: 'starred' })
  assert.deepEqual((await registers(ben)).starred_messages, ids)
  assert.deepEqual((await registers(ann)).starred_messages, [])
})

test('max_message_id is the newest message that the user received', async () => {
  const { ann, ben, mona } = await newWorld()
  assert.equal((await registers(ben)).max_message_id, -1)
  const id = await ann.sends({ to: [ben] })
  await ann.sends({ to: [mona] })
  assert.equal((await registers(ben)).max_message_id, id)
})

test('direct conversations are sorted by their newest message and omit the user', async () => {
  const { ann, ben, mona } = await newWorld()
  const withAnn = await ann.sends({ to: [ben] })
  const self = await ben.sends({ to: [ben] })
  const group = await mona.sends({ to: [ann, ben] })
  await mona.sends({ to: [ann] })
  assert.deepEqual((await registers(ben)).recent_private_conversations, [
    { user_ids: [mona.id, ann.id], max_message_id: group },
    { user_ids: [], max_message_id: self },
    { user_ids: [ann.id], max_message_id: withAnn },
  ])
})

test('topic policies are listed, muted topics also in the legacy form', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const channel = await inChannel('verona', [ann, ben])
  await ann.sends({ channel: 'verona', topic: 'feud' })
  await ann.sends({ channel: 'verona', topic: 'balcony' })
  await setPolicy(world, ben, 'feud', 1)
  await setPolicy(world, ben, 'balcony', 3)
  const state = await registers(ben)
  const topics = state.user_topics as { last_updated: number }[]
  assert.ok(topics.every(({ last_updated }) => Math.abs(last_updated - Date.now() / 1000) < 60))
  assert.deepEqual(
    topics.map(({ last_updated: _, ...rest }) => rest),
    [
      { stream_id: channel, topic_name: 'balcony', visibility_policy: 3 },
      { stream_id: channel, topic_name: 'feud', visibility_policy: 1 },
    ],
  )
  const [muted] = state.muted_topics as [string, string, number][]
  assert.deepEqual(muted?.slice(0, 2), ['verona', 'feud'])
})

test('topic policies of a channel that the user can no longer read are not listed', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('plot', [ann, ben], { invite_only: true })
  await ann.sends({ channel: 'plot', topic: 'feud' })
  await setPolicy(world, ben, 'feud', 1)
  await leaves(ben, 'plot')
  const state = await registers(ben)
  assert.deepEqual([state.user_topics, state.muted_topics], [[], []])
})
