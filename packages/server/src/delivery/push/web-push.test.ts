import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { editMessage } from '@parley/api/conversations/editing'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { setTopicPolicy } from '@parley/api/conversations/topics'
import * as api from '@parley/api/delivery/push'
import { deactivateUser, regenerateApiKey } from '@parley/api/identity/accounts'
import { createToken, revokeToken } from '@parley/api/identity/tokens'
import { updateSettings } from '@parley/api/people/own-settings'
import { updatePresence } from '@parley/api/people/presence'
import { sql } from 'kysely'
import { many, one } from '../../platform/db/query.ts'
import { Actor } from '../../testing/actor.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { type Browser, checkVapid, newPushService } from '../../testing/peers/push-service.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { notifyBrowsers } from './jobs.ts'

/** A world whose push services may be on this machine, with a browser of Ann. */
async function pushWorld(statusOf?: (count: number) => number, retryAfter?: string) {
  const world = await newWorld()
  world.ctx.config.internalWebhooks = ['127.0.0.1']
  const service = await newPushService(statusOf, retryAfter)
  const browser = service.newBrowser()
  await browser.registersFor(world.ann)
  return { ...world, service, browser }
}

/** Sends what is due, and waits until nothing is left to send. */
async function deliver({ ctx, realmId }: World): Promise<void> {
  await notifyBrowsers(ctx)
  await until(async () => {
    const { due } = await one<{ due: number }>(ctx.db)`
      select count(*) as due from web_push_deliveries
       where realm_id = ${realmId} and due_at < now() + interval '2 minutes' and attempts < 2`
    return due === 0
  })
}

/** Delivers, and returns the texts that arrived. */
async function textsAt(world: World, browser: Browser): Promise<(string | undefined)[]> {
  await deliver(world)
  return browser.notifications().map(({ message }) => message?.text)
}

async function browsersOf({ ctx }: World, actor: Actor): Promise<number> {
  const rows = await many(ctx.db)`select 1 from web_push_subscriptions where user_id = ${actor.id}`
  return rows.length
}

test('a direct message arrives encrypted, signed, and with what the service worker shows', async () => {
  const world = await pushWorld()
  const { ann, ben, browser, service } = world
  const id = await ben.sends({ to: [ann], content: 'Lunch **now** &c?\n\n```spoiler Where\nthe secret place\n```' })
  await deliver(world)
  assert.deepEqual(browser.notifications(), [
    {
      language: 'en',
      organization: 'Test',
      tag: `direct-${ben.id}`,
      message: {
        id,
        sender: 'Ben',
        others: 0,
        text: 'Lunch now &c? Where',
        hash: `#narrow/dm/${ben.id}-dm/near/${id}`,
      },
    },
  ])
  const [request] = browser.requests()
  const { 'content-encoding': coding, ttl, urgency, topic } = request!.headers
  assert.deepEqual([coding, ttl, urgency], ['aes128gcm', '86400', 'high'])
  assert.match(String(topic), /^[\w-]{32}$/)
  const { aud, exp, sub } = await checkVapid(ann, request!)
  assert.equal(aud, `http://127.0.0.1:${service.port}`)
  assert.match(sub, /^https?:/)
  assert.ok(exp * 1000 > Date.now() && exp * 1000 < Date.now() + 86_400_000)
})

test('a channel notifies about mentions, followed topics, and everything if the user wants that', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  const stream_id = await inChannel('verona', [ann, ben])
  await ann.does(setTopicPolicy, { stream_id, topic: 'news', visibility_policy: 3 })
  await ann.does(setTopicPolicy, { stream_id, topic: 'noise', visibility_policy: 1 })
  await ben.sends({ channel: 'verona', topic: 'elsewhere', content: 'quiet' })
  await ben.sends({ channel: 'verona', topic: 'talk', content: '@**Ann** mention' })
  await ben.sends({ channel: 'verona', topic: 'talk', content: '@**all** everyone' })
  await ben.sends({ channel: 'verona', topic: 'noise', content: '@**all** muted' })
  await ben.sends({ channel: 'verona', topic: 'news', content: 'followed' })
  await ann.sends({ channel: 'verona', topic: 'news', content: 'own' })
  const texts = await textsAt(world, browser)
  assert.deepEqual(texts.toSorted(), ['@Ann mention', '@all everyone', 'followed'])
  const [mention] = browser.notifications().filter(({ message }) => message?.text === '@Ann mention')
  assert.deepEqual(mention!.message!.channel, { name: 'verona', topic: 'talk' })
  assert.match(mention!.message!.hash, new RegExp(`^#narrow/channel/${stream_id}-verona/topic/talk/near/\\d+$`))

  await ann.does(updateSettings, { enable_stream_push_notifications: true })
  await ben.sends({ channel: 'verona', topic: 'talk', content: 'all of it' })
  assert.equal((await textsAt(world, browser)).at(-1), 'all of it')
})

test('a mention that an edit adds notifies once, unless the message was read', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  await inChannel('verona', [ann, ben])
  const [unread, read] = [
    await ben.sends({ channel: 'verona', content: 'unread' }),
    await ben.sends({ channel: 'verona', content: 'read' }),
  ]
  await ann.does(updateMessageFlags, { messages: [read], op: 'add', flag: 'read' })
  assert.deepEqual(await textsAt(world, browser), [])
  for (const message_id of [unread, read])
    await ben.does(editMessage, { path: { message_id }, content: `@**Ann** ${message_id}` })
  assert.deepEqual(await textsAt(world, browser), [`@Ann ${unread}`])
  await ben.does(editMessage, { path: { message_id: unread }, content: '@**Ann** once more' })
  assert.deepEqual(await textsAt(world, browser), [`@Ann ${unread}`])
})

test('an edit that mentions a whole channel notifies its subscribers once', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  await inChannel('verona', [ann, ben])
  const message_id = await ben.sends({ channel: 'verona', content: 'quiet' })
  assert.deepEqual(await textsAt(world, browser), [])
  for (const content of ['@**all** come', '@**all** come now']) {
    await ben.does(editMessage, { path: { message_id }, content })
    assert.deepEqual(await textsAt(world, browser), ['@all come'])
  }
})

test('what was read, deleted or hidden in the meantime is not sent', async () => {
  const world = await pushWorld()
  const { ann, ben, olga, browser } = world
  await inChannel('den', [ben, ann, olga], { invite_only: true })
  const read = await ben.sends({ to: [ann], content: 'read' })
  const deleted = await ben.sends({ channel: 'den', content: '@**Ann** deleted' })
  await ben.sends({ channel: 'den', content: '@**Ann** hidden' })
  await ben.sends({ to: [ann], content: 'left' })
  await ann.does(updateMessageFlags, { messages: [read], op: 'add', flag: 'read' })
  await olga.does(deleteMessage, { path: { message_id: deleted } })
  await leaves(ann, 'den')
  assert.deepEqual(await textsAt(world, browser), ['left'])
})

test('active users are notified unless they asked for quiet', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  await ann.does(updatePresence, { status: 'active', new_user_input: true })
  await ben.sends({ to: [ann], content: 'one' })
  assert.deepEqual(await textsAt(world, browser), ['one'])
  await ann.does(updateSettings, { enable_online_push_notifications: false })
  await ben.sends({ to: [ann], content: 'two' })
  assert.deepEqual(await textsAt(world, browser), ['one'])
})

test('a push waits while its user is active, and is decided again when they are away', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  const { db } = world.ctx
  await ann.does(updateSettings, { enable_online_push_notifications: false })
  await ann.does(updatePresence, { status: 'active', new_user_input: true })
  const read = await ben.sends({ to: [ann], content: 'read by then' })
  await ben.sends({ to: [ann], content: 'unread' })
  assert.deepEqual(await textsAt(world, browser), [])

  await ann.does(updateMessageFlags, { messages: [read], op: 'add', flag: 'read' })
  const waiting = await many<{ attempts: number; seconds: number }>(db)`
    select attempts, extract(epoch from due_at - now())::integer as seconds from web_push_deliveries
     where realm_id = ${world.realmId}`
  await sql`update presence set last_active_time = now() - interval '1 hour' where user_id = ${ann.id}`.execute(db)
  await sql`update web_push_deliveries set due_at = now() where realm_id = ${world.realmId}`.execute(db)

  for (const { attempts, seconds } of waiting) assert.ok(attempts === 0 && seconds > 60 && seconds <= 200)
  assert.deepEqual(await textsAt(world, browser), ['unread'])
})

test('texts are short, and those of direct messages can be left out', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  await inChannel('long', [ben, ann])
  await ben.sends({ channel: 'long', topic: '🎉'.repeat(30), content: `@**Ann** ${'🎉'.repeat(4000)}` })
  await ann.does(updateSettings, { pm_content_in_desktop_notifications: false })
  await ben.sends({ to: [ann], content: 'secret' })
  await deliver(world)
  const [long, direct] = browser.notifications()
  assert.ok(long!.message!.text!.length <= 200 && long!.message!.text!.isWellFormed())
  assert.ok(!('text' in direct!.message!))
  for (const { bytes } of browser.requests()) assert.ok(bytes.length < 4096)
})

test('a browser that the push service no longer knows is removed', async () => {
  for (const status of [404, 410, 403]) {
    const world = await pushWorld(() => status)
    await world.ben.sends({ to: [world.ann] })
    await deliver(world)
    assert.equal(await browsersOf(world, world.ann), 0, String(status))
  }
})

test('after a failure of the push service, the notification is sent again later', async () => {
  const world = await pushWorld((count) => (count === 1 ? 503 : 201))
  const { ann, ben, browser, ctx, realmId } = world
  await ben.sends({ to: [ann], content: 'hello' })
  await notifyBrowsers(ctx)
  const waiting = await until(async () => {
    const [row] = await many<{ seconds: number }>(ctx.db)`
      select extract(epoch from due_at - now())::float8 as seconds from web_push_deliveries
       where realm_id = ${realmId} and attempts = 1 and due_at < now() + interval '30 seconds'`
    return row
  })
  assert.ok(waiting.seconds > 0)
  await sql`update web_push_deliveries set due_at = now() where realm_id = ${realmId}`.execute(ctx.db)
  await notifyBrowsers(ctx)
  await until(() => browser.requests().length === 2)
  assert.deepEqual(
    browser.notifications().map(({ message }) => message?.text),
    ['hello', 'hello'],
  )
})

test('a browser gets nothing before the time for which its push service asks', async () => {
  for (const retryAfter of ['600', new Date(Date.now() + 600_000).toUTCString()]) {
    const world = await pushWorld(() => 429, retryAfter)
    const { ann, ben, browser, ctx, realmId } = world
    for (const content of ['one', 'two']) await ben.sends({ to: [ann], content })
    await notifyBrowsers(ctx)
    const waiting = await until(async () => {
      const rows = await many<{ seconds: number; attempts: number }>(ctx.db)`
        select extract(epoch from due_at - now())::float8 as seconds, attempts from web_push_deliveries
         where realm_id = ${realmId} and due_at > now() + interval '5 minutes' order by message_id`
      return rows.length === 2 && rows
    })
    assert.deepEqual([waiting.map(({ attempts }) => attempts), browser.requests().length], [[1, 0], 1])
    assert.ok(waiting.every(({ seconds }) => seconds > 500 && seconds <= 600))
  }
})

test('a request that is not accepted is not repeated, and the browser stays registered', async () => {
  const world = await pushWorld(() => 400)
  await world.ben.sends({ to: [world.ann] })
  await deliver(world)
  assert.deepEqual([world.browser.requests().length, await browsersOf(world, world.ann)], [1, 1])
})

test('hosts inside the network are not reached', async () => {
  const world = await pushWorld()
  world.ctx.config.internalWebhooks = []
  await world.ben.sends({ to: [world.ann] })
  await deliver(world)
  assert.equal(world.browser.requests().length, 0)
})

test('a browser ends with the key or the token that registered it, and with the account', async () => {
  const world = await pushWorld()
  const { ann, ben, adam, service, app, host } = world
  const { token, id } = await ann.does(createToken, { name: 'laptop' })
  const withToken = new Actor(app, ann.id, 'Ann', { host, email: ann.credentials.email, key: token })
  await service.newBrowser().registersFor(withToken)
  assert.equal(await browsersOf(world, ann), 2)
  await ann.does(revokeToken, { path: { token_id: id } })
  assert.equal(await browsersOf(world, ann), 1)
  await ann.does(regenerateApiKey)
  assert.equal(await browsersOf(world, ann), 0)
  await service.newBrowser().registersFor(ben)
  await adam.does(deactivateUser, { path: { user_id: ben.id } })
  assert.equal(await browsersOf(world, ben), 0)
})

test('a browser belongs to the user who registered it last', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  await browser.registersFor(ben)
  assert.deepEqual((await ann.does(api.getWebPush)).endpoints, [])
  assert.deepEqual((await ben.does(api.getWebPush)).endpoints, [browser.keys.endpoint])
  const { endpoint } = browser.keys
  for (const operation of [api.removeWebPush, api.testWebPush])
    assert.match((await ann.isRefused(operation, { endpoint })).msg, /not registered/)
  await ben.does(api.removeWebPush, { endpoint })
  assert.equal(await browsersOf(world, ben), 0)
})

test('a test notification goes to the chosen browser only', async () => {
  const world = await pushWorld()
  const { ann, browser, service } = world
  const other = service.newBrowser()
  await other.registersFor(ann)
  await ann.does(api.testWebPush, { endpoint: other.keys.endpoint })
  await deliver(world)
  assert.deepEqual(other.notifications(), [{ language: 'en', organization: 'Test', tag: 'test' }])
  assert.equal(browser.requests().length, 0)
})

test('values that no browser has are refused', async () => {
  const { ann, browser } = await pushWorld()
  const wrong = [
    { endpoint: 'ftp://push.example.com/1' },
    { endpoint: 'nothing' },
    { endpoint: `https://push.example.com/${'a'.repeat(1000)}` },
    { p256dh: 'AAAA' },
    { p256dh: Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url') },
    { auth: 'AAAA' },
  ]
  for (const change of wrong) await ann.isRefused(api.addWebPush, { ...browser.keys, ...change })
})

test('tokens with limited scopes cannot register a browser, which would receive messages', async () => {
  const { ann, app, host, browser } = await pushWorld()
  const { token } = await ann.does(createToken, { name: 'limited', scopes: ['account', 'read'] })
  const limited = new Actor(app, ann.id, 'Ann', { host, email: ann.credentials.email, key: token })
  assert.equal((await limited.isRefused(api.addWebPush, { ...browser.keys })).code, 'SCOPE_REQUIRED')
})

test('the key of the server is created once, and only its public half is readable in the database', async () => {
  const { ann, ben, ctx } = await pushWorld()
  const [{ public_key }, again] = [await ann.does(api.getWebPush), await ben.does(api.getWebPush)]
  assert.equal(again.public_key, public_key)
  const row = await ctx.db.selectFrom('vapid_keys').selectAll().executeTakeFirstOrThrow()
  assert.equal(row.public_key.toString('base64url'), public_key)
  assert.throws(() => JSON.parse(row.private_key_sealed.toString()))
  assert.equal(JSON.parse(ctx.vault.open(row.private_key_sealed)).crv, 'P-256')
})
