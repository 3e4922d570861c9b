import { headerText } from './header-text.ts'
import type { EmailText } from './templates.ts'

export interface Mailer {
  send(to: { name: string; address: string }, content: EmailText): Promise<void>
  close(): void
}

/** An unresponsive mail server must not delay other jobs for long. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Sends through the operator's mail server. Throws if it does not accept the email. */
export function smtpMailer(url: string, from: string): Mailer {
  let opened: ReturnType<typeof openTransport> | undefined
  return {
    send: async (to, content) => {
      opened ??= openTransport(url, from)
      const subject = headerText(content.subject)
      const { returnPath, ...rest } = content
      const envelope = returnPath === undefined ? {} : { envelope: { from: returnPath, to: to.address } }
      await (await opened).sendMail({ ...rest, ...addressed(to, content), ...envelope, subject })
    },
    close: () => void opened?.then((transport) => transport.close()),
  }
}

type Named = { name: string; address: string }

function addressed(to: Named, { from, replyTo }: EmailText): { to: Named; from?: Named; replyTo?: Named } {
  const safe = ({ name, address }: Named) => ({ name: headerText(name), address })
  return { to: safe(to), ...(from && { from: safe(from) }), ...(replyTo && { replyTo: safe(replyTo) }) }
}

/** Throws unless the mail server answers and accepts the sign-in. */
export async function checkMailServer(url: string, from: string): Promise<void> {
  const transport = await openTransport(url, from)
  await transport.verify().finally(() => transport.close())
}

/** Loads the library when first needed, so that commands start fast. */
async function openTransport(url: string, from: string) {
  const { createTransport } = await import('nodemailer')
  return createTransport(url, {
    from,
    // By the second, Parley recognizes emails of its own that come back.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Parley': 'sent' },
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Why an email was not accepted. Permanently: the mail server refused this email or this recipient, not us. */
export function emailFailure(error: unknown): {
  isPermanent: boolean
  isAboutRecipient: boolean
  reason: string
  status: string
  detail: string
} {
  const {
    code,
    responseCode = 0,
    response = '',
    message,
    command = '',
  } = error as { code?: string; responseCode?: number; response?: string; message: string; command?: string }
  const isAboutEmail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isPermanent = isAboutEmail && responseCode >= 500
  // Without an enhanced code (RFC 3463), nothing is known about the address.
  const status = /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(response)?.[0] ?? (isPermanent ? '5.0.0' : '4.0.0')
  // Other refusals concern the text or the sender.
  const isAboutRecipient = command === 'RCPT TO'
  return {
    isPermanent,
    isAboutRecipient,
    reason: code ?? message,
    status,
    detail: response.replace(/[^\x20-\x7e]+/g, ' '),
  }
}
