import { escapeHtml } from '../../conversations/messages/fetch/search-highlights.ts'
import { Phrase, say } from '../../platform/html.ts'
import { writerIn } from '../../platform/translations.ts'

/** Subject and body. The mailer adds sender and recipient. */
export interface EmailText {
  subject: string
  text: string
  html: string
  /** Identifies the email, so that programs show a repeated one once. */
  messageId?: string
  /** The emails with the same value are one thread. */
  references?: string
  inReplyTo?: string
  headers?: Record<string, string>
  /** The sender, if not the server. */
  from?: { name: string; address: string }
  /** Where reports about its delivery go, if not to the sender. */
  returnPath?: string
  /** Where answers go, if not to the sender. */
  replyTo?: { name: string; address: string }
}

/** The organization from which an email comes, and the language of its recipient. */
export interface Organization {
  name: string
  /** Undefined if the server does not know its public URL. */
  url: string | undefined
  language: string
}

/** Sent to a user whose account was deactivated. An empty comment is left out. */
export function deactivationEmail(from: Organization, email: string, comment: string): EmailText {
  const place = nameAndUrl(from)
  return letter(from, say('Your account at {organization} has been deactivated', { organization: from.name }), [
    say('An administrator has deactivated your account {email} at {place}. You can no longer sign in.', {
      email,
      place,
    }),
    ...(comment === '' ? [] : [say('The administrator wrote:'), quotation(comment)]),
  ])
}

/** Sent to the requested email address. The recipient may not be the user, so the text must make sense to a stranger. */
export function confirmationEmail(from: Organization, email: string, address: string, link: string): EmailText {
  const values = { email, address, place: nameAndUrl(from) }
  return letter(from, say('Confirm your new email address at {organization}', { organization: from.name }), [
    say('We received a request to change the email address of the account {email} at {place} to {address}.', values),
    say('If that was you, follow this link within a day:'),
    linked(link),
    say('If it was not you, you can ignore this email. The email address stays as it is.'),
  ])
}

/** Sent to the old email address. */
export function emailChangedNotice(from: Organization, old: string, email: string): EmailText {
  const values = { old, email, place: nameAndUrl(from) }
  return letter(from, say('Your email address at {organization} has been changed', { organization: from.name }), [
    say('The email address of your account at {place} was changed from {old} to {email}.', values),
    say('If you did not request this change, contact an administrator of the organization immediately.'),
  ])
}

export function nameAndUrl({ name, url }: Organization): string {
  return url ? `${name} (${url})` : name
}

export interface Part {
  text: string
  html: string
}

export function paragraph(text: string): Part {
  return { text, html: `<p>${escapeHtml(text)}</p>` }
}

export function linked(url: string): Part {
  return { text: url, html: `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>` }
}

function quotation(text: string): Part {
  const lines = text.split(/\r?\n/)
  return {
    text: lines.map((line) => `> ${line}`).join('\n'),
    html: `<blockquote>${lines.map(escapeHtml).join('<br>')}</blockquote>`,
  }
}

/** An email in the language of its recipient: each phrase is a paragraph. */
export function letter({ language }: Organization, subject: Phrase, parts: (Phrase | Part)[]): EmailText {
  const write = writerIn(language)
  const written = parts.map((part) => (part instanceof Phrase ? paragraph(write(part)) : part))
  return compose(write(subject), written, { language })
}

const style =
  ':root { color-scheme: light dark; } body { font: 16px/1.5 system-ui, sans-serif; margin: 24px auto; max-width: 640px; padding: 0 16px; }'

export function compose(
  subject: string,
  parts: Part[],
  { look = style, language = 'en' }: { look?: string; language?: string } = {},
): EmailText {
  const body = parts.map(({ html }) => html).join('\n')
  return {
    subject,
    text: `${parts.map(({ text }) => text).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="${escapeHtml(language)}" dir="${isRightToLeft(language) ? 'rtl' : 'ltr'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title><style>${look}</style></head>\n<body>\n${body}\n</body></html>\n`,
  }
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

function isRightToLeft(language: string): boolean {
  return rightToLeft.has(language.split('-')[0]!)
}
