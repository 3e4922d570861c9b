import { emptyTopicDisplayName, maxMessageLength, maxTopicLength } from '@parley/api/common'
import type { Realm } from '../../../callers/realm-state.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { firstCharacters, isPrintable, lengthOf } from '../../../platform/text.ts'

const truncationNotice = '\n[message truncated]'

/** The content as it is stored: without trailing whitespace and leading newlines, truncated to the maximum length. */
export function normalizeContent(content: string): string {
  const text = content.trimEnd().replace(/^\n+/, '')
  if (text === '') throw new ApiError('Message must not be empty')
  // A string has at least as many UTF-16 units as characters, so short strings need no counting.
  if (text.length <= maxMessageLength || lengthOf(text) <= maxMessageLength) return text
  return firstCharacters(text, maxMessageLength - truncationNotice.length) + truncationNotice
}

/** The topic as it is stored: trimmed, truncated, and checked for unprintable characters. */
export function normalizeTopic(topic: string): string {
  const name = topicName(topic)
  if (!isPrintable(name)) throw new ApiError('Invalid character in topic!')
  return cutTopic(name)
}

/** The trimmed name, not truncated. `(no topic)` and the display name of the empty topic mean the empty topic. */
export function topicName(topic: string): string {
  const name = topic.trim()
  return name === '(no topic)' || name === emptyTopicDisplayName ? '' : name
}

export function cutTopic(name: string): string {
  return name.length <= maxTopicLength || lengthOf(name) <= maxTopicLength
    ? name
    : `${firstCharacters(name, maxTopicLength - 3)}...`
}

export function checkMandatoryTopic(realm: Realm, topic: string): void {
  if (topic === '' && realm.settings.mandatory_topics) throw new ApiError('Topics are required in this organization.')
}

/** The key by which topics are compared. Like in the clients, only case is ignored. */
export function topicKey(topic: string): string {
  return topic.toLowerCase()
}

/** The topic name for a client: clients without support for the empty topic get its display name. */
export function shownTopic(topic: string, allowsEmpty: boolean): string {
  return topic === '' && !allowsEmpty ? emptyTopicDisplayName : topic
}

export const mePrefix = '/me '

export function isMeMessage(content: string): boolean {
  return content.startsWith(mePrefix)
}
