import type { TestContext } from 'node:test'
import { startBackgroundWork } from '../boot/background-jobs.ts'
import { smtpMailer } from '../mail/mailer.ts'
import { type MailReceiver, newMailReceiver } from './mail-receiver.ts'
import { newWorld } from './world.ts'

/** A world that sends its emails to a mail server, until the test ends. */
export async function mailingWorld(t: TestContext, shared?: MailReceiver) {
  const world = await newWorld()
  const { ctx } = world
  const receiver = shared ?? (await newMailReceiver())
  const mailer = smtpMailer(receiver.url, 'Parley <noreply@parley.example>')
  ctx.mailer = mailer
  const jobs = startBackgroundWork(ctx)
  t.after(async () => {
    await jobs.stop()
    mailer.close()
    ctx.mailer = undefined
  })
  return { ...world, receiver }
}
