import { MailRefused } from '../delivery/mail-in/mail-refused.ts'
import { accessMailbox, checkSender } from '../delivery/mail-in/mailboxes.ts'
import { storeEmail } from '../delivery/mail-in/store-email.ts'
import { reasonOf, StartupError } from '../platform/postgres/startup-error.ts'
import { withContext } from './open-context.ts'

interface Options {
  recipient?: string[]
  sender?: string
}

/** Of sysexits.h, which mail servers understand. */
const codes = { usage: 64, malformed: 65, noUser: 67, tryAgain: 75, notAllowed: 77 } as const

/** Accepts an email: when this ends with 0, it is on disk. The server posts it. */
export async function deliverMail(options: Options): Promise<void> {
  const { env } = process
  const recipients = options.recipient ?? [env.ORIGINAL_RECIPIENT || env.RECIPIENT || ''].filter((one) => one !== '')
  const sender = options.sender ?? env.SENDER
  if (recipients.length === 0) end(codes.usage, 'Name the address with --recipient, or in ORIGINAL_RECIPIENT.')
  try {
    await withContext(async (ctx) => {
      if (!ctx.config.mailIn) throw new StartupError('Set MAIL_IN_DOMAIN: without it, no email is received.')
      const mailboxes = []
      for (const recipient of recipients) mailboxes.push(await accessMailbox(ctx, recipient))
      for (const mailbox of mailboxes) checkSender(sender, mailbox)
      await storeEmail(ctx, mailboxes, process.stdin)
    })
  } catch (error) {
    if (error instanceof MailRefused) end(codeOf(error), error.message)
    end(codes.tryAgain, reasonOf(error))
  }
}

function codeOf({ code, status }: MailRefused): number {
  if (code < 500) return codes.tryAgain
  if (status === '5.1.1') return codes.noUser
  return status === '5.3.4' ? codes.malformed : codes.notAllowed
}

function end(code: number, message: string): never {
  console.error(message)
  process.exit(code)
}
