import { after } from 'node:test'
import { sql } from 'kysely'
import { overdueUsers } from '../delivery/email-notifications/due-emails.ts'
import { mailNotifications } from '../delivery/email-notifications/jobs.ts'
import { deliverTo } from '../delivery/email-notifications/send-emails.ts'
import { smtpMailer } from '../delivery/mail/mailer.ts'
import { newMailReceiver } from './peers/mail-receiver.ts'
import { type ReadEmail, readEmail } from './peers/read-email.ts'
import { newWorld, type World } from './world.ts'

export type EmailWorld = Awaited<ReturnType<typeof emailWorld>>

/** A world with a mail server, whose emails about messages are sent on demand. */
export async function emailWorld() {
  const world = await newWorld()
  const receiver = await newMailReceiver()
  const mailer = smtpMailer(receiver.url, 'Parley <noreply@parley.example>')
  world.ctx.mailer = mailer
  after(() => {
    mailer.close()
    world.ctx.mailer = undefined
  })
  await plan(world)
  const emails = (): ReadEmail[] => receiver.mail.map(readEmail)
  return { ...world, receiver, emails }
}

/** Looks up which users the new messages concern. The first time, only the cursor is created. */
export async function plan({ ctx }: World): Promise<void> {
  await mailNotifications({ ...ctx, emails: { resume: async () => {} } as never })
}

/** Everything that waits is due now. */
export async function elapse({ ctx, realmId }: World): Promise<void> {
  await sql`update email_notifications set due_at = now() where realm_id = ${realmId}`.execute(ctx.db)
}

/** Sends what is due, as one process does. */
export async function sendDue({ ctx, realmId }: World): Promise<void> {
  const due = (await overdueUsers(ctx.db)).filter(({ realm_id }) => realm_id === realmId)
  for (const { target_id } of due) await deliverTo(ctx, { realmId, userId: target_id }, new AbortController().signal)
}

/** Lets the waiting time of all users pass, and returns all emails so far. */
export async function mailed(world: EmailWorld): Promise<ReadEmail[]> {
  await plan(world)
  await elapse(world)
  await sendDue(world)
  return world.emails()
}
