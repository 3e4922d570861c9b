import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  getDeadEmails,
  getMessageNotifications,
  getNotificationHealth,
  retryEmail,
} from '@parley/api/delivery/notifications'
import { many } from '../../../platform/db/query.ts'
import { runCommand } from '../../../testing/command.ts'
import { emailWorld, mailed } from '../../../testing/email-world.ts'
import { environmentOf } from '../../../testing/world-command.ts'
import { deliverIncoming } from '../deliver-email.ts'
import { deliveryStatusIn } from './delivery-status.ts'

const domain = 'chat.example.com'

/** A world that receives emails, with the return path of an email to Ann. */
async function bounceWorld(t: TestContext) {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  const before = ctx.config.mailIn
  ctx.config.mailIn = { domain, authority: undefined, listener: undefined }
  t.after(() => {
    ctx.config.mailIn = before
  })
  await ben.sends({ to: [ann] })
  await mailed(world)
  const returnPath = /b\.[a-z2-7]+@chat\.example\.com/.exec(world.receiver.mail[0]!.from)![0]
  const env = { ...environmentOf(world), MAIL_IN_DOMAIN: domain }
  const deliver = async (raw: string, to = returnPath) => {
    const result = await runCommand(['mail', 'deliver', '--recipient', to, '--sender', ''], { env, input: raw })
    const waiting = await many<{ id: number }>(ctx.db)`
      select id from incoming_emails where realm_id = ${realmId} and outcome is null order by id`
    for (const { id } of waiting) await deliverIncoming(ctx, { realm_id: realmId, email_id: id })
    return result
  }
  const state = async () => (await ann.does(getNotificationHealth, { path: { user_id: ann.id } })).email
  return { ...world, returnPath, deliver, state }
}

let count = 0

function report(status: string, action = 'failed', said = `smtp; 550 ${status} No such user`): string {
  return [
    `Message-ID: <${++count}@mail.test>`,
    'From: MAILER-DAEMON@mail.test',
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
    '',
    '--b1',
    'Content-Type: text/plain',
    '',
    'Sorry.',
    '--b1',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.test',
    '',
    'Final-Recipient: rfc822; ann@example.com',
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: ${said}`,
    '    and so on',
    '',
    '--b1',
    'Content-Type: message/rfc822',
    '',
    'Status: 9.9.9',
    '--b1--',
    '',
  ].join('\r\n')
}

test('an address that does not exist gets no more emails, until its owner tries again', async (t) => {
  const world = await bounceWorld(t)
  const { ann, ben, adam, deliver, state } = world
  assert.equal(await state(), null)
  assert.equal((await deliver(report('5.1.1'))).code, 0)
  assert.equal((await state())?.detail, '550 5.1.1 No such user and so on')
  const { users } = await adam.does(getDeadEmails)
  assert.deepEqual(
    users.map(({ user_id, status }) => [user_id, status]),
    [[ann.id, '5.1.1']],
  )
  const message_id = await ben.sends({ to: [ann] })
  assert.equal((await mailed(world)).length, 1)
  const { notifications } = await ann.does(getMessageNotifications, { path: { message_id } })
  assert.deepEqual(
    notifications.map(({ outcome, reason }) => [outcome, reason]),
    [['dropped', 'bouncing']],
  )
  await ann.does(retryEmail)
  assert.equal(await state(), null)
  await ben.sends({ to: [ann] })
  assert.equal((await mailed(world)).length, 2)
})

test('three refusals in a week end emails, delays and temporary problems do not', async (t) => {
  const { deliver, state } = await bounceWorld(t)
  for (let index = 0; index < 4; index++) {
    await deliver(report('4.2.2'))
    await deliver(report('5.2.2', 'delayed'))
  }
  for (let index = 0; index < 2; index++) await deliver(report('5.2.2'))
  assert.equal(await state(), null)
  await deliver(report('5.2.2'))
  assert.equal((await state())?.status, '5.2.2')
})

test('a report that comes twice counts once', async (t) => {
  const { deliver, state } = await bounceWorld(t)
  const same = report('5.2.2')
  for (let index = 0; index < 4; index++) await deliver(same)
  assert.equal(await state(), null)
})

test('forged return paths and answers to them end nothing', async (t) => {
  const { deliver, state, returnPath } = await bounceWorld(t)
  const letter = returnPath[5] === 'a' ? 'b' : 'a'
  const forged = `${returnPath.slice(0, 5)}${letter}${returnPath.slice(6)}`
  assert.equal((await deliver(report('5.1.1'), forged)).code, 67)
  await deliver('Subject: hello\r\nContent-Type: text/plain\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n')
  assert.equal(await state(), null)
})

test('an address that the mail server refuses at once counts, too', async () => {
  const world = await emailWorld()
  const { ann, ben, receiver } = world
  receiver.refusals.push('550 5.1.1 No such user')
  await ben.sends({ to: [ann] })
  await mailed(world)
  const { email } = await ann.does(getNotificationHealth, { path: { user_id: ann.id } })
  assert.equal(email?.status, '5.1.1')
})

test('texts that are no report are none', () => {
  for (const raw of [
    '',
    'Content-Type: message/delivery-status',
    'Content-Type: message/delivery-status\r\n\r\nStatus: x\r\n',
  ])
    assert.equal(deliveryStatusIn(Buffer.from(raw)), undefined)
})
