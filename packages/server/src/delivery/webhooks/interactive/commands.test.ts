import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { getCommands, runCommand } from '@parley/api/delivery/actions'
import { updateBot } from '@parley/api/delivery/bots'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel } from '../../../testing/channels.ts'
import { answersJson, newReceiver } from '../../../testing/peers/receiver.ts'
import { newBot } from '../../../testing/peers/webhook-world.ts'
import { newWorld } from '../../../testing/world.ts'

const commands = [{ name: 'deploy', description: 'Start a release', args: [{ name: 'where', type: 'text' }] }]

const subscribes = (by: Actor, bot: Actor) =>
  by.does(subscribe, { subscriptions: [{ name: 'verona' }], principals: [bot.id] })

async function withCommand(answer: object, more: object = {}) {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  ctx.config.internalWebhooks = ['127.0.0.1']
  const receiver = await newReceiver(answersJson(answer))
  const bot = await newBot(world, ann, receiver.url, more)
  await ann.does(updateBot, { path: { bot_id: bot.id }, commands } as never)
  const stream_id = await inChannel('verona', [ann, ben], { invite_only: true })
  return { ...world, bot, receiver, stream_id }
}

test('a command is offered where its bot can read', async () => {
  const { ann, ben, gus, bot, stream_id } = await withCommand({})
  assert.deepEqual((await ben.does(getCommands, { stream_id })).commands, [])
  assert.match((await ben.isRefused(runCommand, { command: 'deploy', stream_id, topic: 't' })).msg, /no command/)
  await subscribes(ann, bot)
  assert.deepEqual((await ben.does(getCommands, { stream_id })).commands, [{ ...commands[0], bot_id: bot.id }])
  assert.equal((await ben.does(getCommands)).commands.length, 1)
  await gus.isRefused(getCommands, { stream_id })
})

test('the answer to a command is for its user, or for all readers', async () => {
  const { ann, ben, bot, receiver, stream_id } = await withCommand({ text: 'started' })
  await subscribes(ann, bot)
  await ben.registers()
  await ben.does(runCommand, { command: '/deploy', text: 'staging', stream_id, topic: 'ops' })
  const sent = JSON.parse(receiver.requests[0]!.body)
  assert.deepEqual(
    [sent.type, sent.command, sent.text, sent.stream_id, sent.topic, sent.user.id],
    ['command', 'deploy', 'staging', stream_id, 'ops', ben.id],
  )
  assert.equal((await ben.receives('ephemeral_message'))[0]!.content, '<p>started</p>')
  assert.deepEqual(await ben.receives('message'), [])
})

test("a bot with Slack's form gets the command in it, and can answer everyone", async () => {
  const answer = { response_type: 'in_channel', text: 'started' }
  const { ann, ben, bot, receiver, stream_id } = await withCommand(answer, { interface_type: 2 })
  await subscribes(ann, bot)
  await ann.registers()
  await ben.does(runCommand, { command: 'deploy', text: 'staging', stream_id, topic: 'ops' })
  const sent = new URLSearchParams(receiver.requests[0]!.body)
  assert.deepEqual([sent.get('command'), sent.get('text'), sent.get('user_id')], ['/deploy', 'staging', `U${ben.id}`])
  const [event] = await ann.receives('message')
  assert.deepEqual([event!.message.sender_id, event!.message.subject], [bot.id, 'ops'])
})

test('a command in direct messages is answered there', async () => {
  const { ben, bot } = await withCommand({ text: 'hello' })
  await ben.registers()
  await ben.does(runCommand, { command: 'deploy', to: [bot.id] })
  const [event] = await ben.receives('ephemeral_message')
  assert.deepEqual(event!.user_ids, [ben.id, bot.id].sort())
})

test('in direct messages without the bot, only who ran the command sees the answer', async () => {
  const { ann, ben } = await withCommand({ response_type: 'in_channel', text: 'hello' })
  await ann.registers()
  await ben.registers()
  await ben.does(runCommand, { command: 'deploy', to: [ann.id] })
  assert.equal((await ben.receives('ephemeral_message')).length, 1)
  assert.deepEqual(await ann.receives('message'), [])
})

test('commands have names that are free, and nobody runs one where they may not write', async () => {
  const { ann, gus, bot, receiver, stream_id } = await withCommand({})
  const path = { bot_id: bot.id }
  const command = (name: string) => ({ name, description: '' })
  for (const names of [['poll'], ['a', 'a'], ['Two words'], ['']])
    await ann.isRefused(updateBot, { path, commands: names.map(command) } as never)
  await subscribes(ann, bot)
  await gus.isRefused(runCommand, { command: 'deploy', stream_id, topic: 't' })
  await ann.isRefused(runCommand, { command: 'deploy', stream_id: 999_999, topic: 't' })
  assert.equal(receiver.requests.length, 0)
})

test('a command that several bots offer needs the bot', async () => {
  const { ann, ben, bot, ctx, receiver, ...world } = await withCommand({ text: 'mine' })
  const other = await newBot({ ...world, ann, ben, ctx } as never, ben, receiver.url)
  await ben.does(updateBot, { path: { bot_id: other.id }, commands } as never)
  const direct = { command: 'deploy', to: [ann.id] }
  assert.match((await ann.isRefused(runCommand, direct)).msg, /Several bots offer \/deploy/)
  await ann.does(runCommand, { ...direct, bot_id: bot.id })
  assert.equal(receiver.requests.length, 1)
})

test('a bot that was deactivated while its endpoint worked posts nothing', async () => {
  const { ann, bot, ctx, stream_id, ...world } = await withCommand({})
  const slow = await newReceiver(async (response) => {
    await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', bot.id).execute()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ response_type: 'in_channel', text: 'still here' }))
  })
  await ctx.db.updateTable('bot_services').set({ base_url: slow.url }).where('bot_id', '=', bot.id).execute()
  await subscribes(ann, bot)
  await ann.registers()
  await ann.isRefused(runCommand, { command: 'deploy', stream_id, topic: 't' })
  assert.deepEqual(await ann.receives('message'), [])
  assert.ok(world)
})
