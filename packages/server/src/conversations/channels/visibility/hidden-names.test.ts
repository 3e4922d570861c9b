import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  archiveChannel,
  getChannel,
  getChannelId,
  getChannelMembers,
  getTopics,
  updateChannel,
} from '@parley/api/conversations/channels'
import { sendMessage } from '@parley/api/conversations/messages'
import * as api from '@parley/api/conversations/subscriptions'
import type { Operation } from '@parley/api/operation'
import pg from 'pg'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { configureRealm } from '../../../testing/configure-realm.ts'
import { newWorld, type World } from '../../../testing/world.ts'

const hidden = 'hidden'
const missing = 'absent'

async function withHiddenChannel(): Promise<World> {
  const world = await newWorld()
  await inChannel(hidden, [world.ann], { invite_only: true })
  return world
}

/** The error for a name, with the name blanked. */
async function refusal(actor: Actor, operation: Operation, name: string, params: object) {
  const text = JSON.stringify(await actor.isRefused(operation, params as Record<string, unknown>))
  return text.replaceAll(name, 'NAME')
}

async function assertAlike(actor: Actor, operation: Operation, paramsOf: (name: string) => object): Promise<void> {
  const [one, other] = [hidden, missing].map((name) => refusal(actor, operation, name, paramsOf(name)))
  assert.equal(await one, await other)
}

const subscriptions = (...names: string[]) => ({ subscriptions: names.map((name) => ({ name })) })
const subscribe = api.subscribe as Operation

test('subscribing does not reveal hidden channels to users who may not create channels', async () => {
  const world = await withHiddenChannel()
  const { ben } = world
  const nobody = 'role:nobody'
  await configureRealm(world, {}, { can_create_public_channel_group: nobody, can_create_private_channel_group: nobody })
  for (const authorization_errors_fatal of [true, false])
    await assertAlike(ben, subscribe, (name) => ({ ...subscriptions(name), authorization_errors_fatal }))
})

test('a request to subscribe that creates nothing does not reveal hidden channels', async () => {
  const { ann, ben, gus, adam } = await withHiddenChannel()
  await inChannel('closed', [adam, ben], { invite_only: true })
  await ben.does(api.unsubscribe, { subscriptions: ['closed'] })
  await inChannel('open', [ann])
  const wrong = [
    { is_default_stream: true },
    { is_web_public: true },
    { folder_id: 999_999 },
    { message_retention_days: 7 },
    { can_subscribe_group: 999_999 },
    { principals: [999_999] },
    { subscriptions: [{ name: 'x'.repeat(61) }] },
  ]
  for (const more of wrong) await assertAlike(ben, subscribe, (name) => ({ ...subscriptions(name), ...more }))
  await assertAlike(ben, subscribe, (name) => subscriptions(name, 'closed'))
  await assertAlike(gus, subscribe, (name) => subscriptions(name))
})

test('a hidden channel gives the same error as any other taken name that the caller may not access', async () => {
  const { ben, ann, adam } = await withHiddenChannel()
  const archived = await inChannel('archived', [ann, ben])
  await adam.does(archiveChannel, { path: { stream_id: archived } })
  const answers = await Promise.all(
    [hidden, 'archived'].map((name) => refusal(ben, subscribe, name, subscriptions(name))),
  )
  assert.equal(answers[0], answers[1])
})

test('looking up, sending to, unsubscribing from and linking a hidden channel fail as for a missing one', async () => {
  const { ben } = await withHiddenChannel()
  await assertAlike(ben, getChannelId as Operation, (name) => ({ stream: name }))
  await assertAlike(ben, sendMessage as Operation, (name) => ({ type: 'stream', to: name, topic: 't', content: 'x' }))
  await assertAlike(ben, api.unsubscribe as Operation, (name) => ({ subscriptions: [name] }))
})

test('a failed rename does not reveal whether the new name belongs to a hidden channel', async () => {
  const { ben } = await withHiddenChannel()
  const stream_id = await inChannel('mine', [ben])
  await assertAlike(ben, updateChannel as Operation, (name) => ({
    path: { stream_id },
    new_name: name,
    folder_id: 999_999,
  }))
})

/** Counts the queries about channels that requests cause. */
function channelQueries(t: TestContext): (work: () => Promise<unknown>) => Promise<number> {
  const { mock } = t.mock.method(pg.Client.prototype, 'query')
  return async (work) => {
    mock.resetCalls()
    await work()
    const texts = mock.calls.map(({ arguments: [query] }) =>
      typeof query === 'string' ? query : (query as { text: string }).text,
    )
    return texts.filter((text) => /from "?(channels|subscriptions)/.test(text)).length
  }
}

test('a hidden id takes as many queries as a missing one, with and without cached channels', async (t) => {
  const { ann, ben, gus, ctx, realmId } = await withHiddenChannel()
  const { stream_id } = await ann.does(getChannelId, { stream: hidden })
  const queries = channelQueries(t)
  for (const operation of [getChannel, getChannelMembers, getTopics] as Operation[])
    for (const actor of [ben, gus]) {
      const queriesFor = (id: number) => queries(() => actor.isRefused(operation, { path: { stream_id: id } }))
      ctx.realms.drop(realmId)
      await actor.sends({ to: [actor] }) // fills all caches that are not about channels
      const first = [await queriesFor(stream_id), await queriesFor(stream_id + 1_000_000)]
      assert.equal(first[0], first[1])
      assert.ok(first[0]! > 0)
      assert.deepEqual([await queriesFor(stream_id), await queriesFor(stream_id + 1_000_000)], [0, 0])
    }
})

test('a channel is found by an id that was missing before', async () => {
  const { ann } = await withHiddenChannel()
  const { stream_id } = await ann.does(getChannelId, { stream: hidden })
  await ann.isRefused(getChannel, { path: { stream_id: stream_id + 1 } })
  await inChannel('later', [ann])
  const later = await ann.does(getChannelId, { stream: 'later' })
  await ann.does(getChannel, { path: later })
})

test('a hidden name takes as many queries as a missing one, with and without cached channels', async (t) => {
  const { ben, ctx, realmId } = await withHiddenChannel()
  const queries = channelQueries(t)
  const queriesFor = (name: string) =>
    queries(async () => {
      await ben.isRefused(getChannelId as Operation, { stream: name })
      await ben.isRefused(sendMessage as Operation, { type: 'stream', to: name, topic: 't', content: 'x' })
    })
  ctx.realms.drop(realmId)
  await ben.sends({ to: [ben] }) // fills all caches that are not about channels
  const first = [await queriesFor(hidden), await queriesFor(missing)]
  assert.equal(first[0], first[1])
  assert.ok(first[0]! > 0)
  assert.deepEqual([await queriesFor(hidden), await queriesFor(missing)], [0, 0])
})
