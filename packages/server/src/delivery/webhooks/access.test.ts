import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as bots from '@parley/api/delivery/bots'
import * as api from '@parley/api/delivery/webhooks'
import { operations } from '@parley/api/operations'
import { startBackgroundWork } from '../../boot/background-jobs.ts'
import { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newReceiver } from '../../testing/peers/receiver.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

const canary = 'canary-private-5d0c'

async function newBot({ app, host, ann, ctx }: World, payload_url: string): Promise<Actor> {
  ctx.config.internalWebhooks = ['127.0.0.1']
  const named = { full_name: 'Hook', short_name: 'hook', bot_type: 3, payload_url } as const
  const { user_id, api_key } = await ann.does(bots.createBot, named)
  return new Actor(app, user_id, 'Hook', { host, email: `hook-bot@${host}`, key: api_key })
}

async function latestOf(owner: Actor, bot: Actor) {
  return (await owner.does(api.getDeliveries, { path: { bot_id: bot.id } })).deliveries[0]!
}

function runJobs(t: TestContext, { ctx }: World): void {
  const jobs = startBackgroundWork(ctx)
  t.after(() => jobs.stop())
}

/** Ben mentions the bot in public, then edits the message and moves it to a private channel. */
async function hideMessage({ ben }: World, message_id: number): Promise<void> {
  const stream_id = await inChannel('secret', [ben], { invite_only: true })
  await ben.does(operations.editMessage, { path: { message_id }, content: `@**Hook** ${canary}` })
  await ben.does(operations.editMessage, { path: { message_id }, stream_id, topic: canary })
}

test('a pending delivery is cancelled when its message moves to a channel that the bot cannot read', async (t) => {
  const world = await newWorld()
  const receiver = await newReceiver()
  const bot = await newBot(world, receiver.url)
  await inChannel('verona', [world.ann, world.ben])
  await hideMessage(world, await world.ben.sends({ channel: 'verona', content: '@**Hook** hello' }))
  runJobs(t, world)
  await until(async () => (await latestOf(world.ann, bot)).status === 'cancelled')
  assert.equal(receiver.requests.length, 0)
})

test('neither a replay nor the payload endpoint shows edits of a message that the bot can no longer read', async (t) => {
  const world = await newWorld()
  runJobs(t, world)
  const receiver = await newReceiver()
  const bot = await newBot(world, receiver.url)
  await inChannel('verona', [world.ann, world.ben])
  const message_id = await world.ben.sends({ channel: 'verona', content: '@**Hook** hello' })
  await until(async () => (await latestOf(world.ann, bot)).status === 'delivered')
  await hideMessage(world, message_id)

  const { id: delivery_id } = await latestOf(world.ann, bot)
  await world.ann.does(api.replayDelivery, { path: { bot_id: bot.id, delivery_id } })
  await until(async () => (await latestOf(world.ann, bot)).status === 'cancelled')
  assert.ok(!JSON.stringify([receiver.requests, await bot.does(api.getWebhookPayload)]).includes(canary))
})

test('a bot mentioned in a channel it cannot read gets the original message once, and no later edit', async (t) => {
  const world = await newWorld()
  const { ann, ben } = world
  runJobs(t, world)
  const receiver = await newReceiver()
  const bot = await newBot(world, receiver.url)
  await inChannel('secret', [ben], { invite_only: true })
  const message_id = await ben.sends({ channel: 'secret', content: '@**Hook** hello' })
  await until(async () => (await latestOf(ann, bot)).status === 'delivered')
  assert.equal((await bot.does(api.getWebhookPayload)).data, '@**Hook** hello')
  await ben.does(operations.editMessage, { path: { message_id }, content: `@**Hook** ${canary}` })
  assert.notEqual((await bot.does(api.getWebhookPayload)).message.id, message_id)
})

test("a new owner cannot replay deliveries from the time of the bot's previous owner", async (t) => {
  const world = await newWorld()
  const { ann, ben } = world
  runJobs(t, world)
  const bot = await newBot(world, (await newReceiver()).url)
  await ann.sends({ to: [bot] })
  const { id: delivery_id } = await until(async () => {
    const latest = await latestOf(ann, bot)
    return latest.status === 'delivered' && latest
  })
  await ann.does(bots.updateBot, { path: { bot_id: bot.id }, bot_owner_id: ben.id })
  await ben.isRefused(api.replayDelivery, { path: { bot_id: bot.id, delivery_id } })
})
