import { emptyTopicDisplayName } from '@parley/api/common'
import type { NotificationReason } from '@parley/client/notifications'
import { compose, type EmailText, type Part, paragraph } from '../mail/templates.ts'
import { type Conversation, conversationOf, hashOf, namelessHashOf } from '../notifications/conversation.ts'
import type { Decided } from '../notifications/decide.ts'
import { escapeHtml } from '../platform/html.ts'
import { firstCharacters } from '../platform/text.ts'
import type { Caller } from '../users/caller.ts'
import { messageBody } from './message-body.ts'

/** What the email needs besides the messages. */
export interface Letter {
  viewer: Caller
  /** The URL of the realm. */
  url: string
  unsubscribeUrl: string
  /** Identifies the conversation within the realm. */
  conversation: string
  /** There may be unread messages before those of the email. */
  leavesOutEarlier: boolean
}

/** More are only counted: some email programs cut emails of more than 100 kB. */
const maxShown = 20
/** The rendered messages of an email in characters: formulas can make a short message very long. */
const maxRendered = 200_000

/** An email about the messages of one conversation, in their order. */
export function writeEmail(letter: Letter, decided: Decided[]): EmailText {
  const conversation = conversationOf(letter.viewer, decided[0]!.message)
  const hidden = hiddenBy(letter.viewer)
  const content =
    hidden === undefined ? [...shownMessages(letter, decided)] : [paragraph(countOf(decided.length)), paragraph(hidden)]
  const first = decided[0]!.message.id
  const hash = hidden === undefined ? hashOf(conversation, first) : namelessHashOf(conversation, first)
  const subject = hidden === undefined ? subjectOf(conversation) : 'New messages'
  return {
    ...compose(oneLine(`${subject}${organizationOf(letter.viewer)}`), [...content, ...footer(letter, decided, hash)]),
    ...threadOf(letter, decided),
    headers: {
      'List-Unsubscribe': `<${letter.unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

/** Why the text of messages is left out; undefined: it is not. */
function hiddenBy({ realm, settings }: Caller): string | undefined {
  if (!realm.settings.message_content_allowed_in_email_notifications)
    return 'The organization does not allow the text of messages in emails.'
  if (!settings.message_content_in_email_notifications)
    return 'The text is left out, because you chose so in your notification settings.'
  return undefined
}

function countOf(count: number): string {
  return count === 1 ? 'You have a new message.' : `You have ${count} new messages.`
}

function subjectOf(conversation: Conversation): string {
  if (conversation.kind === 'direct')
    return `Direct messages with ${listed(conversation.people.map(({ full_name }) => full_name))}`
  return `#${conversation.channel} > ${conversation.topic || emptyTopicDisplayName}`
}

const maxNames = 3

function listed(names: string[]): string {
  const rest = names.length - maxNames
  const shown = rest > 0 ? [...names.slice(0, maxNames), rest === 1 ? '1 other' : `${rest} others`] : names
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : (shown[0] ?? 'yourself')
}

const always = 2

function organizationOf({ realm, settings }: Caller): string {
  return settings.realm_name_in_email_notifications_policy === always ? ` [${realm.name}]` : ''
}

/** Names can contain characters that break a line or turn the direction of the text around. */
function oneLine(text: string): string {
  return firstCharacters(
    text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim(),
    200,
  )
}

/** Under the name of each sender, what they wrote. */
function* shownMessages({ viewer, url, leavesOutEarlier }: Letter, decided: Decided[]): Iterable<Part> {
  if (leavesOutEarlier) yield paragraph('Earlier messages are left out.')
  const shown = withinLimits(decided)
  let sender: number | undefined
  for (const { message } of shown) {
    if (message.sender_id !== sender) yield nameOf(message.sender_full_name)
    sender = message.sender_id
    const { text, html } = messageBody(message.content, { url, timeZone: viewer.timezone })
    yield { text: text.replace(/^(?=.)/gm, '  '), html: `<div>${html}</div>` }
  }
  const more = decided.length - shown.length
  if (shown.length === 0) yield paragraph(`${countOf(more)} The text is too long for an email.`)
  else if (more > 0) yield paragraph(more === 1 ? 'And 1 more message.' : `And ${more} more messages.`)
}

function withinLimits(decided: Decided[]): Decided[] {
  let length = 0
  return decided.slice(0, maxShown).filter(({ message }) => {
    length += message.content.length
    return length <= maxRendered
  })
}

function nameOf(name: string): Part {
  const text = oneLine(name)
  return { text: `${text}:`, html: `<p style="margin-bottom: 0;"><strong>${escapeHtml(text)}</strong></p>` }
}

function footer({ viewer, url, unsubscribeUrl }: Letter, decided: Decided[], hash: string): Part[] {
  const why = `You got this email from ${viewer.realm.name} because ${reasonOf(viewer, decided)}.`
  return [
    link('Open the conversation', `${url}/${hash}`),
    { text: `--\n${why}`, html: `<hr><p><small>${escapeHtml(why)}</small></p>` },
    link('Change your notification settings', `${url}/#settings/notifications`, 'small'),
    link('Turn off these emails', unsubscribeUrl, 'small'),
  ]
}

function link(label: string, url: string, element = 'span'): Part {
  const html = `<p><${element}><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></${element}></p>`
  return { text: `${label}: ${url}`, html }
}

const reasons: Partial<Record<NotificationReason, string>> = {
  direct: 'you have unread direct messages',
  mentioned: 'you were mentioned',
  alertWord: 'a message contains one of your alert words',
  everyone: 'everyone was mentioned',
  followed: 'you follow this topic',
  channel: 'you chose to get emails about all messages in this channel',
}

/** The most personal reason of all messages. */
function reasonOf({ id }: Caller, decided: Decided[]): string {
  for (const [reason, text] of Object.entries(reasons)) {
    const found = decided.filter(({ decision }) => decision.email === reason)
    if (found.length === 0) continue
    const isByGroup = reason === 'mentioned' && !found.some(({ message }) => mentions(message.content, id))
    return isByGroup ? 'a group that you belong to was mentioned' : text
  }
  return 'of your settings'
}

function mentions(html: string, userId: number): boolean {
  return html.includes(`<span class="user-mention" data-user-id="${userId}">`)
}

/** A repeated email has the same id. The emails about a conversation refer to the same root, which need not exist. */
function threadOf(
  { viewer, url, conversation }: Letter,
  decided: Decided[],
): Pick<EmailText, 'messageId' | 'references'> {
  const host = new URL(url).hostname
  const last = decided.at(-1)!.message.id
  return {
    messageId: `<${viewer.realm_id}.${viewer.id}.${last}@${host}>`,
    references: `<${viewer.realm_id}.${conversation}@${host}>`,
  }
}
