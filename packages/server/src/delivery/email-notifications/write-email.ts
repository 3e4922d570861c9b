import { emptyTopicDisplayName } from '@parley/api/common'
import type { NotificationReason } from '@parley/client/messages/notifications'
import type { Caller } from '../../callers/caller.ts'
import { escapeHtml, type Phrase, say } from '../../platform/html.ts'
import { type Write, writerIn } from '../../platform/translations.ts'
import { headerText } from '../mail/header-text.ts'
import { compose, type EmailText, type Part, paragraph } from '../mail/templates.ts'
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
  /** Mutes the topic; undefined for direct messages. */
  muteUrl: string | undefined
  /** `n.%s@chat.example.com`: each sender writes from an address of their own. */
  fromPattern: string | undefined
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
  const write = writerIn(letter.viewer.settings.default_language)
  const hidden = hiddenBy(letter.viewer)
  const content =
    hidden === undefined
      ? [...shownMessages(letter, decided, write)]
      : [paragraph(write(countOf(decided.length))), paragraph(write(hidden))]
  const first = decided[0]!.message.id
  const hash = hidden === undefined ? hashOf(conversation, first) : namelessHashOf(conversation, first)
  const subject = hidden === undefined ? subjectOf(conversation, write, letter.viewer) : write(say('New messages'))
  const replyTo = hidden === undefined ? replyToOf(letter) : undefined
  return {
    ...compose(
      headerText(`${subject}${organizationOf(letter.viewer)}`),
      [
        ...(replyTo ? [markerLine(write(say('— Write above this line to reply —')))] : []),
        boxed('sheet', [
          heading(letter.viewer.realm.name, headerText(subject)),
          ...content,
          button(write(say('Open the conversation')), `${letter.url}/${hash}`),
        ]),
        boxed('footer', footer(letter, decided, write)),
      ],
      { look: design, language: letter.viewer.settings.default_language },
    ),
    ...threadOf(letter, decided),
    ...replyTo,
    ...(hidden === undefined && fromOf(letter, decided)),
    headers: {
      'List-Id': `<${letter.conversation}.realm-${letter.viewer.realm_id}.${new URL(letter.url).hostname}>`,
      'X-Parley-Reason': mostPersonal(decided) ?? 'settings',
      'List-Unsubscribe': `<${letter.unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

/** People answer what they have read. Where the text is hidden, they open the conversation. */
function replyToOf({ viewer, replyAddress }: Letter): Pick<EmailText, 'replyTo'> | undefined {
  return replyAddress === undefined ? undefined : { replyTo: { name: viewer.realm.name, address: replyAddress } }
}

/** In the name of the sender, if one person wrote, and the operator has addresses for that. */
function fromOf({ viewer, fromPattern }: Letter, decided: Decided[]): Pick<EmailText, 'from'> | undefined {
  const [first, ...others] = decided.map(({ message }) => message)
  if (fromPattern === undefined || others.some(({ sender_id }) => sender_id !== first!.sender_id)) return undefined
  const name = `${first!.sender_full_name} (${viewer.realm.name})`
  return { from: { name, address: fromPattern.replace('%s', String(first!.sender_id)) } }
}

/** Why the text of messages is left out; undefined: it is not. */
function hiddenBy({ realm, settings }: Caller): Phrase | undefined {
  if (!realm.settings.message_content_allowed_in_email_notifications)
    return say('Your organization does not allow the text of messages in emails.')
  if (!settings.message_content_in_email_notifications)
    return say('Your notification settings leave out the text of messages.')
  return undefined
}

function countOf(count: number): Phrase {
  return count === 1 ? say('You have a new message.') : say('You have {count} new messages.', { count })
}

function subjectOf(conversation: Conversation, write: Write, { settings }: Caller): string {
  if (conversation.kind === 'channel')
    return `#${conversation.channel} > ${conversation.topic || emptyTopicDisplayName}`
  const names = conversation.people.map(({ full_name }) => full_name)
  return write(say('Direct messages with {names}', { names: listed(names, write, settings.default_language) }))
}

const maxNames = 3

function listed(names: string[], write: Write, language: string): string {
  const count = names.length - maxNames
  const others = count > 1 ? say('{count} others', { count }) : say('1 other')
  const shown = count > 0 ? [...names.slice(0, maxNames), write(others)] : names
  if (shown.length === 0) return write(say('yourself'))
  // British English has no comma before the last name.
  return new Intl.ListFormat(language === 'en' ? 'en-GB' : language).format(shown)
}

const always = 2

function organizationOf({ realm, settings }: Caller): string {
  return settings.realm_name_in_email_notifications_policy === always ? ` [${realm.name}]` : ''
}

/** Under the name of each sender, what they wrote. */
function* shownMessages({ viewer, url, leavesOutEarlier }: Letter, decided: Decided[], write: Write): Iterable<Part> {
  if (leavesOutEarlier) yield paragraph(write(say('Earlier messages are left out.')))
  const shown = withinLimits(decided)
  let last: Decided['message'] | undefined
  for (const { message } of shown) {
    if (!continues(message, last)) yield byline(headerText(message.sender_full_name), timeOf(viewer, message.timestamp))
    last = message
    const reading = { url, timeZone: viewer.timezone }
    const { text, html } = widgetBody(message.submessages, write) ?? messageBody(message.content, reading)
    yield { text: text.replace(/^(?=.)/gm, '  '), html: `<div class="message">${html}</div>` }
  }
  const more = decided.length - shown.length
  if (shown.length === 0) yield paragraph(`${write(countOf(more))} ${write(say('The text is too long for an email.'))}`)
  else if (more > 0)
    yield paragraph(write(more === 1 ? say('And 1 more message.') : say('And {count} more messages.', { count: more })))
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
  return new Intl.DateTimeFormat(settings.default_language, { ...day, ...clock, ...zone }).format(
    new Date(timestamp * 1000),
  )
}

function footer({ viewer, url, unsubscribeUrl, muteUrl }: Letter, decided: Decided[], write: Write): Part[] {
  const why = write(reasonOf(viewer, decided))
  return [
    { text: `--\n${why}`, html: `<p>${escapeHtml(why)}</p>` },
    ...(muteUrl === undefined ? [] : [link(write(say('Mute this topic')), muteUrl)]),
    link(write(say('Change your notification settings')), `${url}/#settings/notifications`),
    link(write(say('Turn off these emails')), unsubscribeUrl),
  ]
}

function link(label: string, url: string): Part {
  const html = `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`
  return { text: `${label}: ${url}`, html }
}

type Organization = { organization: string }

/** The most personal reason first. */
const reasons: Partial<Record<NotificationReason, (values: Organization) => Phrase>> = {
  direct: (values) => say('You got this email from {organization} because you have unread direct messages.', values),
  mentioned: (values) => say('You got this email from {organization} because you were mentioned.', values),
  alertWord: (values) =>
    say('You got this email from {organization} because a message contains one of your alert words.', values),
  everyone: (values) => say('You got this email from {organization} because everyone was mentioned.', values),
  followed: (values) => say('You got this email from {organization} because you follow this topic.', values),
  channel: (values) =>
    say(
      'You got this email from {organization} because you chose to get emails about all messages in this channel.',
      values,
    ),
}

function mostPersonal(decided: Decided[]): NotificationReason | undefined {
  const found = Object.keys(reasons).find((reason) => decided.some(({ decision }) => decision.email === reason))
  return found as NotificationReason | undefined
}

function reasonOf({ id, realm }: Caller, decided: Decided[]): Phrase {
  const values = { organization: realm.name }
  const reason = mostPersonal(decided)
  const found = decided.filter(({ decision }) => decision.email === reason)
  if (reason === 'mentioned' && !found.some(({ message }) => mentions(message.content, id)))
    return say('You got this email from {organization} because a group that you belong to was mentioned.', values)
  const write = reason && reasons[reason]
  return write?.(values) ?? say('You got this email from {organization} because of your settings.', values)
}

function mentions(html: string, userId: number): boolean {
  return html.includes(`<span class="user-mention" data-user-id="${userId}">`)
}

/** A repeated email has the same id. The emails about a conversation refer to the same root, which need not exist. */
function threadOf(
  { viewer, url, conversation }: Letter,
  decided: Decided[],
): Pick<EmailText, 'messageId' | 'references' | 'inReplyTo'> {
  const host = new URL(url).hostname
  const last = decided.at(-1)!.message.id
  const root = `<${viewer.realm_id}.${conversation}@${host}>`
  return {
    messageId: `<${viewer.realm_id}.${viewer.id}.${last}@${host}>`,
    references: root,
    inReplyTo: root,
  }
}
