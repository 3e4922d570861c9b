import { emptyTopicDisplayName } from '@parley/api/common'
import type { NotificationReason } from '@parley/client/messages/notifications'
import type { Caller } from '../../callers/caller.ts'
import { escapeHtml } from '../../platform/html.ts'
import { headerText } from '../mail/header-text.ts'
import { compose, type EmailText, type Part, paragraph } from '../mail/templates.ts'
import { replyMarker } from '../mail-in/text/quote-words.ts'
import { type Conversation, conversationOf, hashOf, namelessHashOf } from '../notifications/conversation.ts'
import type { Decided } from '../notifications/decide.ts'
import { boxed, button, byline, design, heading, markerLine } from './email-design.ts'
import { messageBody } from './message-body.ts'
import { widgetBody } from './widget-body.ts'

/** What the email needs besides the messages. */
export interface Letter {
  viewer: Caller
  /** The URL of the realm. */
  url: string
  unsubscribeUrl: string
  /** Answers to it are posted; undefined: they are not. */
  replyAddress: string | undefined
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
  const replyTo = hidden === undefined ? replyToOf(letter) : undefined
  return {
    ...compose(
      headerText(`${subject}${organizationOf(letter.viewer)}`),
      [
        ...(replyTo ? [markerLine(replyMarker)] : []),
        boxed('sheet', [
          heading(letter.viewer.realm.name, headerText(subject)),
          ...content,
          button('Open the conversation', `${letter.url}/${hash}`),
        ]),
        boxed('footer', footer(letter, decided)),
      ],
      design,
    ),
    ...threadOf(letter, decided),
    ...replyTo,
    headers: {
      'List-Unsubscribe': `<${letter.unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

/** People answer what they have read. Where the text is hidden, they open the conversation. */
function replyToOf({ viewer, replyAddress }: Letter): Pick<EmailText, 'replyTo'> | undefined {
  return replyAddress === undefined ? undefined : { replyTo: { name: viewer.realm.name, address: replyAddress } }
}

/** Why the text of messages is left out; undefined: it is not. */
function hiddenBy({ realm, settings }: Caller): string | undefined {
  if (!realm.settings.message_content_allowed_in_email_notifications)
    return 'Your organization does not allow the text of messages in emails.'
  if (!settings.message_content_in_email_notifications)
    return 'Your notification settings leave out the text of messages.'
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

/** Under the name of each sender, what they wrote. */
function* shownMessages({ viewer, url, leavesOutEarlier }: Letter, decided: Decided[]): Iterable<Part> {
  if (leavesOutEarlier) yield paragraph('Earlier messages are left out.')
  const shown = withinLimits(decided)
  let last: Decided['message'] | undefined
  for (const { message } of shown) {
    if (!continues(message, last)) yield byline(headerText(message.sender_full_name), timeOf(viewer, message.timestamp))
    last = message
    const reading = { url, timeZone: viewer.timezone }
    const { text, html } = widgetBody(message.submessages) ?? messageBody(message.content, reading)
    yield { text: text.replace(/^(?=.)/gm, '  '), html: `<div class="message">${html}</div>` }
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

/** In seconds: messages of one sender within this time share a name and a time. */
const pause = 300

function continues({ sender_id, timestamp }: Decided['message'], last: Decided['message'] | undefined): boolean {
  return last?.sender_id === sender_id && timestamp - last.timestamp <= pause
}

/** In the reader's zone, which is named if it is not known. */
function timeOf({ timezone, settings }: Caller, timestamp: number): string {
  const clock = { hour: 'numeric', minute: '2-digit', hour12: !settings.twenty_four_hour_time } as const
  const day = { weekday: 'short', month: 'short', day: 'numeric' } as const
  const zone = timezone === '' ? ({ timeZone: 'UTC', timeZoneName: 'short' } as const) : { timeZone: timezone }
  return new Intl.DateTimeFormat('en', { ...day, ...clock, ...zone }).format(new Date(timestamp * 1000))
}

function footer({ viewer, url, unsubscribeUrl }: Letter, decided: Decided[]): Part[] {
  const why = `You got this email from ${viewer.realm.name} because ${reasonOf(viewer, decided)}.`
  return [
    { text: `--\n${why}`, html: `<p>${escapeHtml(why)}</p>` },
    link('Change your notification settings', `${url}/#settings/notifications`),
    link('Turn off these emails', unsubscribeUrl),
  ]
}

function link(label: string, url: string): Part {
  const html = `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`
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
