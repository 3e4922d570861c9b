import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { updateSettings } from '@parley/api/people/own-settings'
import { getUserPresence, updatePresence } from '@parley/api/people/presence'
import * as api from '@parley/api/people/status'
import type { Actor } from '../../testing/actor.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'
import { endStatuses } from './jobs.ts'

async function statusOf(viewer: Actor, actor: Actor): Promise<object> {
  return (await viewer.does(api.getStatus, { path: { user_id: actor.id } })).status
}

test('the parts of a status can be set separately, and empty values remove them', async () => {
  const { ann, ben } = await newWorld()
  assert.deepEqual(await statusOf(ben, ann), {})
  await ben.registers()
  await ann.does(api.updateStatus, { status_text: '  at lunch ', emoji_name: 'tada' })
  const tada = { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' }
  assert.deepEqual(await statusOf(ben, ann), { status_text: 'at lunch', ...tada })
  await ann.does(api.updateStatus, { status_text: '' })
  assert.deepEqual(await statusOf(ben, ann), tada)
  await ann.does(api.updateStatus, { emoji_name: '' })
  assert.deepEqual(await statusOf(ben, ann), {})
  const changes = (await ben.receives('user_status')).map(({ id: _, type: __, user_id: ___, ...change }) => change)
  assert.deepEqual(changes, [
    { status_text: 'at lunch', ...tada },
    { status_text: '' },
    { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' },
  ])
})

test('a status ends at its time, for everyone, and a later end can be taken back', async () => {
  const { ann, ben, ctx } = await newWorld()
  const now = Math.floor(Date.now() / 1000)
  await ann.does(api.updateStatus, { status_text: 'lunch', emoji_name: 'tada', scheduled_end_time: now - 1 })
  await ben.does(api.updateStatus, { status_text: 'away', scheduled_end_time: now + 3600 })
  assert.deepEqual(await statusOf(ann, ben), { status_text: 'away', scheduled_end_time: now + 3600 })
  await ben.registers()
  await endStatuses(ctx)
  assert.deepEqual(await statusOf(ben, ann), {})
  const { id: _, type: __, ...ended } = (await ben.receives('user_status'))[0]!
  const nothing = { status_text: '', emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' }
  assert.deepEqual(ended, { user_id: ann.id, ...nothing, scheduled_end_time: null })
  await ben.does(api.updateStatus, { scheduled_end_time: null })
  assert.deepEqual(await statusOf(ann, ben), { status_text: 'away' })
})

test('an empty update, a long text and an unknown emoji are refused', async () => {
  const { ann } = await newWorld()
  const bad = [
    {},
    { status_text: 'x'.repeat(61) },
    { emoji_name: 'nonsense' },
    { emoji_code: '1f389' },
    { reaction_type: 'unicode_emoji' },
    { emoji_name: 'tada', emoji_code: '1f600', reaction_type: 'unicode_emoji' },
    { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'nonsense' },
    { away: 'yes' },
  ]
  for (const one of bad)
    assert.equal((await ann.isRefused(api.updateStatus, one)).code, 'BAD_REQUEST', JSON.stringify(one))
  await ann.does(api.updateStatus, { status_text: 'x'.repeat(60) })
})

test('setting away turns presence off', async () => {
  const { ann, ben } = await newWorld()
  await ann.registers()
  await ann.does(api.updateStatus, { away: true })
  assert.deepEqual(await statusOf(ben, ann), { away: true })
  assert.deepEqual(
    (await ann.receives('user_settings')).map(({ property, value }) => [property, value]),
    [['presence_enabled', false]],
  )
  await ann.does(updateSettings, { presence_enabled: true })
  assert.deepEqual(await statusOf(ben, ann), {})
})

test('the status of an unknown user is refused, and bots cannot set one', async () => {
  const { ann, add } = await newWorld()
  const other = await newWorld()
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  await ann.isRefused(api.getStatus, { path: { user_id: other.ann.id } })
  await bot.isRefused(api.updateStatus, { status_text: 'x' })
})

test('the presence of one user is returned by id or email, if there is any', async () => {
  const { ann, ben, add } = await newWorld()
  const of = (who: string | number) => ({ path: { user_id_or_email: String(who) } })
  await ann.isRefused(getUserPresence, of(ben.id))
  await ben.does(updatePresence, { status: 'active' })
  for (const who of [ben.id, ben.credentials.email]) {
    const { presence } = await ann.does(getUserPresence, of(who))
    assert.deepEqual(presence.aggregated, { status: 'active', timestamp: presence.website.timestamp })
    assert.deepEqual(presence.website, presence.aggregated)
  }
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  for (const who of [bot.id, 999_999_999, 'nobody@x.test']) await ann.isRefused(getUserPresence, of(who))
})

test('state after events equals a new state: statuses', async () => {
  const { ann, ben, gus } = await newWorld()
  await gus.does(api.updateStatus, { status_text: 'here', emoji_name: 'heart' })
  await verifyEvents([ann, ben, gus], async () => {
    await ann.does(api.updateStatus, { status_text: 'at lunch', emoji_name: 'tada', away: true })
    await gus.does(api.updateStatus, { emoji_name: '' })
    await ben.does(api.updateStatus, { status_text: 'x' })
    await ben.does(api.updateStatus, { status_text: '' })
  })
})

test("a status with the extra emoji has Zulip's name for it in every answer to Zulip's clients", async () => {
  const { ann, ben, app } = await newWorld()
  const own = { emoji_name: 'service', emoji_code: 'service', reaction_type: 'service_extra_emoji' }
  const zulips = { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
  const headers = { ...ben.headers, 'user-agent': 'ZulipMobile/30.0' }
  const registers = () => app.inject({ method: 'POST', url: '/api/v1/register', headers })
  const { queue_id } = (await registers()).json()
  await ben.registers()
  for (const emoji of [{ emoji_name: 'zulip' }, own, zulips, { emoji_name: 'service' }]) {
    await ann.does(api.updateStatus, emoji)
    assert.deepEqual(await statusOf(ben, ann), own)
  }
  const events = await app.inject({ url: `/api/v1/events?queue_id=${queue_id}&dont_block=true`, headers })
  assert.deepEqual(events.json().events[0], {
    id: events.json().events[0].id,
    type: 'user_status',
    user_id: ann.id,
    ...zulips,
  })
  assert.deepEqual((await registers()).json().user_status[ann.id], zulips)
  const status = await app.inject({ url: `/api/v1/users/${ann.id}/status`, headers })
  assert.deepEqual(status.json().status, zulips)
  assert.equal((await ben.receives('user_status'))[0]?.emoji_name, 'service')
})
