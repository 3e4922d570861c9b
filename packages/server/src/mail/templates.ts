import { escapeHtml } from '../messages/search-marks.ts'

/** What a mail says; who it is from and to stands elsewhere. */
export interface Letter {
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
export function deactivationLetter(organization: Organization, email: string, comment: string): Letter {
  const place = organization.url ? `${organization.name} (${organization.url})` : organization.name
  return letter(`Your account at ${organization.name} has been deactivated`, [
    paragraph(`Hello,`),
    paragraph(
      `your account ${email} at ${place} has been deactivated by an administrator, and you can no longer sign in.`,
    ),
    ...(comment === '' ? [] : [paragraph('The administrator adds:'), quotation(comment)]),
  ])
}

interface Part {
  text: string
  html: string
}

function paragraph(text: string): Part {
  return { text, html: `<p>${escapeHtml(text)}</p>` }
}

function quotation(text: string): Part {
  const lines = text.split(/\r?\n/)
  return {
    text: lines.map((line) => `> ${line}`).join('\n'),
    html: `<blockquote>${lines.map(escapeHtml).join('<br>')}</blockquote>`,
  }
}

function letter(subject: string, parts: Part[]): Letter {
  const body = parts.map(({ html }) => html).join('\n')
  return {
    subject,
    text: `${parts.map(({ text }) => text).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>\n<body>\n${body}\n</body></html>\n`,
  }
}
