import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as channels from '@parley/api/conversations/channels'
import { type Conversation, getConversations } from '@parley/api/conversations/conversations'
import * as flags from '@parley/api/conversations/flags'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import * as api from '@parley/api/conversations/topics'
import type { ParamsOf } from '@parley/api/operation'
import type { Actor } from '../../testing/actor.ts'
import { inChannel, joins, leaves } from '../../testing/channels.ts'
import { newWorld } from '../../testing/world.ts'

type Params = Pick<Partial<ParamsOf<typeof getConversations>>, 'filter' | 'include_unsubscribed' | 'stream_id'>

async function listed(actor: Actor, params: Params = {}): Promise<Conversation[]> {
  return (await actor.does(getConversations, { allow_empty_topic_name: true, ...params })).conversations
}

const labelOf = ({ last_message: { stream_id, subject, display_recipient } }: Conversation) =>
  stream_id === undefined
    ? (display_recipient as { id: number }[]).map(({ id }) => id).join()
    : `${display_recipient} > ${subject}`

/** Without those that only have notices of the server. */
async function places(actor: Actor, params: Params = {}): Promise<string[]> {
  return (await listed(actor, params)).filter(({ last_message }) => last_message.client !== 'Internal').map(labelOf)
}

/** The same, from the topics of each channel and the state of a new client. */
async function expected(actor: Actor) {
  const state = (await actor.registers()) as unknown as {
    recent_private_conversations: { user_ids: number[]; max_message_id: number }[]
    unread_msgs: Record<'streams' | 'pms' | 'huddles', { unread_message_ids: number[] }[]> & { mentions: number[] }
  }
  const { streams, pms, huddles, mentions } = state.unread_msgs
  const newest = state.recent_private_conversations.map(({ max_message_id }) => max_message_id)
  const { subscriptions: own } = await actor.does(subscriptions.getSubscriptions)
  for (const { stream_id } of own) {
    const { topics } = await actor.does(channels.getTopics, { path: { stream_id }, allow_empty_topic_name: true })
    newest.push(...topics.map(({ max_id }) => max_id))
  }
  const unread = [...streams, ...pms, ...huddles].map(({ unread_message_ids }) => unread_message_ids)
  return {
    newest: newest.sort((a, b) => b - a),
    unread: unread.map((ids) => ids.length).sort(),
    mentions: unread.filter((ids) => ids.some((id) => mentions.includes(id))).length,
  }
}

/** Conversations of every kind: protected history, muted, marked as unread, moved, left and joined again. */
async function busyWorld() {
  const world = await newWorld()
  const { olga, ann, ben, mona, gus } = world
  await inChannel('open', [ann, ben, gus])
  await inChannel('closed', [ann, ben], { invite_only: true, history_public_to_subscribers: true })
  await inChannel('protected', [ann, mona, gus], { invite_only: true, history_public_to_subscribers: false })
  for (const topic of ['one', 'two', ''])
    for (const channel of ['open', 'closed', 'protected']) await ann.sends({ channel, topic, content: '@**all** hi' })
  await leaves(gus, 'protected')
  await ann.sends({ channel: 'protected', topic: 'one', content: 'unseen' })
  await ann.sends({ channel: 'protected', topic: 'three', content: 'unseen' })
  await ann.does(subscriptions.subscribe, { subscriptions: [{ name: 'protected' }], principals: [gus.id, ben.id] })
  await joins(mona, 'open')
  await ann.sends({ to: [ben] })
  await ben.sends({ to: [ann, gus], content: `@**Ann**` })
  await olga.sends({ to: [olga] })
  const read = await ben.sends({ channel: 'open', topic: 'four', content: '@**Gus** and @**Mona**' })
  await ben.sends({ channel: 'protected', topic: 'two' })
  for (const actor of [ann, mona, gus]) {
    await actor.does(flags.markAllAsRead)
    await actor.does(flags.updateMessageFlags, { messages: [read], op: 'remove', flag: 'read' })
  }
  await ben.sends({ channel: 'open', topic: 'two', content: '@**all**' })
  const { stream_id } = await ann.does(channels.getChannelId, { stream: 'open' })
  await gus.does(api.setTopicPolicy, { stream_id, topic: 'two', visibility_policy: 1 })
  return { ...world, stream_id }
}

test('the list has every conversation that the caller can read, with exact unread counts and mentions', async () => {
  const { olga, adam, mona, ann, ben, gus } = await busyWorld()
  for (const actor of [olga, adam, mona, ann, ben, gus]) {
    const found = await listed(actor)
    const unread = found.filter(({ unread_count }) => unread_count > 0)
    assert.deepEqual(
      {
        newest: found.map(({ last_message }) => last_message.id),
        unread: unread.map(({ unread_count }) => unread_count).sort(),
        mentions: found.filter(({ is_mentioned }) => is_mentioned).length,
      },
      await expected(actor),
      actor.name,
    )
  }
})

test('pages lead to the very end, without gaps and duplicates', async () => {
  const { ann } = await busyWorld()
  const all = await listed(ann)
  const found: Conversation[] = []
  for (let isEnd = false, before: number | undefined; !isEnd; before = found.at(-1)!.last_message.id) {
    const page = await ann.does(getConversations, { limit: 2, allow_empty_topic_name: true, ...(before && { before }) })
    found.push(...page.conversations)
    isEnd = page.found_oldest
  }
  assert.deepEqual(found, all)
})

test('an empty list is complete', async () => {
  const { adam } = await newWorld()
  const page = await adam.does(getConversations)
  assert.deepEqual([page.conversations, page.found_oldest], [[], true])
})

test('with protected history, the last message and the participants are those that the caller received', async () => {
  const { ann, gus } = await busyWorld()
  const inProtected = (list: Conversation[]) => list.filter((one) => labelOf(one).startsWith('protected'))
  const seen = inProtected(await listed(gus))
  assert.ok(!seen.some((one) => labelOf(one) === 'protected > three'))
  assert.equal(
    seen.find((one) => labelOf(one) === 'protected > one')!.last_message.content,
    '<p><span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span> hi</p>',
  )
  assert.ok(inProtected(await listed(ann)).some((one) => labelOf(one) === 'protected > three'))
})

test('participants are the users who sent the latest messages, the most recent first', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('verona', [ann, ben, mona])
  for (const actor of [ben, ann, mona, ann]) await actor.sends({ channel: 'verona', topic: 'tea' })
  assert.deepEqual((await listed(ben))[0]!.participants, [ann.id, mona.id, ben.id])
})

test('a user who joins a protected channel does not see who wrote before', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('p', [ann, ben], { invite_only: true, history_public_to_subscribers: false })
  await ben.sends({ channel: 'p', topic: 'tea' })
  await ann.does(subscriptions.subscribe, { subscriptions: [{ name: 'p' }], principals: [mona.id] })
  assert.deepEqual(await places(mona), [])
  await ann.sends({ channel: 'p', topic: 'tea' })
  assert.deepEqual((await listed(mona))[0]!.participants, [ann.id])
})

test('the filters select unread, followed and participated conversations', async () => {
  const { ann, ben, gus, stream_id } = await busyWorld()
  await gus.does(api.setTopicPolicy, { stream_id, topic: 'one', visibility_policy: 3 })
  assert.deepEqual(await places(gus, { filter: 'followed' }), ['open > four', 'open > one']) // mentioned in "four"
  assert.deepEqual(await places(ann, { filter: 'unread' }), ['open > two', 'open > four'])
  assert.deepEqual(await places(gus, { filter: 'unread' }), ['open > four']) // "two" is muted
  const part = await places(ben, { filter: 'participated' })
  assert.deepEqual(part, [
    ...['open > two', 'protected > two', 'open > four'],
    ...[[ann.id, ben.id, gus.id].join(), [ann.id, ben.id].join()],
  ])
})

test('a muted conversation is marked, and a wildcard does not count as a mention in it', async () => {
  const { gus } = await busyWorld()
  const muted = (await listed(gus)).filter(({ is_muted }) => is_muted)
  assert.deepEqual(
    muted.map((one) => [labelOf(one), one.unread_count, one.is_mentioned, one.visibility_policy]),
    [['open > two', 1, false, 1]],
  )
})

test('channels without a subscription are listed on request, if the caller may read them', async () => {
  const { adam, gus, ann } = await busyWorld()
  await inChannel('other', [ann])
  await ann.sends({ channel: 'other', topic: 'tea' })
  assert.deepEqual(await places(adam), [])
  const readable = await places(adam, { include_unsubscribed: true })
  assert.deepEqual([readable[0], readable.some((name) => /closed|protected/.test(name))], ['other > tea', false])
  assert.ok(!(await places(gus, { include_unsubscribed: true })).includes('other > tea'))
})

test('archived channels are not listed', async () => {
  const { ann, olga } = await newWorld()
  const stream_id = await inChannel('verona', [ann])
  await inChannel('padua', [ann])
  await ann.sends({ channel: 'verona', topic: 'tea' })
  await ann.sends({ channel: 'padua', topic: 'tea' })
  await olga.does(channels.archiveChannel, { path: { stream_id } })
  assert.deepEqual(await places(ann), ['padua > tea'])
})

test('the topics of one channel are listed alone, and only to those who may read it', async () => {
  const { ann, gus } = await busyWorld()
  const idOf = async (stream: string) => (await ann.does(channels.getChannelId, { stream })).stream_id
  const open = { stream_id: await idOf('open'), include_unsubscribed: true }
  const closed = { stream_id: await idOf('closed'), include_unsubscribed: true }

  assert.deepEqual(await places(ann, open), ['open > two', 'open > four', 'open > ', 'open > one'])
  assert.deepEqual(await places(ann, { ...open, filter: 'unread' }), ['open > two', 'open > four'])
  assert.deepEqual(await places(gus, closed), [])
})
