import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/delivery/bots'
import * as queues from '@parley/api/delivery/queues'
import * as webhooks from '@parley/api/delivery/webhooks'
import * as accounts from '@parley/api/identity/accounts'
import { updateSettings } from '@parley/api/people/own-settings'
import * as users from '@parley/api/people/users'
import { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'

const endpoint = { bot_type: 3, payload_url: 'https://hooks.example.com/parley' } as const

async function newBot({ app, host, ann }: World, more: object = {}): Promise<Actor> {
  const { user_id, api_key } = await ann.does(api.createBot, { full_name: 'Helper', short_name: 'helper', ...more })
  return new Actor(app, user_id, 'Helper', { host, email: `helper-bot@${host}`, key: api_key })
}

test("the previous owner's copy of a transferred bot's key and queue stop working", async () => {
  const world = await newWorld()
  const bot = await newBot(world)
  const { queue_id, last_event_id } = await bot.registers()
  await world.ann.does(api.updateBot, { path: { bot_id: bot.id }, bot_owner_id: world.ben.id })

  assert.equal((await bot.isRefused(users.getOwnUser)).status, 401)
  const { api_key } = await world.ben.does(api.getBotApiKey, { path: { bot_id: bot.id } })
  const renewed = new Actor(world.app, bot.id, 'Helper', { ...bot.credentials, key: api_key })
  const poll = { queue_id, last_event_id, dont_block: true }
  assert.equal((await renewed.isRefused(queues.getEvents, poll)).code, 'BAD_EVENT_QUEUE_ID')
})

test('a transferred outgoing webhook gets a new token and a new signing secret', async () => {
  const world = await newWorld()
  const { ann, ben, adam } = world
  const path = { bot_id: (await newBot(world, endpoint)).id }
  const secretsSeenBy = async (viewer: Actor) => [
    (await viewer.registers()).realm_bots![0]!.services[0]!.token,
    (await viewer.does(webhooks.getWebhookSecret, { path })).secret,
  ]
  const before = await secretsSeenBy(ann)
  await adam.does(api.updateBot, { path, bot_owner_id: ben.id })
  const after = await secretsSeenBy(ben)
  assert.ok(before.every((secret) => !after.includes(secret)))
})

test('a bot keeps its key and queues when its owner stays the same', async () => {
  const world = await newWorld()
  const bot = await newBot(world)
  await bot.registers()
  await world.adam.does(api.updateBot, { path: { bot_id: bot.id }, bot_owner_id: world.ann.id, full_name: 'New' })
  await bot.reads()
})

test('a bot that is reactivated for another owner gets a new key', async () => {
  const world = await newWorld()
  const { ann, adam, olga } = world
  const bot = await newBot(world)
  await olga.does(accounts.deactivateUser, { path: { user_id: ann.id } })
  await adam.does(accounts.reactivateUser, { path: { user_id: bot.id } })
  assert.equal((await bot.isRefused(users.getOwnUser)).status, 401)
})

test('a new owner is not shown the name of a default channel that they cannot read', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await inChannel('secret', [ann], { invite_only: true })
  await inChannel('verona', [ann])
  const bot = await newBot(world, { default_sending_stream: 'secret', default_events_register_stream: 'verona' })
  await ben.registers()
  await ann.does(api.updateBot, { path: { bot_id: bot.id }, bot_owner_id: ben.id })
  const seen = (await ben.receives('realm_bot'))[0]!.bot as Partial<api.Bot>
  assert.deepEqual([seen.default_sending_stream, seen.default_events_register_stream], [null, 'verona'])
})

test("a bot's update does not reveal its owner's hidden email address", async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ben.does(updateSettings, { email_address_visibility: 4 })
  const bot = await newBot(world)
  const { bot_owner } = await ann.does(api.updateBot, { path: { bot_id: bot.id }, bot_owner_id: ben.id })
  assert.equal(bot_owner, `user${ben.id}@${world.host}`)
})
