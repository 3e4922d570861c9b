import { createTransport } from 'nodemailer'
import type { EmailText } from './templates.ts'

export interface Mailer {
  send(to: { name: string; address: string }, letter: EmailText): Promise<void>
  close(): void
}

/** A mail server that hangs must not keep others' mail waiting for long. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Hands mail to the operator's mail server. Throws if that does not take it. */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(url, {
    from,
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...patience,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (to, letter) => void (await transport.sendMail({ to, ...letter })),
    close: () => transport.close(),
  }
}
