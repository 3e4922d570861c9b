import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendMessage } from '@parley/api/conversations/messages'
import { getMessageNotifications, getNotificationPauses } from '@parley/api/delivery/notifications'
import { updateSettings } from '@parley/api/people/own-settings'
import { sql } from 'kysely'
import { column } from '../../platform/db/query.ts'
import { inChannel } from '../../testing/channels.ts'
import { type Browser, newPushService } from '../../testing/peers/push-service.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { notifyBrowsers } from './jobs.ts'

async function pushWorld() {
  const world = await newWorld()
  world.ctx.config.internalWebhooks = ['127.0.0.1']
  const browser = (await newPushService()).newBrowser()
  await browser.registersFor(world.ann)
  return { ...world, browser }
}

const direct = (to: World['ann'], more: object) => ({ type: 'direct' as const, to: [to.id], content: 'x', ...more })

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600

const textsOf = (browser: Browser) => browser.notifications().map(({ message }) => message?.text)

async function waits({ ctx }: World, actor: World['ann'], message_id: number): Promise<void> {
  await until(async () => {
    await notifyBrowsers(ctx)
    const { notifications } = await actor.does(getMessageNotifications, { path: { message_id } })
    return notifications.some(({ way, outcome, reason }) => way === 'push' && outcome === 'waits' && reason === 'quiet')
  })
}

async function arrives({ ctx }: World, browser: Browser, count: number): Promise<void> {
  await until(async () => {
    await notifyBrowsers(ctx)
    return browser.notifications().length >= count
  })
}

test('during a pause, pushes wait until it ends, or is ended', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  await ann.does(updateSettings, { notifications_paused_until: inAnHour() })
  const id = await ben.sends({ to: [ann], content: 'later' })
  await waits(world, ann, id)
  assert.deepEqual(textsOf(browser), [])
  await ann.does(updateSettings, { notifications_paused_until: 0 })
  await arrives(world, browser, 1)
  assert.deepEqual(textsOf(browser), ['later'])
})

test('VIPs come through quiet hours, and nobody else does', async () => {
  const world = await pushWorld()
  const { ann, ben, olga, browser } = world
  const always = Array(7).fill('00:00-24:00').join()
  await ann.does(updateSettings, { quiet_hours: always, notification_vips: `${olga.id}` })
  const id = await ben.sends({ to: [ann], content: 'quiet' })
  await olga.sends({ to: [ann], content: 'from a VIP' })
  await arrives(world, browser, 1)
  await waits(world, ann, id)
  assert.deepEqual(textsOf(browser), ['from a VIP'])
})

test('a silent message notifies nobody, and its word is not part of the text', async () => {
  const world = await pushWorld()
  const { ann, ben, browser, ctx } = world
  await ann.registers()
  const word = await ben.sends({ to: [ann], content: '@silent hello' })
  const parameter = await ben.sends({ to: [ann], content: 'hello', silent: true })
  await ben.sends({ to: [ann], content: 'loud' })
  await arrives(world, browser, 1)
  assert.deepEqual(textsOf(browser), ['loud'])
  for (const message_id of [word, parameter])
    await until(async () => {
      await notifyBrowsers(ctx)
      const { notifications } = await ann.does(getMessageNotifications, { path: { message_id } })
      return notifications.some(({ outcome, reason }) => outcome === 'dropped' && reason === 'silent')
    })
  const messages = (await ann.receives('message')).map(({ message }) => [message.content, message.silent])
  assert.deepEqual(messages, [
    ['hello', true],
    ['hello', true],
    ['loud', undefined],
  ])
})

test('a sender notifies anyway once per recipient and hour', async () => {
  const world = await pushWorld()
  const { ann, ben, adam, browser, ctx, realmId } = world
  await ann.does(updateSettings, { notifications_paused_until: inAnHour() })
  const anyway = { to: [ann], content: 'now', notify_anyway: true }
  await ben.sends(anyway)
  await arrives(world, browser, 1)
  assert.match((await ben.isRefused(sendMessage, direct(ann, { notify_anyway: true }))).msg, /only once an hour/)
  await adam.sends(anyway)
  await sql`update notified_anyway set at = at - interval '1 hour' where realm_id = ${realmId}`.execute(ctx.db)
  await ben.sends(anyway)
  await arrives(world, browser, 3)
})

test('only direct messages notify anyway, and none both silently and anyway', async () => {
  const { ann, ben } = await pushWorld()
  await inChannel('verona', [ann, ben])
  const inTopic = { type: 'stream', to: 'verona', topic: 'talk', content: 'x' } as const
  const refused = await ben.isRefused(sendMessage, { ...inTopic, notify_anyway: true })
  assert.match(refused.msg, /direct messages only/)
  assert.match(
    (await ben.isRefused(sendMessage, direct(ann, { silent: true, notify_anyway: true }))).msg,
    /cannot notify/,
  )
})

test('others see a pause if its user lets them', async () => {
  const { ann, ben } = await pushWorld()
  const end = inAnHour()
  const pauses = async () => (await ben.does(getNotificationPauses, { user_ids: [ann.id, ben.id] })).pauses
  assert.deepEqual(await pauses(), [])
  await ann.does(updateSettings, { notifications_paused_until: end })
  assert.deepEqual(await pauses(), [{ user_id: ann.id, until: end }])
  await ann.does(updateSettings, { show_notification_pauses: false })
  assert.deepEqual(await pauses(), [])
})

test('malformed quiet hours and VIPs are refused', async () => {
  const { ann } = await pushWorld()
  for (const quiet_hours of ['x', '08:00-07:00', ',,,,,,,', '8-9,,,,,,'])
    assert.match((await ann.isRefused(updateSettings, { quiet_hours })).msg, /seven periods/)
  for (const notification_vips of ['x', '1,', Array(51).fill('1').join()])
    assert.match((await ann.isRefused(updateSettings, { notification_vips })).msg, /at most 50/)
})

test('more than five pushes of a conversation in a minute become one that counts', async () => {
  const world = await pushWorld()
  const { ann, ben, olga, browser, ctx, realmId } = world
  for (let index = 1; index <= 5; index++) {
    await ben.sends({ to: [ann], content: `single ${index}` })
    await arrives(world, browser, index)
  }
  const ids = [1, 2, 3].map(async (index) => ben.sends({ to: [ann], content: `more ${index}` }))
  await Promise.all(ids)
  await olga.sends({ to: [ann], content: 'elsewhere' })
  await arrives(world, browser, 6)
  await until(async () => {
    await notifyBrowsers(ctx)
    const waiting = await column<number>(ctx.db)`
      select message_id from web_push_deliveries where realm_id = ${realmId} and waits_for = 'burst'`
    return waiting.length === 3
  })
  await sql`update notification_trail set at = at - interval '1 minute' where realm_id = ${realmId}`.execute(ctx.db)
  await sql`update web_push_deliveries set due_at = now() where realm_id = ${realmId}`.execute(ctx.db)
  await arrives(world, browser, 7)
  const counts = browser.notifications().map(({ count, message }) => [message?.text?.slice(0, 4), count])
  assert.deepEqual(counts.slice(5), [
    ['else', undefined],
    ['more', 3],
  ])
})

test('what waited for the end of a pause becomes one push per conversation, if it is much', async () => {
  const world = await pushWorld()
  const { ann, ben, browser } = world
  await ann.does(updateSettings, { notifications_paused_until: inAnHour() })
  let last = 0
  for (let index = 1; index <= 8; index++) last = await ben.sends({ to: [ann], content: `text ${index}` })
  await waits(world, ann, last)
  await ann.does(updateSettings, { notifications_paused_until: 0 })
  await arrives(world, browser, 1)
  const [only, ...rest] = browser.notifications()
  assert.deepEqual([only!.message!.text, only!.count, rest.length], ['text 8', 8, 0])
})
