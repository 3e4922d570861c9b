import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { editMessage } from '@parley/api/conversations/editing'
import { markAllAsRead, updateMessageFlags } from '@parley/api/conversations/flags'
import { muteUser } from '@parley/api/conversations/muting'
import { setTopicPolicy } from '@parley/api/conversations/topics'
import { getMessageNotifications, getNotificationHealth } from '@parley/api/delivery/notifications'
import { sql } from 'kysely'
import { column } from '../../platform/db/query.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { type Browser, newPushService } from '../../testing/peers/push-service.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { commandIn } from '../../testing/world-command.ts'
import { notifyBrowsers } from './jobs.ts'

async function pushWorld() {
  const world = await newWorld()
  world.ctx.config.internalWebhooks = ['127.0.0.1']
  const service = await newPushService()
  const browser = service.newBrowser()
  await browser.registersFor(world.ann)
  const stream_id = await inChannel('verona', [world.ann, world.ben, world.olga])
  return { ...world, service, browser, stream_id }
}

type Pushed = Awaited<ReturnType<typeof pushWorld>>

async function showsAt({ ctx, browser }: Pushed, ids: number[]): Promise<void> {
  await until(async () => {
    await notifyBrowsers(ctx)
    return ids.every((id) => browser.notifications().some(({ message }) => message?.id === id))
  })
}

/** The messages that a browser was asked to close. */
function closedAt(browser: Browser): number[] {
  return browser.notifications().flatMap(({ removed = [] }) => removed)
}

async function closes({ ctx, browser }: Pushed, ids: number[]): Promise<void> {
  await until(async () => {
    await notifyBrowsers(ctx)
    return ids.every((id) => closedAt(browser).includes(id))
  })
}

type Act = (world: Pushed, message_id: number) => Promise<unknown>

const acts: [string, Act][] = [
  ['reading', ({ ann }, id) => ann.does(updateMessageFlags, { messages: [id], op: 'add', flag: 'read' })],
  ['reading everything', ({ ann }) => ann.does(markAllAsRead)],
  ['deleting', ({ olga }, message_id) => olga.does(deleteMessage, { path: { message_id } })],
  ['muting the sender', ({ ann, ben }) => ann.does(muteUser, { path: { muted_user_id: ben.id } })],
  ['leaving a private channel', ({ ann }) => leaves(ann, 'den')],
]

for (const [name, act] of acts)
  test(`${name} closes what browsers show`, async () => {
    const world = await pushWorld()
    const { ann, ben, olga, browser } = world
    await inChannel('den', [ben, ann, olga], { invite_only: true })
    const id = await ben.sends({ channel: 'den', content: '@**Ann** hello' })
    await showsAt(world, [id])
    await act(world, id)
    await closes(world, [id])
    assert.deepEqual(closedAt(browser), [id])
  })

test('muting a topic closes what followed it, and keeps mentions', async () => {
  const world = await pushWorld()
  const { ann, ben, browser, stream_id } = world
  await ann.does(setTopicPolicy, { stream_id, topic: 'talk', visibility_policy: 3 })
  const followed = await ben.sends({ channel: 'verona', topic: 'talk', content: 'news' })
  const mention = await ben.sends({ channel: 'verona', topic: 'talk', content: '@**Ann** hello' })
  await showsAt(world, [followed, mention])
  await ann.does(setTopicPolicy, { stream_id, topic: 'talk', visibility_policy: 1 })
  await closes(world, [followed])
  assert.deepEqual(closedAt(browser), [followed])
})

test('moving a message to a channel that the user cannot read closes it', async () => {
  const world = await pushWorld()
  const { ann, ben, olga, browser } = world
  const den = await inChannel('den', [ben, olga], { invite_only: true })
  const message_id = await ben.sends({ channel: 'verona', content: '@**Ann** hello' })
  await showsAt(world, [message_id])
  await olga.does(editMessage, { path: { message_id }, stream_id: den, propagate_mode: 'change_all' })
  await closes(world, [message_id])
  assert.equal((await trailOf(ann, message_id)).at(-1), 'push removed')
  assert.deepEqual(closedAt(browser), [message_id])
})

test('browsers that must show something with each push get removals with the next notification', async () => {
  const world = await pushWorld()
  const { ann, ben, browser, ctx, realmId } = world
  await sql`update web_push_subscriptions set endpoint = 'http://web.push.apple.com/1' where realm_id = ${realmId}`.execute(
    ctx.db,
  )
  const first = await ben.sends({ to: [ann] })
  await sql`
    insert into notification_trail (realm_id, user_id, message_id, way, target_id, outcome)
    select ${realmId}, ${ann.id}, ${first}, 'push', id, 'sent' from web_push_subscriptions where realm_id = ${realmId}`.execute(
    ctx.db,
  )
  await sql`update web_push_cursors set last_message = ${first} where realm_id = ${realmId}`.execute(ctx.db)
  await notifyBrowsers(ctx)
  await ann.does(updateMessageFlags, { messages: [first], op: 'add', flag: 'read' })
  await notifyBrowsers(ctx)
  await sql`update web_push_subscriptions set endpoint = ${browser.keys.endpoint} where realm_id = ${realmId}`.execute(
    ctx.db,
  )
  const second = await ben.sends({ to: [ann] })
  await showsAt(world, [second])
  assert.deepEqual(
    browser.notifications().map(({ message, removed }) => [message?.id, removed]),
    [[second, [first]]],
  )
})

async function trailOf(actor: World['ann'], message_id: number): Promise<string[]> {
  const { notifications } = await actor.does(getMessageNotifications, { path: { message_id } })
  return notifications.map(({ way, outcome, reason, detail }) =>
    [way, outcome, reason, detail].filter((part) => part !== null).join(' '),
  )
}

test('the trail says what became of each push, to its user only', async () => {
  const world = await pushWorld()
  const { ann, ben, ctx, realmId } = world
  const read = await ben.sends({ to: [ann], content: 'a secret' })
  await ann.does(updateMessageFlags, { messages: [read], op: 'add', flag: 'read' })
  const sent = await ben.sends({ channel: 'verona', content: '@**Ann** hello' })
  await showsAt(world, [sent])
  await until(async () => (await trailOf(ann, read)).length > 0)
  assert.deepEqual(await trailOf(ann, read), ['push dropped read'])
  assert.deepEqual(await trailOf(ann, sent), ['push sent mentioned'])
  assert.deepEqual(await trailOf(ben, sent), [])
  const rows = await column<string>(ctx.db)`
    select t::text as text from notification_trail t where realm_id = ${realmId}`
  assert.ok(!rows.join().includes('secret'))
})

test('the trail names refused pushes, and the health of a user counts them', async () => {
  const world = await newWorld()
  const { ann, ben, adam, ctx } = world
  ctx.config.internalWebhooks = ['127.0.0.1']
  await (await newPushService(() => 400)).newBrowser().registersFor(ann)
  const id = await ben.sends({ to: [ann] })
  await notifyBrowsers(ctx)
  await until(async () => (await trailOf(ann, id)).includes('push failed status 400'))
  for (const actor of [ann, adam]) {
    const health = await actor.does(getNotificationHealth, { path: { user_id: ann.id } })
    assert.deepEqual(health.counts, [{ way: 'push', outcome: 'failed', count: 1 }])
    assert.deepEqual([health.devices[0]!.failure, health.devices[0]!.succeeded_at], ['status 400', null])
    assert.ok(!JSON.stringify(health).includes('message'))
  }
  assert.match((await ben.isRefused(getNotificationHealth, { path: { user_id: ann.id } })).msg, /administrators/)
})

test('"parley notifications explain" prints the trail', async () => {
  const world = await pushWorld()
  const { ann, ben } = world
  const id = await ben.sends({ to: [ann] })
  await showsAt(world, [id])
  const run = (...args: string[]) => commandIn(world, 'notifications', 'explain', ...args)
  for (const user of [String(ann.id), ann.credentials.email])
    assert.match((await run(user, String(id))).output, /push +\d+ +sent +direct/)
  assert.match((await run('nobody@example.com', '1')).output, /No account/)
  assert.match((await run(String(ann.id), 'x')).output, /not the id of a message/)
})
