import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteTopic } from '@parley/api/conversations/deletion'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { getMessageNotifications, sendTestEmail } from '@parley/api/delivery/notifications'
import { updateSettings } from '@parley/api/people/own-settings'
import { sql } from 'kysely'
import { many } from '../../platform/db/query.ts'
import { inChannel } from '../../testing/channels.ts'
import { type EmailWorld, elapse, emailWorld, mailed, plan, sendDue } from '../../testing/email-world.ts'
import type { Mailer } from '../mail/mailer.ts'
import { deleteExpired, takeDue } from './due-emails.ts'
import { mailNotifications } from './jobs.ts'
import { deliverTo } from './send-emails.ts'

interface Row {
  message_id: number
  seconds: number
  attempts: number
}

/** What waits, and for how long. */
function rows({ ctx, realmId }: EmailWorld): Promise<Row[]> {
  return many<Row>(ctx.db)`
    select message_id, extract(epoch from due_at - now())::float8 as seconds, attempts from email_notifications
     where realm_id = ${realmId} order by message_id`
}

function running(): AbortSignal {
  return new AbortController().signal
}

test('messages wait as long as the user chose, and share one email per conversation', async () => {
  const world = await emailWorld()
  const { ann, ben, mona } = world
  await ann.does(updateSettings, { email_notifications_batching_period_seconds: 600 })
  const one = await ben.sends({ to: [ann], content: 'one' })
  await mona.sends({ to: [ann], content: 'other' })
  await plan(world)
  await sendDue(world)
  assert.deepEqual(world.emails(), [])
  assert.ok((await rows(world)).every(({ seconds }) => seconds > 580 && seconds <= 600))
  await ben.sends({ to: [ann], content: 'two' })
  await plan(world)
  await sql`update email_notifications set due_at = now() where message_id = ${one} and realm_id = ${world.realmId}`.execute(
    world.ctx.db,
  )
  await sendDue(world)
  const subjects = world.emails().map(({ subject }) => subject)
  assert.deepEqual(subjects, ['Direct messages with Ben', 'Direct messages with Mona'])
  assert.match(world.emails()[0]!.text, /one[\s\S]+two/)
  assert.deepEqual(await rows(world), [])
})

test('the topics of a channel have emails of their own', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  for (const topic of ['red', 'blue']) await ben.sends({ channel: 'verona', topic, content: '@**Ann**' })
  const emails = await mailed(world)
  assert.deepEqual(emails.map(({ subject }) => subject).toSorted(), ['#verona > blue', '#verona > red'])
  assert.notEqual(emails[0]!.headers.get('references'), emails[1]!.headers.get('references'))
})

test('two processes send each email once', async () => {
  const world = await emailWorld()
  const { ann, ben, mona, adam } = world
  for (const actor of [ben, mona, adam]) await actor.sends({ to: [ann] })
  await Promise.all([plan(world), plan(world)])
  await elapse(world)
  await Promise.all([sendDue(world), sendDue(world), sendDue(world)])
  assert.equal(world.emails().length, 3)
})

test('what a dead process had taken is sent later by another one', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  await ben.sends({ to: [ann] })
  await plan(world)
  await elapse(world)
  assert.equal((await takeDue(ctx.db, { realmId, userId: ann.id })).length, 1) // and dies
  await sendDue(world)
  assert.equal(world.emails().length, 0)
  const [row] = await rows(world)
  assert.ok(row!.seconds > 200 && row!.seconds <= 300)
  await elapse(world)
  await sendDue(world)
  assert.equal(world.emails().length, 1)
})

test('a process that dies after sending causes the same email once more, with the same id', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  await ben.sends({ to: [ann] })
  await plan(world)
  await elapse(world)
  const send: Mailer['send'] = async (to, content) => {
    await ctx.mailer!.send(to, content)
    throw new Error('killed')
  }
  await deliverTo({ ...ctx, mailer: { send, close: () => {} } }, { realmId, userId: ann.id }, running())
  await elapse(world)
  await sendDue(world)
  const ids = world.emails().map(({ headers }) => headers.get('message-id'))
  assert.equal(ids.length, 2)
  assert.equal(ids[0], ids[1])
})

test('an email that the mail server refuses for now is retried, with the others of the user', async () => {
  const world = await emailWorld()
  const { ann, ben, mona, receiver } = world
  for (const actor of [ben, mona]) await actor.sends({ to: [ann] })
  receiver.refusals.push('451 come back later')
  assert.deepEqual(await mailed(world), [])
  const waiting = await rows(world)
  assert.ok(waiting.length === 2 && waiting.every(({ seconds, attempts }) => seconds > 50 && attempts === 1))
  assert.equal((await mailed(world)).length, 2)
})

test('an email that the mail server refuses for good is not repeated, and the others are sent', async () => {
  const world = await emailWorld()
  const { ann, ben, mona, receiver } = world
  for (const actor of [ben, mona]) await actor.sends({ to: [ann] })
  receiver.refusals.push('550 no such user')
  assert.equal((await mailed(world)).length, 1)
  assert.deepEqual(await rows(world), [])
})

test('after the last attempt an email is given up', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  await ben.sends({ to: [ann] })
  await plan(world)
  await sql`update email_notifications set attempts = 6 where realm_id = ${realmId}`.execute(ctx.db)
  assert.deepEqual(await mailed(world), [])
  assert.deepEqual(await rows(world), [])
})

test('messages that could not be mailed for a day are not mailed any more', async () => {
  const world = await emailWorld()
  const { ann, ben, mona, ctx, realmId } = world
  await ben.sends({ to: [ann] })
  await mona.sends({ to: [ann] })
  await plan(world)
  await sql`
    update email_notifications e set expires_at = now() - interval '1 second' from messages m
     where e.realm_id = ${realmId} and m.realm_id = e.realm_id and m.id = e.message_id and m.sender_id = ${ben.id}`.execute(
    ctx.db,
  )
  const emails = await mailed(world)
  assert.deepEqual(
    emails.map(({ subject }) => subject),
    ['Direct messages with Mona'],
  )
  await ben.sends({ to: [ann] })
  await plan(world)
  await sql`update email_notifications set expires_at = now() - interval '1 second'`.execute(ctx.db)
  await deleteExpired(ctx.db)
  assert.deepEqual(await rows(world), [])
})

test('a process that stops leaves its emails to others at once', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  await ben.sends({ to: [ann] })
  await plan(world)
  await elapse(world)
  await deliverTo(ctx, { realmId, userId: ann.id }, AbortSignal.abort())
  const [row] = await rows(world)
  assert.ok(row!.seconds <= 0 && row!.attempts === 0)
  await sendDue(world)
  assert.equal(world.emails().length, 1)
})

test('a hanging mail server does not keep a process from stopping', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId, receiver } = world
  await ben.sends({ to: [ann] })
  await plan(world)
  await elapse(world)
  receiver.refusals.push(null)
  const stopping = new AbortController()
  const delivering = deliverTo(ctx, { realmId, userId: ann.id }, stopping.signal)
  setTimeout(() => stopping.abort(), 100)
  await delivering
  assert.equal((await rows(world)).length, 1)
})

test('sending a message stores nothing for emails, and emails start after the mail server was configured', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  await sql`delete from email_cursors where realm_id = ${realmId}`.execute(ctx.db)
  await sql`update realms set date_created = now() - interval '1 day' where id = ${realmId}`.execute(ctx.db)
  await ben.sends({ to: [ann], content: 'before' })
  assert.deepEqual(await rows(world), [])
  await mailNotifications(ctx)
  await ben.sends({ to: [ann], content: 'after' })
  const [email] = await mailed(world)
  assert.ok(email!.text.includes('after') && !email!.text.includes('before'))
})

test('deleting a topic removes its messages from the emails that wait', async () => {
  const world = await emailWorld()
  const { ann, ben, olga } = world
  const stream_id = await inChannel('verona', [olga, ann, ben])
  await ben.sends({ channel: 'verona', topic: 'old', content: '@**Ann**' })
  await plan(world)
  assert.equal((await rows(world)).length, 1)
  await olga.does(deleteTopic, { path: { stream_id }, topic_name: 'old' })
  assert.deepEqual(await rows(world), [])
})

test('clients learn whether the server sends emails about messages', async () => {
  const world = await emailWorld()
  const { ann, ctx } = world
  const isSending = async () => (await ann.registers()).server_sends_email_notifications
  assert.equal(await isSending(), true)
  const { mailer } = ctx
  ctx.mailer = undefined
  assert.equal(await isSending(), false)
  ctx.mailer = mailer
})

test('during a pause, emails wait until it ends; VIPs are mailed at once', async () => {
  const world = await emailWorld()
  const { ann, ben, mona } = world
  const end = Math.floor(Date.now() / 1000) + 3 * 86_400
  await ann.does(updateSettings, { notifications_paused_until: end, notification_vips: `${mona.id}` })
  const waiting = await ben.sends({ to: [ann], content: 'later' })
  await mona.sends({ to: [ann], content: 'now' })
  assert.deepEqual(
    (await mailed(world)).map(({ subject }) => subject),
    ['Direct messages with Mona'],
  )
  const [row] = await rows(world)
  assert.deepEqual([row!.message_id, row!.attempts], [waiting, 0])
  assert.ok(Math.abs(row!.seconds - 3 * 86_400) < 60)
  await ann.does(updateSettings, { notifications_paused_until: 0 })
  await sendDue(world)
  assert.equal(world.emails().length, 2)
})

test('what became of emails is in the trail', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  const [sent, read] = [await ben.sends({ to: [ann] }), await ben.sends({ to: [ann] })]
  await plan(world)
  const trail = async (message_id: number) =>
    (await ann.does(getMessageNotifications, { path: { message_id } })).notifications.map((one) => [
      one.outcome,
      one.reason,
    ])
  assert.deepEqual(await trail(sent), [['waits', 'batching']])
  await ann.does(updateMessageFlags, { messages: [read], op: 'add', flag: 'read' })
  await mailed(world)
  assert.deepEqual(await trail(sent), [['sent', 'direct']])
  assert.deepEqual(await trail(read), [['dropped', 'read']])
})

test('a user sends themselves at most three test emails a minute', async () => {
  const { ann } = await emailWorld()
  for (let n = 0; n < 3; n++) await ann.does(sendTestEmail)
  assert.equal((await ann.isRefused(sendTestEmail)).code, 'RATE_LIMIT_HIT')
})
