import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as messages from '@parley/api/conversations/messages'
import * as api from '@parley/api/conversations/scheduled'
import { transactIn } from '../../../context.ts'
import { deactivateRealm, reactivateRealm } from '../../../organization/realms/deactivate-realm.ts'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel, leaves } from '../../../testing/channels.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'
import { deliverScheduled } from './jobs.ts'

const soon = () => Math.floor(Date.now() / 1000) + 3600

const schedules = async (actor: Actor, message: object) =>
  (
    await actor.does(api.scheduleMessage, {
      type: 'stream',
      topic: 'castle',
      content: 'later **on**',
      scheduled_delivery_timestamp: soon(),
      ...message,
    })
  ).scheduled_message_id
const plansOf = async (actor: Actor) => (await actor.does(api.getScheduledMessages)).scheduled_messages

async function populatedWorld() {
  const world = await newWorld()
  const channel = await inChannel('verona', [world.ann, world.ben])
  return { ...world, channel }
}

/** Lets the time come, some seconds ago. */
async function delivers({ ctx, realmId }: World, id: number, secondsLate = 1) {
  const delivery_time = new Date(Date.now() - secondsLate * 1000)
  await ctx.db.updateTable('scheduled_messages').set({ delivery_time }).where('id', '=', id).execute()
  await deliverScheduled(ctx, { realm_id: realmId, scheduled_message_id: id })
}

test('scheduled messages are listed by time, only to their author', async () => {
  const { ann, ben, channel } = await populatedWorld()
  const at = soon()
  const later = await schedules(ann, { to: channel, scheduled_delivery_timestamp: at + 60 })
  const first = await schedules(ann, { type: 'direct', to: [ben.id], scheduled_delivery_timestamp: at })
  assert.deepEqual(await plansOf(ann), [
    {
      scheduled_message_id: first,
      type: 'private',
      to: [ben.id],
      content: 'later **on**',
      rendered_content: '<p>later <strong>on</strong></p>',
      scheduled_delivery_timestamp: at,
      failed: false,
    },
    {
      scheduled_message_id: later,
      type: 'stream',
      to: channel,
      topic: 'castle',
      content: 'later **on**',
      rendered_content: '<p>later <strong>on</strong></p>',
      scheduled_delivery_timestamp: at + 60,
      failed: false,
    },
  ])
  assert.deepEqual(await plansOf(ben), [])
})

test('only a message that could be sent now can be scheduled, and only for the future', async () => {
  const { ann, ben, gus, channel } = await populatedWorld()
  const hidden = await inChannel('den', [ben], { invite_only: true })
  for (const [actor, wrong] of [
    [ann, { scheduled_delivery_timestamp: soon() - 7200 }],
    [ann, { to: 999_999 }],
    [ann, { to: hidden }],
    [gus, {}],
    [ann, { topic: undefined }],
    [ann, { content: ' ' }],
    [ann, { type: 'direct', to: [] }],
    [ann, { type: 'direct', to: ann.id }],
    [ann, { type: 'direct', to: [999_999] }],
    [ann, { type: 'other' }],
    [ann, { scheduled_delivery_timestamp: undefined }],
  ] as const) {
    const plan = { type: 'stream', to: channel, topic: 'a', content: 'x', scheduled_delivery_timestamp: soon() }
    await actor.isRefused(api.scheduleMessage, { ...plan, ...wrong })
  }
  assert.deepEqual(await plansOf(ann), [])
})

test('a due message is sent like any other', async () => {
  const world = await populatedWorld()
  const { ann, ben, channel } = world
  const id = await schedules(ann, { to: channel, content: '@**Ben**' })
  await ann.registers()
  await ben.registers()
  await delivers(world, id)
  const [event] = await ben.receives('message')
  assert.deepEqual([event?.message.sender_id, event?.message.subject, event?.flags], [ann.id, 'castle', ['mentioned']])
  const events = (await ann.reads()).filter(({ type }) => type === 'message' || type === 'scheduled_messages')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['message', 'scheduled_messages'],
  )
  assert.deepEqual(await plansOf(ann), [])
})

test('a message is sent once, not before its time, and not after it was cancelled', async () => {
  const world = await populatedWorld()
  const { ann, ben, ctx, realmId, channel } = world
  const [once, early, cancelled] = [
    await schedules(ann, { to: channel }),
    await schedules(ann, { to: channel }),
    await schedules(ann, { to: channel }),
  ] as const
  await ben.registers()
  await ann.does(api.deleteScheduledMessage, { path: { scheduled_message_id: cancelled } })
  await delivers(world, once)
  for (const id of [once, early, cancelled])
    await deliverScheduled(ctx, { realm_id: realmId, scheduled_message_id: id })
  assert.equal((await ben.receives('message')).length, 1)
  assert.deepEqual(
    (await plansOf(ann)).map((plan) => plan.scheduled_message_id),
    [early],
  )
})

test('a scheduled message that cannot be sent fails, and its author is notified', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const den = await inChannel('den', [ben, ann], { invite_only: true })
  const id = await schedules(ann, { to: den })
  await leaves(ann, 'den')
  await ann.registers()
  await delivers(world, id)
  assert.equal((await plansOf(ann))[0]?.failed, true)
  const [event] = await ann.receives('scheduled_messages')
  assert.equal(event?.op, 'update')
  const [notice] = await ann.receives('message')
  assert.match(notice!.message.content, /could not be sent/)
})

test('a message that is more than ten minutes late is not sent', async () => {
  const world = await populatedWorld()
  const { ann, channel } = world
  const [late, tooLate] = [await schedules(ann, { to: channel }), await schedules(ann, { to: channel })] as const
  await delivers(world, late, 590)
  await delivers(world, tooLate, 601)
  const plans = await plansOf(ann)
  assert.deepEqual(
    plans.map((plan) => [plan.scheduled_message_id, plan.failed]),
    [[tooLate, true]],
  )
})

test('every part of a scheduled message can be edited', async () => {
  const { ann, ben, channel } = await populatedWorld()
  const path = { scheduled_message_id: await schedules(ann, { to: channel }) }
  const changes = (change: object) => ann.does(api.editScheduledMessage, { path, ...change })
  await changes({ content: 'changed' })
  await changes({ topic: 'tower' })
  const at = soon() + 5
  await changes({ scheduled_delivery_timestamp: at })
  const [plan] = await plansOf(ann)
  assert.deepEqual(
    [plan?.content, plan?.rendered_content, plan?.topic, plan?.scheduled_delivery_timestamp],
    ['changed', '<p>changed</p>', 'tower', at],
  )
  await changes({ type: 'direct', to: [ben.id] })
  assert.deepEqual((await plansOf(ann))[0]?.to, [ben.id])
  await changes({ type: 'stream', to: channel, topic: 'back' })
  assert.equal((await plansOf(ann))[0]?.topic, 'back')
  for (const wrong of [
    {},
    { type: 'direct' },
    { type: 'stream', to: channel },
    { to: 999_999 },
    { content: '' },
    { scheduled_delivery_timestamp: 5 },
  ])
    await ann.isRefused(api.editScheduledMessage, { path, ...wrong })
})

test('a failed message is scheduled again when it gets a new time', async () => {
  const world = await populatedWorld()
  const { ann, channel } = world
  const id = await schedules(ann, { to: channel })
  await delivers(world, id, 700)
  const path = { scheduled_message_id: id }
  await ann.isRefused(api.editScheduledMessage, { path, content: 'changed' })
  await ann.does(api.editScheduledMessage, { path, scheduled_delivery_timestamp: soon() })
  assert.equal((await plansOf(ann))[0]?.failed, false)
})

test('nothing is sent while the organization is deactivated', async () => {
  const world = await populatedWorld()
  const { ann, ctx, realmId, channel } = world
  const id = await schedules(ann, { to: channel })
  await transactIn(ctx, realmId, (tx) => deactivateRealm(tx, null))
  await delivers(world, id)
  await transactIn(ctx, realmId, (tx) => reactivateRealm(tx, null))
  assert.equal((await plansOf(ann))[0]?.failed, true)
})

test("another user's scheduled message fails like one that does not exist", async () => {
  const { ann, ben, channel } = await populatedWorld()
  const scheduled_message_id = await schedules(ann, { to: channel })
  for (const operation of [api.editScheduledMessage, api.deleteScheduledMessage]) {
    const missing = await ben.isRefused(operation, { path: { scheduled_message_id: 999_999 }, content: 'x' })
    assert.equal(missing.status, 404)
    assert.deepEqual(await ben.isRefused(operation, { path: { scheduled_message_id }, content: 'x' }), missing)
  }
})

test('each scheduled message has one job, at its time', async () => {
  const { ann, channel, ctx } = await populatedWorld()
  const at = soon()
  const id = await schedules(ann, { to: channel })
  await ann.does(api.editScheduledMessage, { path: { scheduled_message_id: id }, scheduled_delivery_timestamp: at + 9 })
  const { rows } = await ctx.pool.query("select run_at from jobs.jobs where key = 'deliver_scheduled_message ' || $1", [
    id,
  ])
  assert.deepEqual(
    rows.map(({ run_at }) => run_at.getTime()),
    [(at + 9) * 1000],
  )
})

test('read_by_sender marks the sent message as read for its author', async () => {
  const world = await populatedWorld()
  const { ann, channel } = world
  const id = await schedules(ann, { to: channel, read_by_sender: true })
  await delivers(world, id)
  const { messages: found } = await ann.does(messages.getMessages, { anchor: 'newest', num_before: 1 })
  assert.deepEqual(found[0]?.flags, ['read'])
})

test('the events of scheduled messages keep the state of the author up to date', async () => {
  const world = await populatedWorld()
  const { ann, ben, channel } = world
  const kept = await schedules(ann, { to: channel })
  const failing = await schedules(ann, { to: channel })
  await verifyEvents([ann, ben], async () => {
    await schedules(ann, { type: 'direct', to: [ben.id], scheduled_delivery_timestamp: soon() - 1800 })
    await ann.does(api.editScheduledMessage, {
      path: { scheduled_message_id: kept },
      scheduled_delivery_timestamp: soon() + 99,
    })
    await delivers(world, await schedules(ann, { to: channel }))
  })
  await ann.does(api.deleteScheduledMessage, { path: { scheduled_message_id: failing } })
})

test('a list for a channel is refused, when scheduling and when editing', async () => {
  const { ann, ben, channel } = await populatedWorld()
  const wanted = { type: 'stream', topic: 'x', content: 'x', scheduled_delivery_timestamp: soon() }
  for (const to of [[channel], [channel, channel], []])
    assert.equal((await ann.isRefused(api.scheduleMessage, { ...wanted, to })).code, 'BAD_REQUEST')
  const path = { scheduled_message_id: await schedules(ann, { to: channel }) }
  const { msg } = await ann.isRefused(api.editScheduledMessage, { path, to: [ben.id] })
  assert.match(msg, /set 'type' to 'direct'/)
  assert.equal((await plansOf(ann))[0]!.to, channel)
  await ann.does(api.editScheduledMessage, { path, to: [ben.id], type: 'direct' })
  assert.deepEqual((await plansOf(ann))[0]!.to, [ben.id])
})

test('deleting a scheduled message that was just sent succeeds, for its author only', async () => {
  const world = await populatedWorld()
  const { ann, ben, channel } = world
  const id = await schedules(ann, { to: channel })
  await delivers(world, id)
  const path = { scheduled_message_id: id }
  await ann.does(api.deleteScheduledMessage, { path })
  for (const [actor, unknown] of [
    [ben, id],
    [ann, 999_999],
  ] as const)
    assert.equal(
      (await actor.isRefused(api.deleteScheduledMessage, { path: { scheduled_message_id: unknown } })).status,
      404,
    )
})
