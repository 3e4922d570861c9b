import { type Fields, listOf, textOf } from '../fields.ts'

/** The text of message attachments, in Mattermost's markup. Buttons and what they call never come along. */
export function attachmentsText(attachments: unknown): string {
  return listOf(attachments)
    .map((one) => attachmentText((one ?? {}) as Fields))
    .filter((text) => text !== '')
    .join('\n\n')
}

function attachmentText(one: Fields): string {
  const lines = [
    textOf(one.pretext),
    textOf(one.author_name),
    titleText(one),
    textOf(one.text),
    ...listOf(one.fields).map((field) => fieldText((field ?? {}) as Fields)),
    textOf(one.image_url),
    textOf(one.footer),
  ].filter((line) => line.trim() !== '')
  return lines.length > 0 ? lines.join('\n') : textOf(one.fallback)
}

function titleText(one: Fields): string {
  const [title, link] = [textOf(one.title), textOf(one.title_link)]
  if (title === '') return link
  return link === '' ? `**${title}**` : `**[${title}](${link})**`
}

/** A value may be a number. */
function fieldText({ title, value }: Fields): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : textOf(value)
  const name = textOf(title)
  return name === '' ? text : `**${name}:** ${text}`
}
