import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { emptyTopicDisplayName } from '@parley/api/common'
import * as messages from '@parley/api/conversations/messages'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import * as botsApi from '@parley/api/delivery/bots'
import * as api from '@parley/api/delivery/webhooks'
import { webhookPayload } from '@parley/api/delivery/webhooks'
import type { Operation } from '@parley/api/operation'
import * as groups from '@parley/api/organization/groups'
import { sql } from 'kysely'
import { Compile } from 'typebox/compile'
import { Vault } from '../../platform/secrets.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { upload } from '../../testing/files.ts'
import { answersJson, answersText, newReceiver } from '../../testing/peers/receiver.ts'
import { deliveriesOf, ended, listeningWorld, newBot, requestTo } from '../../testing/peers/webhook-world.ts'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'

const isPayload = Compile(webhookPayload)

async function textsIn(reader: Actor, narrow: { operator: string; operand: unknown }[]) {
  const found = await reader.does(messages.getMessages, {
    anchor: 'newest',
    num_before: 20,
    num_after: 0,
    apply_markdown: false,
    narrow: narrow as never,
  })
  return found.messages.map(({ sender_full_name, content }) => `${sender_full_name}: ${content}`)
}

const inVerona = [{ operator: 'channel', operand: 'verona' }]
const between = (people: Actor[]) => [{ operator: 'dm', operand: people.map(({ id }) => id) }]

test('a bot whose secrets cannot be read any more fails once, and its owner learns why', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, ctx } = world
  await inChannel('verona', [ann, ben])
  const receiver = await newReceiver()
  const bot = await newBot(world, ann, receiver.url)
  const sealed = new Vault('another key of the server, from before').seal('secret')
  await sql`update bot_services set secret_sealed = ${sealed} where bot_id = ${bot.id}`.execute(ctx.db)
  await ben.sends({ channel: 'verona', content: `@**${bot.name}** hello` })
  const { attempts, error } = await ended(ann, bot, 'failed')
  assert.equal(attempts, 1)
  assert.match(error!, /SECRET_KEY of the server has changed/)
  assert.equal(receiver.requests.length, 0)
})

test('a message that mentions the bot is posted to its endpoint', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  const stream_id = await inChannel('verona', [ann, ben])
  const receiver = await newReceiver()
  const bot = await newBot(world, ann, receiver.url)
  const content = `@**${bot.name}** what is *this*?`
  const id = await ben.sends({ channel: 'verona', topic: '', content })

  const { method, headers, body } = await requestTo(receiver)
  assert.equal(method, 'POST')
  assert.match(headers['content-type']!, /^application\/json/)
  assert.match(headers['user-agent']!, /OutgoingWebhook\//)
  const payload = JSON.parse(body)
  assert.ok(isPayload.Check(payload), JSON.stringify(isPayload.Errors(payload)))
  assert.deepEqual(Object.keys(payload).sort(), ['bot_email', 'bot_full_name', 'data', 'message', 'token', 'trigger'])
  const { message, token, ...rest } = payload
  assert.deepEqual(rest, {
    bot_email: bot.credentials.email,
    bot_full_name: bot.name,
    data: content,
    trigger: 'mention',
  })
  const [service] = (await ann.registers()).realm_bots![0]!.services
  assert.equal(token, service!.token)
  assert.deepEqual(
    [message.id, message.type, message.stream_id, message.subject, message.sender_id, message.display_recipient],
    [id, 'stream', stream_id, emptyTopicDisplayName, ben.id, 'verona'],
  )
  assert.deepEqual([message.content, message.content_type], [content, 'text/x-markdown'])
  assert.match(message.rendered_content, /<em>this<\/em>/)
  assert.match(message.avatar_url!, /^https:/)
  assert.equal('flags' in message, false)
})

test('a direct message is delivered to every outgoing webhook bot in the conversation, each with its own token', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  const receiver = await newReceiver()
  const bots = [await newBot(world, ann, receiver.url), await newBot(world, ben, receiver.url)]
  await ben.sends({ to: [ann, ...bots], content: 'you two' })
  await requestTo(receiver, 2)
  const payloads = receiver.requests.map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    payloads.map(({ trigger }) => trigger),
    ['direct_message', 'direct_message'],
  )
  assert.deepEqual(
    payloads.map(({ bot_email }) => bot_email).sort(),
    bots.map(({ credentials }) => credentials.email).sort(),
  )
  assert.equal(new Set(payloads.map(({ token }) => token)).size, 2)
  const { display_recipient, subject, type } = payloads[0].message
  assert.deepEqual([type, subject], ['private', ''])
  assert.deepEqual(
    display_recipient.map(({ id }: { id: number }) => id).sort(),
    [ann.id, ben.id, ...bots.map(({ id }) => id)].sort(),
  )
})

test('messages without a personal mention, and messages from bots, trigger nothing', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const bot = await newBot(world, ann, 'http://127.0.0.1:1/')
  const other = await newBot(world, ann, 'http://127.0.0.1:1/')
  await ann.does(subscriptions.subscribe, { subscriptions: [{ name: 'verona' }], principals: [bot.id] })
  for (const content of [
    'hello',
    `@_**${bot.name}** silently`,
    '@**all** hear',
    `\`@**${bot.name}**\``,
    '@**topic** here',
  ])
    await ann.sends({ channel: 'verona', content }).catch(() => {})
  await other.sends({ to: [bot], content: 'between us' })
  await other.sends({ channel: 'verona', content: `@**${bot.name}** you` })
  await bot.sends({ to: [ann], content: 'from me' })
  assert.deepEqual(await deliveriesOf(ann, bot), [])
})

test('a group mention triggers a bot only in channels to which it is subscribed', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  const bot = await newBot(world, ann, 'http://127.0.0.1:1/')
  await ann.does(groups.createUserGroup, { name: 'machines', description: '', members: [ben.id, bot.id] })
  await ann.sends({ channel: 'verona', content: '@*machines* hello' })
  assert.deepEqual(await deliveriesOf(ann, bot), [])
  await ann.does(subscriptions.subscribe, { subscriptions: [{ name: 'verona' }], principals: [bot.id] })
  await ann.sends({ channel: 'verona', content: '@*machines* hello' })
  assert.deepEqual(
    (await deliveriesOf(ann, bot)).map(({ trigger }) => trigger),
    ['mention'],
  )
})

test('the bot replies in the conversation of the message', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  await inChannel('den', [ann, ben], { invite_only: true })
  const bot = await newBot(world, ann, (await newReceiver(answersJson({ content: 'good *day*' }))).url)
  const legacyBot = await newBot(
    world,
    ann,
    (await newReceiver(answersJson({ response_string: 'old way', content: 'no' }))).url,
  )
  await ben.sends({ channel: 'verona', topic: 'questions', content: `@**${bot.name}** hi` })
  await ben.sends({ channel: 'den', topic: 'questions', content: `@**${legacyBot.name}** hi` })
  await ben.sends({ to: [bot], content: 'hi' })
  await ended(ann, legacyBot, 'delivered')
  await until(async () => (await deliveriesOf(ann, bot)).every(({ status }) => status === 'delivered'))
  assert.equal(
    (await textsIn(ben, [...inVerona, { operator: 'topic', operand: 'questions' }])).at(-1),
    `${bot.name}: good *day*`,
  )
  assert.equal((await textsIn(ben, [{ operator: 'channel', operand: 'den' }])).at(-1), `${legacyBot.name}: old way`)
  assert.equal((await textsIn(ben, between([bot]))).at(-1), `${bot.name}: good *day*`)
  assert.deepEqual((await bot.registers()).unread_msgs!.pms, [], 'messages the bot replied to are read')
})

for (const [name, answer] of [
  ['response_not_required', answersJson({ response_not_required: true, content: 'no' })],
  ['an empty object', answersJson({})],
  ['blank content', answersJson({ content: '  \n' })],
  ['an empty string', answersJson('')],
] as const)
  test(`${name} sends no reply`, async (t) => {
    const world = await listeningWorld(t)
    const { ann, ben } = world
    const bot = await newBot(world, ann, (await newReceiver(answer)).url)
    await ben.sends({ to: [bot], content: 'hi' })
    assert.equal((await ended(ann, bot, 'delivered')).response_status, 200)
    assert.deepEqual(await textsIn(ben, between([bot])), ['Ben: hi'])
  })

for (const [name, answer, reason] of [
  ['an error', answersText('internal details', 500), /status 500/],
  ['a redirect', answersText('', 302), /status 302/],
  ['a refusal by the proxy', answersText('', 407), /proxy/],
  ['a response that is not JSON', answersText('<html>'), /not a JSON object/],
  ['JSON that is not an object', answersJson([1]), /not a JSON object/],
  ['an invalid widget', answersJson({ content: 'x', widget_content: 'nonsense' }), /widget/],
] as const)
  test(`${name} is reported in the conversation and to the owner, and is not retried`, async (t) => {
    const world = await listeningWorld(t)
    const { ann, ben } = world
    await inChannel('verona', [ann, ben])
    const receiver = await newReceiver(answer)
    const bot = await newBot(world, ann, receiver.url)
    await ben.sends({ channel: 'verona', content: `@**${bot.name}** hi` })
    const { attempts, error } = await ended(ann, bot, 'failed')
    assert.equal(attempts, 1)
    assert.match(error!, reason)
    assert.match((await textsIn(ben, inVerona)).at(-1)!, reason)
    const [notice] = await textsIn(ann, between([bot]))
    assert.match(notice!, reason)
    assert.ok(!notice!.includes('internal details'), 'responses of internal hosts are not shown')
    assert.equal(receiver.requests.length, 1)
  })

test('files linked in a reply are claimed by it', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ctx } = world
  const url = await upload(world, ann, { content: 'seven' })
  const receiver = await newReceiver(answersJson({ content: `[file](${url})` }))
  const bot = await newBot(world, ann, receiver.url)
  await ann.sends({ to: [bot], content: `look at [this](${url})` })
  await ended(ann, bot, 'delivered')
  const links = await ctx.db
    .selectFrom('attachment_messages')
    .select('message_id')
    .where('realm_id', '=', world.realmId)
    .execute()
  assert.equal(links.length, 2)
})

test('a reply can contain buttons', async (t) => {
  const world = await listeningWorld(t)
  const { ann } = world
  const choices = [{ short_name: 'A', long_name: 'Soup', reply: 'soup' }]
  const widget_content = { widget_type: 'zform', extra_data: { type: 'choices', heading: 'Lunch?', choices } }
  const receiver = await newReceiver(answersJson({ content: 'Lunch?', widget_content: JSON.stringify(widget_content) }))
  const bot = await newBot(world, ann, receiver.url)
  await ann.registers()
  await ann.sends({ to: [bot], content: 'hungry' })
  await ended(ann, bot, 'delivered')
  const [, answer] = await ann.receives('message')
  assert.deepEqual(JSON.parse(answer!.message.submessages[0]!.content), widget_content)
})

test('a reply that cannot be sent is reported as a failure', async (t) => {
  const world = await listeningWorld(t)
  const { ann, mona } = world
  await inChannel('verona', [ann, mona])
  for (let n = 0; n < 16; n++)
    await ann.does(subscriptions.subscribe, {
      subscriptions: [{ name: 'verona' }],
      principals: [(await world.add(`many${n}`)).id],
    })
  const bot = await newBot(world, ann, (await newReceiver(answersJson({ content: '@**all** hello' }))).url)
  await mona.sends({ channel: 'verona', content: `@**${bot.name}** hi` })
  assert.match((await ended(ann, bot, 'failed')).error!, /could not be sent/)
})

test('an endpoint that cannot be reached is tried four times', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, ctx } = world
  const bot = await newBot(world, ann, 'http://127.0.0.1:1/')
  await ben.sends({ to: [bot], content: 'hi' })
  for (let attempt = 1; attempt < 4; attempt++) {
    await until(async () => {
      const [newest] = await deliveriesOf(ann, bot)
      return newest!.attempts === attempt && newest!.status === 'waiting'
    })
    await sql`update webhook_deliveries set due_at = now() where bot_id = ${bot.id}`.execute(ctx.db)
    ctx.webhooks.wake(world.realmId, bot.id)
  }
  assert.equal((await ended(ann, bot, 'failed')).attempts, 4)
  assert.match((await textsIn(ben, between([bot]))).at(-1)!, /could not be reached/)
  assert.match((await textsIn(ann, between([bot]))).at(-1)!, /could not be reached/)
})

test('an endpoint that becomes reachable gets the same request again', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, ctx } = world
  const receiver = await newReceiver((response, _request, count) =>
    count === 1 ? response.destroy() : response.end('{}'),
  )
  const bot = await newBot(world, ann, receiver.url)
  await ben.sends({ to: [bot], content: 'hi' })
  await until(async () => (await deliveriesOf(ann, bot))[0]!.status === 'waiting' && receiver.requests.length === 1)
  await sql`update webhook_deliveries set due_at = now() where bot_id = ${bot.id}`.execute(ctx.db)
  await ctx.webhooks.resume()
  await ended(ann, bot, 'delivered')
  const [first, second] = receiver.requests
  assert.equal(first!.headers['webhook-id'], second!.headers['webhook-id'])
  assert.equal(first!.body, second!.body)
})

test('internal IP addresses are refused unless the operator allows them', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, ctx } = world
  const receiver = await newReceiver()
  const bot = await newBot(world, ann, `http://[::ffff:127.0.0.1]:${receiver.port}/`)
  ctx.config.internalWebhooks = []
  await ben.sends({ to: [bot], content: 'hi' })
  const { attempts, error } = await ended(ann, bot, 'failed')
  assert.deepEqual([attempts, receiver.requests.length], [1, 0])
  assert.match(error!, /not on the public internet/)
})

test('a hanging endpoint does not delay other bots', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  const hanging = await newBot(world, ann, (await newReceiver(() => {})).url)
  const prompt = await newBot(world, ann, (await newReceiver()).url)
  for (let n = 0; n < 10; n++) await ben.sends({ to: [hanging], content: 'hi' })
  await ben.sends({ to: [prompt], content: 'hi' })
  await ended(ann, prompt, 'delivered')
  const { length } = (await deliveriesOf(ann, hanging)).filter(({ status }) => status === 'sending')
  assert.equal(length, 2)
})

test('deliveries taken by a process that died are taken over', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, ctx } = world
  const receiver = await newReceiver()
  const bot = await newBot(world, ann, receiver.url)
  await ben.sends({ to: [bot], content: 'hi' })
  await ended(ann, bot, 'delivered')
  await sql`update webhook_deliveries set status = 'sending', due_at = now() where bot_id = ${bot.id}`.execute(ctx.db)
  await ctx.webhooks.resume()
  await ended(ann, bot, 'delivered')
  assert.equal(receiver.requests.length, 2)
})

test('nothing is delivered for a deactivated bot, nor about a deleted message', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, ctx, realmId } = world
  const receiver = await newReceiver()
  const bot = await newBot(world, ann, receiver.url)
  const id = await ben.sends({ to: [ann] })
  const waiting = { realm_id: realmId, bot_id: bot.id, message_id: id, trigger: 'mention' }
  await ctx.db
    .insertInto('webhook_deliveries')
    .values({ ...waiting, message_id: 999_999 })
    .execute()
  ctx.webhooks.wake(realmId, bot.id)
  await ended(ann, bot, 'cancelled')
  await ann.does(botsApi.deactivateBot, { path: { bot_id: bot.id } })
  await ctx.db.insertInto('webhook_deliveries').values(waiting).execute()
  ctx.webhooks.wake(realmId, bot.id)
  await until(async () => (await deliveriesOf(ann, bot)).filter(({ status }) => status === 'cancelled').length === 2)
  assert.equal(receiver.requests.length, 0)
})

test('requests are signed according to Standard Webhooks', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  const receiver = await newReceiver()
  const bot = await newBot(world, ann, receiver.url)
  await ben.sends({ to: [bot], content: 'hi' })
  const { headers, body } = await requestTo(receiver)
  const { secret } = await ann.does(api.getWebhookSecret, { path: { bot_id: bot.id } })
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const signature = createHmac('sha256', key).update(signed).digest('base64')
  assert.equal(headers['webhook-signature'], `v1,${signature}`)
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 60)
})

test('a bot with the Slack interface receives a form and replies with text', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  const stream_id = await inChannel('verona', [ann, ben])
  const receiver = await newReceiver(answersJson({ text: 'slack says hi' }))
  const bot = await newBot(world, ann, receiver.url, { interface_type: 2 })
  const content = `@**${bot.name}** hi & bye`
  await ben.sends({ channel: 'verona', topic: 'questions', content })
  const { headers, body } = await requestTo(receiver)
  assert.match(headers['content-type']!, /^application\/x-www-form-urlencoded/)
  const { token, timestamp, thread_ts, ...form } = Object.fromEntries(new URLSearchParams(body))
  assert.match(token!, /^[A-Za-z0-9]{32}$/)
  assert.equal(timestamp, thread_ts)
  assert.deepEqual(form, {
    team_id: `T${world.realmId}`,
    team_domain: world.host,
    channel_id: `C${stream_id}`,
    channel_name: 'verona',
    user_id: `U${ben.id}`,
    user_name: 'Ben',
    text: content,
    trigger_word: 'mention',
    service_id: String(bot.id),
  })
  await ended(ann, bot, 'delivered')
  assert.equal((await textsIn(ben, inVerona)).at(-1), `${bot.name}: slack says hi`)
})

test('a bot with the Slack interface does not support direct messages', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  const receiver = await newReceiver()
  const bot = await newBot(world, ann, receiver.url, { interface_type: 2 })
  await ben.sends({ to: [bot], content: 'hi' })
  await ended(ann, bot, 'failed')
  assert.match((await textsIn(ben, between([bot]))).at(-1)!, /does not support direct messages/)
  assert.equal(receiver.requests.length, 0)
})

test('a delivery can be replayed by users who manage the bot', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, adam, gus } = world
  const receiver = await newReceiver()
  const bot = await newBot(world, ann, receiver.url)
  await ben.sends({ to: [bot], content: 'hi' })
  const { id } = await ended(ann, bot, 'delivered')
  const path = { bot_id: bot.id, delivery_id: id }
  for (const operation of [api.getDeliveries, api.replayDelivery, api.getWebhookSecret])
    for (const actor of [ben, gus, bot]) await actor.isRefused(operation as Operation, { path })
  const elsewhere = await newWorld()
  for (const operation of [api.getDeliveries, api.replayDelivery, api.getWebhookSecret])
    await elsewhere.olga.isRefused(operation as Operation, { path })
  await ann.isRefused(api.replayDelivery, { path: { ...path, delivery_id: 999_999 } })
  await adam.does(api.replayDelivery, { path })
  await requestTo(receiver, 2)
  assert.equal(receiver.requests[0]!.headers['webhook-id'], receiver.requests[1]!.headers['webhook-id'])
})

test('a send that the client retries triggers one delivery', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben } = world
  const bot = await newBot(world, ann, (await newReceiver()).url)
  await ben.registers()
  const again = { queue_id: ben.queueId, local_id: '7.01' }
  const first = await ben.sends({ to: [bot], ...again })
  assert.equal(await ben.sends({ to: [bot], ...again }), first)
  assert.equal((await deliveriesOf(ann, bot)).length, 1)
})

test('a bot gets its own latest payload; other users get an example without real data', async (t) => {
  const world = await listeningWorld(t)
  const { ann, ben, gus, olga } = world
  const bot = await newBot(world, ann, (await newReceiver()).url)
  const { services } = (await ann.registers()).realm_bots![0]!
  const before = await bot.does(api.getWebhookPayload)
  assert.deepEqual([before.token, before.bot_email], [services[0]!.token, bot.credentials.email])
  await ben.sends({ to: [bot], content: 'older' })
  const id = await ben.sends({ to: [bot], content: 'a *secret*' })
  const own = await bot.does(api.getWebhookPayload)
  assert.deepEqual(
    [own.data, own.message.id, own.trigger, own.token],
    ['a *secret*', id, 'direct_message', services[0]!.token],
  )
  for (const actor of [gus, ben, olga, await world.add('plain', 400, { bot_type: 1, bot_owner_id: ann.id })]) {
    const text = JSON.stringify(await actor.does(api.getWebhookPayload))
    for (const hidden of [services[0]!.token, 'secret', bot.credentials.email, ben.credentials.email])
      assert.ok(!text.includes(hidden), hidden)
  }
  const response = await world.app.inject({
    method: 'POST',
    url: '/api/v1/zulip-outgoing-webhook',
    headers: bot.headers,
  })
  assert.equal(response.json().data, 'a *secret*')
  const writer = await world.add('writer', 400, { bot_type: 2, bot_owner_id: ann.id })
  assert.equal((await writer.isRefused(api.getWebhookPayload)).status, 401)
})
