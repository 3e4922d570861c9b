import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { startBackgroundWork } from '../boot/background-jobs.ts'
import { smtpMailer } from '../delivery/mail/mailer.ts'
import { type MailReceiver, newMailReceiver } from './peers/mail-receiver.ts'
import { newWorld } from './world.ts'

/** A world that sends its emails to a mail server, until the test ends. */
export async function mailingWorld(t: TestContext, shared?: MailReceiver) {
  const world = await newWorld()
  const { ctx } = world
  const receiver = shared ?? (await newMailReceiver())
  const mailer = smtpMailer(receiver.url, 'Parley <noreply@parley.example>')
  ctx.mailer = mailer
  await sql`delete from jobs.jobs where payload ->> 'realm_id' <> ${String(world.realmId)}`.execute(ctx.db) // of earlier tests
  const jobs = startBackgroundWork(ctx)
  t.after(async () => {
    await jobs.stop()
    mailer.close()
    ctx.mailer = undefined
  })
  return { ...world, receiver }
}
