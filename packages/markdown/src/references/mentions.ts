import type { MentionableGroup, MentionableUser } from '../context.ts'
import { attributes, escapeText } from '../html.ts'
import type { Inline } from '../inline/inline.ts'
import type { Message } from '../message.ts'
import { replaceKnown } from '../text.ts'

const userMention = /(?<![^\s'"({[/<])@(_?)\*\*([^*]+)\*\*/g
const groupMention = /(?<![^\s'"({[/<])@(_?)\*([^*]+)\*/g

/** Names that mention all subscribers of the channel. */
export const channelWildcards: ReadonlySet<string> = new Set(['all', 'everyone', 'channel', 'stream'])
/** The name that mentions all participants of the topic. */
export const topicWildcard = 'topic'

// System groups are shown with readable names.
const systemGroupNames = new Map<string, string>(
  Object.entries({
    'role:owners': 'Owners',
    'role:administrators': 'Administrators',
    'role:moderators': 'Moderators',
    'role:fullmembers': 'Full members',
    'role:members': 'Members',
    'role:everyone': 'Everyone',
    'role:internet': 'Everyone on the internet',
    'role:nobody': 'Nobody',
  }),
)

/** `@**Name**`, `@**Name|12**`, `@**|12**`, the wildcards, and their silent forms with `@_`. */
export function userMentions(text: string, inline: Inline): string {
  return replaceKnown(text, userMention, (source = '', underscore, name = '') => {
    const silent = underscore === '_' || inline.quoted
    const html = wildcardHtml(name, silent, inline.message) ?? userHtml(name, silent, inline.message)
    return html && inline.keep(html, source)
  })
}

/** `@*group*` and its silent form. */
export function groupMentions(text: string, inline: Inline): string {
  return replaceKnown(text, groupMention, (source = '', underscore, name = '') => {
    const group = inline.message.groupNamed(name)
    return group && inline.keep(groupHtml(group, underscore === '_' || inline.quoted, inline.message), source)
  })
}

/** The parts of `Name|12`; a plain name has no ID, `|12` no name. */
export function parseUserName(text: string): { name?: string; id?: number } {
  const parts = /^(.*)\|(\d+)$/s.exec(text)
  if (!parts) return { name: text }
  const id = Number(parts[2])
  return parts[1] ? { name: parts[1], id } : { id }
}

function wildcardHtml(name: string, silent: boolean, message: Message): string | undefined {
  if (name === topicWildcard) {
    if (!silent) message.topicWildcard = true
    return span('topic-mention', {}, name, silent)
  }
  if (!channelWildcards.has(name)) return undefined
  if (!silent) message.channelWildcard = true
  return span('user-mention channel-wildcard-mention', { 'data-user-id': '*' }, name, silent)
}

const channelWildcardHtml = '<span class="user-mention channel-wildcard-mention" '
const topicWildcardHtml = '<span class="topic-mention">'

/** The wildcards that rendered HTML mentions, not counting silent ones. In any text `<` is escaped. */
export function wildcardsIn(html: string): { channelWildcard: boolean; topicWildcard: boolean } {
  return { channelWildcard: html.includes(channelWildcardHtml), topicWildcard: html.includes(topicWildcardHtml) }
}

function userHtml(text: string, wantedSilent: boolean, message: Message): string | undefined {
  const user = findUser(text, message)
  if (!user) return undefined
  const silent = wantedSilent || !user.is_active
  if (!silent) message.mentionedUserIds.add(user.id)
  return span('user-mention', { 'data-user-id': String(user.id) }, user.full_name, silent)
}

function findUser(text: string, message: Message): MentionableUser | undefined {
  const { name, id } = parseUserName(text)
  if (id === undefined) return message.userNamed(text)
  const user = message.userWithId(id)
  return name === undefined || user?.full_name === name ? user : undefined
}

function groupHtml(group: MentionableGroup, wantedSilent: boolean, message: Message): string {
  const silent = wantedSilent || group.deactivated === true
  if (!silent) message.mentionedGroupIds.add(group.id)
  const name = systemGroupNames.get(group.name) ?? group.name
  return span('user-group-mention', { 'data-user-group-id': String(group.id) }, name, silent)
}

function span(kind: string, data: Record<string, string>, name: string, silent: boolean): string {
  const classes = silent ? `${kind} silent` : kind
  return `<span${attributes({ class: classes, ...data })}>${silent ? '' : '@'}${escapeText(name)}</span>`
}
