import { lookup } from '@parley/api/lookup'
import type { MailIn } from '../../config.ts'
import { emailDomain, emailKey } from '../../platform/emails.ts'
import { isAuthentic } from './authentication-results.ts'
import type { ParsedEmail } from './parse-email.ts'

/** Whether the mail server has confirmed who wrote the email. Undefined: nobody has checked. */
export function isVerified({ from, headers }: ParsedEmail, { authority }: MailIn): boolean | undefined {
  if (authority === undefined) return undefined
  const [author] = from
  if (author === undefined || from.length > 1) return false
  return isAuthentic(headers['authentication-results'] ?? [], authority, emailDomain(author))
}

/** Whether the email names this person, and nobody else, as its author. */
export function isFrom({ from }: ParsedEmail, email: string): boolean {
  return from.length === 1 && emailKey(from[0]!) === emailKey(email)
}

/**
 * The same for the address of a channel, to which programs may write: alerts and mailing lists belong there. What answers by
 * itself does not.
 */
export function channelAutomaticReason(parsed: ParsedEmail): string | undefined {
  const reason = automaticReason(parsed)
  const { 'auto-submitted': kind = [], 'x-parley': own = [] } = parsed.headers
  const isReport = own.length > 0 || kind.some((value) => /^\s*auto-replied/i.test(value))
  return isReport || !/Auto-Submitted|Precedence/.test(reason ?? '') ? reason : undefined
}

/** Why no person expects an answer to this email; undefined: one may. Answering it could go on for ever. */
export function automaticReason({ headers }: ParsedEmail): string | undefined {
  const has = (name: string, test: RegExp) => lookup(headers, name)?.some((value) => test.test(value)) ?? false
  if (headers['x-parley']?.length) return 'it was sent by this server'
  if (has('auto-submitted', /^(?!\s*no\s*(?:;|$))/i)) return 'a program sent it (Auto-Submitted)'
  if (has('precedence', /^\s*(?:bulk|junk|auto_reply)/i)) return 'a program sent it (Precedence)'
  if (has('return-path', /^\s*<\s*>/)) return 'it has no sender'
  if (has('content-type', /^\s*multipart\/report/i)) return 'it reports on the delivery of another email'
  return undefined
}
