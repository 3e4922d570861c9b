import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { updateChannel } from '@parley/api/conversations/channels'
import * as messages from '@parley/api/conversations/messages'
import * as api from '@parley/api/delivery/bots'
import * as queues from '@parley/api/delivery/queues'
import * as accounts from '@parley/api/identity/accounts'
import type { Operation } from '@parley/api/operation'
import * as users from '@parley/api/people/users'
import * as server from '@parley/api/server'
import { column, many } from '../../platform/db/query.ts'
import { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { configureRealm } from '../../testing/configure-realm.ts'
import { multipart } from '../../testing/samples.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

let made = 0

async function makes(
  owner: Actor,
  more: object = {},
): Promise<{ user_id: number; api_key: string; short_name: string }> {
  const short_name = `helper${++made}`
  const answer = await owner.does(api.createBot, { full_name: `Helper ${made}`, short_name, ...more })
  return { ...answer, short_name }
}

function as({ app, host }: World, bot: { user_id: number; api_key: string; short_name: string }): Actor {
  const email = `${bot.short_name}-bot@${host}`
  return new Actor(app, bot.user_id, bot.short_name, { host, email, key: bot.api_key })
}

const outgoing = { bot_type: 3, payload_url: 'https://hooks.example.com/parley' } as const

test('a bot authenticates with its own email and API key', async () => {
  const world = await newWorld()
  const bot = as(world, await makes(world.ann))
  const own = await bot.does(users.getOwnUser)
  assert.deepEqual(
    [own.email, own.is_bot, own.bot_type, own.bot_owner_id, own.role],
    [bot.credentials.email, true, 1, world.ann.id, roles.member],
  )
  await bot.registers()
})

test('the Python bot framework can start, and its bot can reply', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const bot = as(world, await makes(ann))
  await bot.does(server.getServerSettings)
  const { user_id, full_name, email } = await bot.does(users.getOwnUser)
  assert.deepEqual([user_id, email], [bot.id, bot.credentials.email])
  assert.match(full_name, /^Helper/)
  await bot.registers({ event_types: ['message'] })
  await ann.sends({ to: [bot, ben], content: 'do you *hear*?' })

  const [event] = await bot.receives('message')
  const { type, sender_id, display_recipient, subject, content } = event!.message
  assert.deepEqual([type, sender_id, subject, content], ['private', ann.id, '', 'do you *hear*?'])
  assert.deepEqual(event!.flags, [])
  const everybody = display_recipient as { id: number; email: string }[]
  const to = everybody.map(({ id }) => id)
  assert.deepEqual(to, [ann.id, ben.id, bot.id])
  await bot.does(messages.sendMessage, { type: 'private', to, content: 'yes' })
  await bot.does(api.updateBotStorage, { storage: { received: '1' } })
  assert.deepEqual((await bot.does(api.getBotStorage, { keys: ['received'] })).storage, { received: '1' })
})

test('embedded bots are refused, because the server cannot run them', async () => {
  const { ann } = await newWorld()
  const params = { full_name: 'Inside', short_name: 'inside', bot_type: 4, service_name: 'converter' }
  assert.equal((await ann.isRefused(api.createBot, params)).code, 'BAD_REQUEST')
  assert.deepEqual((await ann.does(api.getBots)).bots, [])
})

test('users see the list of their own active bots', async () => {
  const { ann, adam } = await newWorld()
  const kept = await makes(ann)
  const gone = await makes(ann)
  await ann.does(api.deactivateBot, { path: { bot_id: gone.user_id } })
  const { bots } = await ann.does(api.getBots)
  assert.deepEqual(
    bots.map(({ api_key }) => api_key),
    [kept.api_key],
  )
  assert.deepEqual((await adam.does(api.getBots)).bots, [])
})

test('guests and bots can neither create nor manage bots', async () => {
  const world = await newWorld()
  const { gus, ann } = world
  const bot = await makes(ann)
  const writer = as(world, await makes(ann, { bot_type: 2 }))
  const path = { bot_id: bot.user_id }
  const params = { full_name: 'X', short_name: 'x' }
  for (const operation of [
    api.getBots,
    api.createBot,
    api.updateBot,
    api.deactivateBot,
    api.getBotApiKey,
    api.regenerateBotApiKey,
  ])
    for (const actor of [gus, as(world, bot)])
      assert.equal((await actor.isRefused(operation as Operation, { path, ...params })).code, 'BAD_REQUEST')
  assert.equal((await writer.isRefused(api.getBots)).code, 'UNAUTHORIZED')
})

test('an incoming webhook may only send', async () => {
  const world = await newWorld()
  const writer = as(world, await makes(world.ann, { bot_type: 2 }))
  await writer.sends({ to: [world.ben] })
  for (const operation of [queues.register, users.getOwnUser, messages.getMessages, api.getBotStorage])
    assert.equal((await writer.isRefused(operation as Operation)).status, 401)
})

test('two settings decide who may create bots', async () => {
  const world = await newWorld()
  const { ann, mona } = world
  await configureRealm(world, {}, { can_create_bots_group: 'role:moderators' })
  await ann.isRefused(api.createBot, { full_name: 'A', short_name: 'a' })
  await makes(ann, { bot_type: 2 })
  await makes(mona, { bot_type: 1 })
  await configureRealm(world, {}, { can_create_write_only_bots_group: 'role:administrators' })
  await ann.isRefused(api.createBot, { full_name: 'B', short_name: 'b', bot_type: 2 })
  await makes(mona, { bot_type: 2 })
})

test('a bot can be reactivated by users who may create a bot of its type', async () => {
  const world = await newWorld()
  const { adam, ann } = world
  const [generic, writing] = [await makes(ann), await makes(ann, { bot_type: 2 })]
  for (const { user_id } of [generic, writing]) await ann.does(api.deactivateBot, { path: { bot_id: user_id } })
  await configureRealm(world, {}, { can_create_bots_group: 'role:nobody' })
  await adam.isRefused(accounts.reactivateUser, { path: { user_id: generic.user_id } })
  await adam.does(accounts.reactivateUser, { path: { user_id: writing.user_id } })
})

test('a bot needs an unused name and an unused email, and an outgoing webhook needs a URL', async () => {
  const { ann } = await newWorld()
  const good = { full_name: 'Good', short_name: 'good' }
  await ann.does(api.createBot, good)
  for (const wrong of [
    { full_name: 'GOOD', short_name: 'other' },
    { full_name: 'ben', short_name: 'other' },
    { full_name: 'Other', short_name: 'Good' },
    { full_name: 'Other', short_name: '' },
    { full_name: 'Other', short_name: 'a b' },
    { full_name: '', short_name: 'other' },
    { full_name: 'Other', short_name: 'other', bot_type: 5 },
    { full_name: 'Other', short_name: 'other', bot_type: 3 },
    { full_name: 'Other', short_name: 'other', bot_type: 3, payload_url: 'ftp://example.com' },
    { full_name: 'Other', short_name: 'other', bot_type: 3, payload_url: '"nonsense"' },
    { full_name: 'Other', short_name: 'other', bot_type: 3, payload_url: 'http://u:p@example.com/' },
    { full_name: 'Other', short_name: 'other', ...outgoing, interface_type: 3 },
    { full_name: 'Other', short_name: 'other', default_sending_stream: 'nowhere' },
  ])
    assert.equal((await ann.isRefused(api.createBot, wrong)).code, 'BAD_REQUEST', JSON.stringify(wrong))
  assert.match(
    (await ann.isRefused(api.createBot, { full_name: 'E', short_name: 'e', bot_type: 4 })).msg,
    /not enabled/,
  )
  assert.equal((await ann.does(api.getBots)).bots.length, 1)
})

test('a bot can be created with a multipart form', async () => {
  const { app, ann } = await newWorld()
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/bots',
    headers: { ...ann.headers, 'content-type': 'multipart/form-data; boundary=parley-test-boundary' },
    payload: multipart([
      ['full_name', 'Parts'],
      ['short_name', 'parts'],
      ['bot_type', '3'],
      ['payload_url', '"https://hooks.example.com"'],
      ['interface_type', '1'],
    ]),
  })
  assert.equal(response.json().result, 'success', response.body)
})

test('an outgoing webhook has a service with a token, visible to its owner and administrators', async () => {
  const { ann, adam, ben } = await newWorld()
  const { user_id } = await makes(ann, { ...outgoing, interface_type: 2 })
  for (const viewer of [ann, adam]) {
    const { realm_bots } = await viewer.registers()
    const [service] = realm_bots!.find((bot) => bot.user_id === user_id)!.services
    assert.deepEqual([service!.base_url, service!.interface], [outgoing.payload_url, 2])
    assert.match(service!.token, /^[A-Za-z0-9]{32}$/)
  }
  assert.deepEqual((await ben.registers()).realm_bots, [])
})

test('only its owner and administrators can manage a bot', async () => {
  const { ann, ben, adam } = await newWorld()
  const elsewhere = await newWorld()
  const bot = await makes(ann)
  const path = { bot_id: bot.user_id }
  for (const operation of [api.updateBot, api.deactivateBot, api.getBotApiKey, api.regenerateBotApiKey]) {
    assert.equal((await ben.isRefused(operation as Operation, { path })).code, 'BAD_REQUEST')
    const missing = await ann.isRefused(operation as Operation, { path: { bot_id: 999_999 } })
    for (const stranger of [elsewhere.olga, elsewhere.ann])
      assert.deepEqual(await stranger.isRefused(operation as Operation, { path }), missing)
    assert.deepEqual(await adam.isRefused(operation as Operation, { path: { bot_id: ben.id } }), missing)
  }
  assert.equal((await adam.does(api.getBotApiKey, { path })).api_key, bot.api_key)
})

test('a new API key invalidates the old one', async () => {
  const world = await newWorld()
  const made = await makes(world.ann)
  const bot = as(world, made)
  await bot.registers()
  const { api_key } = await world.ann.does(api.regenerateBotApiKey, { path: { bot_id: bot.id } })
  assert.equal((await bot.isRefused(users.getOwnUser)).code, 'UNAUTHORIZED')
  await as(world, { ...made, api_key }).does(users.getOwnUser)
  const rows = await many(world.ctx.db)`select 1 from queues where user_id = ${bot.id}`
  assert.equal(rows.length, 0)
})

test('a deactivated bot cannot authenticate', async () => {
  const world = await newWorld()
  const bot = as(world, await makes(world.ann))
  await bot.does(users.getOwnUser)
  await world.ann.does(api.deactivateBot, { path: { bot_id: bot.id } })
  assert.equal((await bot.isRefused(users.getOwnUser)).code, 'UNAUTHORIZED')
  await world.ann.does(api.deactivateBot, { path: { bot_id: bot.id } })
})

test('the response to an update contains the new state of the bot', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann])
  const { user_id } = await makes(ann, outgoing)
  const answer = await ann.does(api.updateBot, {
    path: { bot_id: user_id },
    full_name: 'Renamed',
    default_sending_stream: 'verona',
    default_all_public_streams: true,
    service_payload_url: 'https://other.example.com/',
    service_interface: 2,
    config_data: { a: 'b' },
    bot_owner_id: ben.id,
  })
  assert.deepEqual(
    { ...answer, avatar_url: undefined, result: undefined, msg: undefined },
    {
      full_name: 'Renamed',
      avatar_url: undefined,
      service_interface: 2,
      service_payload_url: 'https://other.example.com/',
      config_data: { a: 'b' },
      default_sending_stream: 'verona',
      default_events_register_stream: null,
      default_all_public_streams: true,
      bot_owner: ben.credentials.email,
      result: undefined,
      msg: undefined,
    },
  )
})

test('invalid updates are refused', async () => {
  const world = await newWorld()
  const { ann, adam, ben, olga } = world
  const path = { bot_id: (await makes(ann)).user_id }
  const other = await makes(ann)
  const gone = await world.add('gone')
  await olga.does(accounts.deactivateUser, { path: { user_id: gone.id } })
  for (const wrong of [
    { full_name: ' ' },
    { full_name: 'Ben' },
    { bot_owner_id: 999_999 },
    { bot_owner_id: gone.id },
    { bot_owner_id: other.user_id },
    { default_sending_stream: 'nowhere' },
    { service_payload_url: 'https://example.com' },
    { role: 250 },
  ])
    assert.equal((await ann.isRefused(api.updateBot, { path, ...wrong })).code, 'BAD_REQUEST', JSON.stringify(wrong))
  assert.equal((await ann.isRefused(api.updateBot, { path, role: 200 })).code, 'UNAUTHORIZED_PRINCIPAL')
  assert.equal((await adam.isRefused(api.updateBot, { path, role: 100 })).code, 'UNAUTHORIZED_PRINCIPAL')
  await adam.does(api.updateBot, { path, role: 600 })
  await ben.isRefused(api.updateBot, { path, full_name: 'Mine' })
})

test('administrators do not see the API key of a bot with more rights than they have', async () => {
  const { adam, olga } = await newWorld()
  const bot = await makes(olga)
  const path = { bot_id: bot.user_id }
  await olga.does(api.updateBot, { path, role: 100 })
  await adam.isRefused(api.getBotApiKey, { path })
  await adam.isRefused(api.regenerateBotApiKey, { path })
  assert.equal((await adam.registers()).realm_bots![0]!.api_key, '')
  assert.equal((await olga.does(api.getBotApiKey, { path })).api_key, bot.api_key)
})

test("administrators do not see the name of a private channel in another user's bot", async () => {
  const { ann, adam } = await newWorld()
  await inChannel('secret', [ann], { invite_only: true })
  await adam.registers()
  await ann.registers()
  await makes(ann, { default_sending_stream: 'secret' })
  assert.equal((await ann.receives('realm_bot'))[0]!.bot.user_id > 0, true)
  assert.ok(JSON.stringify(await ann.receives('realm_bot')).includes('secret'))
  assert.ok(!JSON.stringify(await adam.receives('realm_bot')).includes('secret'))
  assert.equal((await adam.registers()).realm_bots![0]!.default_sending_stream, null)
})

test('the event log contains no unencrypted secrets', async () => {
  const { ctx, realmId, ann } = await newWorld()
  await ann.registers()
  const bot = await makes(ann, outgoing)
  const [received] = await ann.receives('realm_bot')
  assert.ok(received?.op === 'add' && received.bot.api_key === bot.api_key)
  const payloads = await column<string>(ctx.db)`select payload from events where realm_id = ${realmId}`
  const log = payloads.join()
  assert.ok(!log.includes(bot.api_key) && !log.includes(received.bot.services[0]!.token))
})

test('bot events bring old state up to date', async () => {
  const { olga, adam, mona, ann, ben, gus } = await newWorld()
  await inChannel('verona', [ann])
  await inChannel('secret', [ann], { invite_only: true })
  const bot = await makes(ann)
  const path = { bot_id: bot.user_id }
  await verifyEvents([olga, adam, mona, ann, ben, gus], async () => {
    const { user_id } = await makes(ann, { ...outgoing, default_events_register_stream: 'secret' })
    const hook = { bot_id: user_id }
    await ann.does(api.updateBot, { path, full_name: 'Called otherwise', default_sending_stream: 'verona' })
    await ann.does(api.updateBot, { path: hook, service_payload_url: 'https://example.com/2', service_interface: 2 })
    await ann.does(api.regenerateBotApiKey, { path })
    await ann.does(api.updateBot, { path: hook, bot_owner_id: ben.id })
    await olga.does(api.updateBot, { path: hook, bot_owner_id: adam.id })
    await olga.does(api.updateBot, { path, role: 600 })
    await olga.does(api.updateBot, { path, role: 400, default_sending_stream: '' })
    await olga.does(api.updateBot, { path, bot_owner_id: olga.id, role: 100 })
    await olga.does(api.deactivateBot, { path })
  })
})

test('a bot with a new role receives the channels that it sees or no longer sees', async () => {
  const { olga, ann, add } = await newWorld()
  await inChannel('verona', [ann])
  await inChannel('secret', [ann], { invite_only: true })
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: olga.id })
  for (const role of [200, 600, 400] as const)
    await verifyEvents([bot], () => olga.does(api.updateBot, { path: { bot_id: bot.id }, role }))
})

test("a role change adds or removes other users' bots", async () => {
  const { olga, adam, ann, ben } = await newWorld()
  const strong = await makes(olga)
  await olga.does(api.updateBot, { path: { bot_id: strong.user_id }, role: 100 })
  await makes(ben)
  await verifyEvents([olga, adam, ben, ann], async () => {
    await olga.does(accounts.updateUser, { path: { user_id: ben.id }, role: 200 })
    await olga.does(accounts.updateUser, { path: { user_id: ben.id }, role: 100 })
    await olga.does(accounts.updateUser, { path: { user_id: adam.id }, role: 400 })
    await olga.does(accounts.updateUser, { path: { user_id: strong.user_id }, role: 400 })
  })
})

test('bots are deactivated with their owner and reactivated one by one', async () => {
  const { olga, adam, ben, ann } = await newWorld()
  const { user_id } = await makes(ben)
  await verifyEvents([olga, adam, ann], async () => {
    await olga.does(accounts.deactivateUser, { path: { user_id: ben.id } })
  })
  await verifyEvents([olga, adam, ann], async () => {
    await adam.does(accounts.reactivateUser, { path: { user_id } })
  })
  assert.deepEqual((await adam.does(api.getBots)).bots.length, 1)
})

test("a bot's queue uses the defaults of its owner for options that the bot omits", async () => {
  const world = await newWorld()
  const { ann } = world
  await inChannel('verona', [ann])
  await inChannel('padua', [ann])
  const wide = as(world, await makes(ann, { default_all_public_streams: true }))
  const narrow = as(world, await makes(ann, { default_events_register_stream: 'padua' }))
  const quiet = as(world, await makes(ann))
  for (const bot of [wide, narrow, quiet]) await bot.registers()
  await ann.sends({ channel: 'verona', content: 'in verona' })
  await ann.sends({ channel: 'padua', content: 'in padua' })
  const received = async (bot: Actor) => (await bot.receives('message')).map(({ message }) => message.display_recipient)
  assert.deepEqual(await received(wide), ['verona', 'padua'])
  assert.deepEqual(await received(narrow), ['padua'])
  assert.deepEqual(await received(quiet), [])
  await wide.registers({ all_public_streams: false })
  await ann.sends({ channel: 'verona' })
  assert.deepEqual(await received(wide), [])
})

test('a bot sends to its default channel if it names none', async () => {
  const world = await newWorld()
  await inChannel('verona', [world.ann])
  const writer = as(world, await makes(world.ann, { bot_type: 2, default_sending_stream: 'verona' }))
  const plain = as(world, await makes(world.ann))
  const { id } = await writer.does(messages.sendMessage, { type: 'stream', topic: 'news', content: 'hello' })
  const { message } = await world.ann.does(messages.getMessage, { path: { message_id: id } })
  assert.equal(message.display_recipient, 'verona')
  for (const [actor, type, expected] of [
    [writer, 'direct', 'REQUEST_VARIABLE_MISSING'],
    [plain, 'stream', 'BAD_REQUEST'],
    [world.ann, 'stream', 'BAD_REQUEST'],
  ] as const) {
    const { code } = await actor.isRefused(messages.sendMessage, { type, topic: 'news', content: 'hello' })
    assert.equal(code, expected)
  }
})

test('bots can store values under keys; human users cannot', async () => {
  const world = await newWorld()
  const bot = as(world, await makes(world.ann))
  const other = as(world, await makes(world.ann))
  const read = async (keys?: string[]) => (await bot.does(api.getBotStorage, keys ? { keys } : {})).storage
  await bot.does(api.updateBotStorage, { storage: { a: '1', b: '2', __proto__x: '3' } })
  await bot.does(api.updateBotStorage, { storage: { a: '"x"' } })
  assert.deepEqual(await read(), { a: '"x"', b: '2', __proto__x: '3' })
  assert.deepEqual(await read(['b']), { b: '2' })
  await bot.isRefused(api.getBotStorage, { keys: ['b', 'nothing'] })
  await bot.isRefused(api.deleteBotStorage, { keys: ['nothing'] })
  assert.deepEqual((await other.does(api.getBotStorage)).storage, {})
  await bot.does(api.deleteBotStorage, { keys: ['a'] })
  assert.deepEqual(await read(), { b: '2', __proto__x: '3' })
  await bot.does(api.deleteBotStorage)
  assert.deepEqual(await read(), {})
  assert.equal((await world.ann.isRefused(api.getBotStorage)).code, 'PERMISSION_DENIED')
  assert.equal((await bot.isRefused(api.updateBotStorage)).code, 'REQUEST_VARIABLE_MISSING')
})

test("a bot's storage is limited", async () => {
  const world = await newWorld()
  const bot = as(world, await makes(world.ann))
  const chunk = 'x'.repeat(990_000)
  for (let n = 0; n < 10; n++) await bot.does(api.updateBotStorage, { storage: { [`k${n}`]: chunk } })
  await bot.isRefused(api.updateBotStorage, { storage: { more: chunk } })
  assert.equal(Object.keys((await bot.does(api.getBotStorage)).storage).length, 10)
})

test('events keep bots up to date when their default channels are renamed, made private or made public', async () => {
  const { ann, ben, adam, olga, gus } = await newWorld()
  const stream_id = await inChannel('verona', [ann, ben])
  await makes(ann, { default_sending_stream: 'verona' })
  await makes(ben, { default_sending_stream: 'verona', default_events_register_stream: 'verona' })
  const path = { stream_id }
  await verifyEvents([ann, ben, adam, olga, gus], async () => {
    await ann.does(updateChannel, { path, new_name: 'padua' })
    await ann.does(updateChannel, { path, is_private: true })
  })
  await verifyEvents([ann, ben, adam, olga], () =>
    ann.does(updateChannel, { path, new_name: 'rome', is_private: false }),
  )
})
