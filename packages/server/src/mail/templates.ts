import { escapeHtml } from '../messages/fetch/search-highlights.ts'

/** What a mail says; who it is from and to stands elsewhere. */
export interface EmailText {
  subject: string
  text: string
  html: string
}

interface Organization {
  name: string
  /** Where people reach it, if that is known. */
  url: string | undefined
}

/** To somebody whose account was deactivated. An empty comment adds nothing. */
export function deactivationEmail(organization: Organization, email: string, comment: string): EmailText {
  const place = placeOf(organization)
  return letter(`Your account at ${organization.name} has been deactivated`, [
    paragraph(`Hello,`),
    paragraph(
      `your account ${email} at ${place} has been deactivated by an administrator, and you can no longer sign in.`,
    ),
    ...(comment === '' ? [] : [paragraph('The administrator adds:'), quotation(comment)]),
  ])
}

/** To an address that somebody wants for their account. Whoever gets it need not know of us. */
export function confirmationEmail(
  organization: Organization,
  email: string,
  newEmail: string,
  link: string,
): EmailText {
  return letter(`Confirm your new email address at ${organization.name}`, [
    paragraph('Hello,'),
    paragraph(
      `somebody asked to change the address of the account ${email} at ${placeOf(organization)} to ${newEmail}.`,
    ),
    paragraph('If that was you, follow this link within a day:'),
    linked(link),
    paragraph('If it was not you, you can ignore this mail: nothing changes.'),
  ])
}

/** To the address that an account had until now. */
export function emailChangedNotice(organization: Organization, oldEmail: string, newEmail: string): EmailText {
  return letter(`Your email address at ${organization.name} has been changed`, [
    paragraph('Hello,'),
    paragraph(`the address of your account at ${placeOf(organization)} is no longer ${oldEmail}, but ${newEmail}.`),
    paragraph('If you did not ask for that, tell an administrator of the organization at once.'),
  ])
}

function placeOf({ name, url }: Organization): string {
  return url ? `${name} (${url})` : name
}

interface Part {
  text: string
  html: string
}

function paragraph(text: string): Part {
  return { text, html: `<p>${escapeHtml(text)}</p>` }
}

function linked(url: string): Part {
  return { text: url, html: `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>` }
}

function quotation(text: string): Part {
  const lines = text.split(/\r?\n/)
  return {
    text: lines.map((line) => `> ${line}`).join('\n'),
    html: `<blockquote>${lines.map(escapeHtml).join('<br>')}</blockquote>`,
  }
}

function letter(subject: string, parts: Part[]): EmailText {
  const body = parts.map(({ html }) => html).join('\n')
  return {
    subject,
    text: `${parts.map(({ text }) => text).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>\n<body>\n${body}\n</body></html>\n`,
  }
}
