import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { editMessage } from '@parley/api/conversations/editing'
import * as api from '@parley/api/conversations/reminders'
import { deactivateUser } from '@parley/api/identity/accounts'
import { storageLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel, leaves } from '../../../testing/channels.ts'
import { restrictGuests } from '../../../testing/configure-realm.ts'
import { verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'
import { deliverReminder } from './jobs.ts'

const soon = () => Math.floor(Date.now() / 1000) + 3600

async function reminds(actor: Actor, message_id: number, params: object = {}): Promise<number> {
  const wanted = { message_id, scheduled_delivery_timestamp: soon(), ...params }
  return (await actor.does(api.createReminder, wanted)).reminder_id
}
const remindersOf = async (actor: Actor) => (await actor.does(api.getReminders)).reminders

async function populatedWorld() {
  const world = await newWorld()
  const channel = await inChannel('verona', [world.ann, world.ben])
  const message = await world.ben.sends({ channel: 'verona', topic: 'castle', content: 'the **gate**' })
  return { ...world, channel, message }
}

/** Lets the time come, and returns the text that the reader gets. */
async function delivers({ ctx, realmId }: World, id: number, secondsLate = 1): Promise<void> {
  const delivery_time = new Date(Date.now() - secondsLate * 1000)
  await ctx.db.updateTable('reminders').set({ delivery_time }).where('id', '=', id).execute()
  await deliverReminder(ctx, { realm_id: realmId, reminder_id: id })
}

async function textsFor(actor: Actor): Promise<string[]> {
  return (await actor.receives('message')).map(({ message }) => message.content)
}

test('reminders are listed by time, only to who made them', async () => {
  const { ann, ben, message } = await populatedWorld()
  const at = soon()
  const later = await reminds(ann, message, { scheduled_delivery_timestamp: at + 60 })
  const first = await reminds(ann, message, { scheduled_delivery_timestamp: at, note: 'Ask about it' })
  const listed = await remindersOf(ann)
  assert.deepEqual(
    listed.map(({ reminder_id }) => reminder_id),
    [first, later],
  )
  const { content, rendered_content, ...others } = listed[0]!
  assert.deepEqual(others, {
    reminder_id: first,
    type: 'private',
    to: [ann.id],
    scheduled_delivery_timestamp: at,
    failed: false,
    reminder_target_message_id: message,
  })
  assert.equal(
    content,
    `Reminder: #**verona>castle@${message}**\n\nAsk about it\n\n@_**Ben|${ben.id}**:\n\`\`\`quote\nthe **gate**\n\`\`\``,
  )
  assert.ok(rendered_content.includes(`/near/${message}"`))
  assert.match(rendered_content, /<blockquote>\n<p>the <strong>gate<\/strong><\/p>/)
  assert.deepEqual(await remindersOf(ben), [])
})

test('a reminder needs a message that the caller can read, and a time in the future', async () => {
  const { ann, ben, message } = await populatedWorld()
  await inChannel('den', [ben], { invite_only: true })
  const hidden = await ben.sends({ channel: 'den' })
  const missing = await ann.isRefused(api.createReminder, { message_id: 999_999, scheduled_delivery_timestamp: soon() })
  const wanted = { message_id: hidden, scheduled_delivery_timestamp: soon() }
  assert.deepEqual(await ann.isRefused(api.createReminder, wanted), missing)
  for (const wrong of [
    { scheduled_delivery_timestamp: soon() - 7200 },
    { scheduled_delivery_timestamp: undefined },
    { note: 'x'.repeat(1001) },
  ])
    await ann.isRefused(api.createReminder, { ...wanted, message_id: message, ...wrong })
  assert.deepEqual(await remindersOf(ann), [])
})

test('a due reminder is a direct message from the notification bot with the message as it is now', async () => {
  const world = await populatedWorld()
  const { ann, ben, message } = world
  const id = await reminds(ann, message, { note: 'Look' })
  await ben.does(editMessage, { path: { message_id: message }, content: 'the *bridge*' })
  await ann.registers()
  await delivers(world, id)
  const [event] = await ann.receives('message')
  assert.equal(event!.message.sender_full_name, 'Notification Bot')
  assert.deepEqual(event!.flags, [])
  for (const part of ['Look', 'bridge', `castle@${message}`]) assert.ok(event!.message.content.includes(part), part)
  assert.deepEqual(await remindersOf(ann), [])
})

test('a reminder is delivered however late, once, and not after it was deleted', async () => {
  const world = await populatedWorld()
  const { ann, ctx, realmId, message } = world
  const [late, early, gone] = [
    await reminds(ann, message),
    await reminds(ann, message),
    await reminds(ann, message),
  ] as const
  await ann.does(api.deleteReminder, { path: { reminder_id: gone } })
  await ann.registers()
  await delivers(world, late, 86_400)
  for (const reminder_id of [late, early, gone]) await deliverReminder(ctx, { realm_id: realmId, reminder_id })
  assert.equal((await textsFor(ann)).length, 1)
  assert.deepEqual(
    (await remindersOf(ann)).map(({ reminder_id }) => reminder_id),
    [early],
  )
})

test('a reminder of a message that is gone, or that the user can no longer read, has the text of then', async () => {
  const world = await populatedWorld()
  const { ann, ben, olga, message } = world
  await inChannel('den', [ann, ben], { invite_only: true })
  const inDen = await ben.sends({ channel: 'den', content: 'plan A' })
  const reminders = [await reminds(ann, message), await reminds(ann, inDen)]
  await olga.does(deleteMessage, { path: { message_id: message } })
  await leaves(ann, 'den')
  await ben.does(editMessage, { path: { message_id: inDen }, content: 'plan B' })
  await ann.registers()
  for (const id of reminders) await delivers(world, id)
  const texts = await textsFor(ann)
  assert.match(texts[0]!, /gate/)
  assert.match(texts[1]!, /plan A/)
})

test('a reminder of a deactivated user is not delivered', async () => {
  const world = await populatedWorld()
  const { ann, ben, olga, ctx, message } = world
  const id = await reminds(ann, message)
  await olga.does(deactivateUser, { path: { user_id: ann.id } })
  await ben.registers()
  await delivers(world, id)
  const rows = await ctx.db.selectFrom('reminders').select('failed').where('id', '=', id).execute()
  assert.deepEqual(rows, [{ failed: true }])
})

test("another user's reminder fails like one that does not exist", async () => {
  const { ann, ben, message } = await populatedWorld()
  const reminder_id = await reminds(ann, message)
  const missing = await ben.isRefused(api.deleteReminder, { path: { reminder_id: 999_999 } })
  assert.equal(missing.status, 404)
  assert.deepEqual(await ben.isRefused(api.deleteReminder, { path: { reminder_id } }), missing)
})

test('a reminder of a long message is cut off, whatever fences it has', async () => {
  const { ann, ben } = await populatedWorld()
  const content = `\`\`\`\`\n${'x'.repeat(9990)}`
  await reminds(ann, await ben.sends({ to: [ann], content }), { note: 'n'.repeat(1000) })
  const [kept] = await remindersOf(ann)
  assert.equal(kept!.content.length, 10_000)
  assert.match(kept!.content, /^`{5}quote$/m)
  assert.match(kept!.content, /x …\n`{5}$/)
})

test('a guest who may not know the author gets no name', async () => {
  const world = await populatedWorld()
  const { gus, ann, ben } = world
  await inChannel('plaza', [ann, gus])
  await restrictGuests(world)
  const message = await ben.sends({ channel: 'plaza', content: 'hello' })
  await reminds(gus, message)
  const [kept] = await remindersOf(gus)
  assert.doesNotMatch(kept!.content, /Ben/)
  assert.match(kept!.content, /hello/)
})

test('the number of reminders per user is limited; deleting one makes room', async () => {
  const { ann, ctx, realmId, message } = await populatedWorld()
  const reminder_id = await reminds(ann, message)
  await sql`
    insert into reminders (realm_id, user_id, message_id, note, content, rendered_content, delivery_time)
    select realm_id, user_id, message_id, note, content, rendered_content, delivery_time
      from reminders, generate_series(2, ${storageLimits.reminders})
     where realm_id = ${realmId} and id = ${reminder_id}`.execute(ctx.db)
  const wanted = { message_id: message, scheduled_delivery_timestamp: soon() }
  assert.match((await ann.isRefused(api.createReminder, wanted)).msg, /at most 1000 reminders/)
  await ann.does(api.deleteReminder, { path: { reminder_id } })
  await ann.does(api.createReminder, wanted)
})

test('the events of reminders keep the state of their user up to date', async () => {
  const world = await populatedWorld()
  const { ann, ben, message } = world
  const deleted = await reminds(ann, message)
  await verifyEvents([ann, ben], async () => {
    await reminds(ann, message)
    await ann.does(api.deleteReminder, { path: { reminder_id: deleted } })
    await delivers(world, await reminds(ann, message))
  })
})
