import { createTransport } from 'nodemailer'
import type { EmailText } from './templates.ts'

export interface Mailer {
  send(to: { name: string; address: string }, content: EmailText): Promise<void>
  close(): void
}

/** An unresponsive mail server must not delay other jobs for long. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Sends through the operator's mail server. Throws if it does not accept the email. */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(url, {
    from,
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (to, content) => void (await transport.sendMail({ to, ...content })),
    close: () => transport.close(),
  }
}
