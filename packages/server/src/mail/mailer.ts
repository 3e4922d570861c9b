import { createTransport } from 'nodemailer'
import type { Letter } from './templates.ts'

export interface Mailer {
  send(to: { name: string; address: string }, letter: Letter): Promise<void>
  close(): void
}

/** Hands mail to the operator's mail server. Throws if that does not take it. */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(url, {
    from,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (to, letter) => void (await transport.sendMail({ to, ...letter })),
    close: () => transport.close(),
  }
}
