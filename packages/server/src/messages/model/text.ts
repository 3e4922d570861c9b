import { emptyTopicDisplayName, maxMessageLength, maxTopicLength } from '@parley/api/common'
import { ApiError } from '../../platform/http/api-error.ts'
import { firstCharacters, isPrintable, lengthOf } from '../../platform/text.ts'
import type { Realm } from '../../realms/state.ts'

const truncationNotice = '\n[message truncated]'

/** The content as it is stored: without trailing space and leading newlines, cut to the greatest length. */
export function normalizeContent(content: string): string {
  const text = content.trimEnd().replace(/^\n+/, '')
  if (text === '') throw new ApiError('Message must not be empty')
  // A string has at least as many UTF-16 units as characters: most need no counting.
  if (text.length <= maxMessageLength || lengthOf(text) <= maxMessageLength) return text
  return firstCharacters(text, maxMessageLength - truncationNotice.length) + truncationNotice
}

/** The topic as it is stored. */
export function normalizeTopic(topic: string): string {
  const name = topicName(topic)
  if (!isPrintable(name)) throw new ApiError('Invalid character in topic!')
  return cutTopic(name)
}

/** The name in full length. `(no topic)` and the empty topic's display name are the empty topic. */
export function topicName(topic: string): string {
  const name = topic.trim()
  return name === '(no topic)' || name === emptyTopicDisplayName ? '' : name
}

export function cutTopic(name: string): string {
  return lengthOf(name) <= maxTopicLength ? name : `${firstCharacters(name, maxTopicLength - 3)}...`
}

export function checkMandatoryTopic(realm: Realm, topic: string): void {
  if (topic === '' && realm.settings.mandatory_topics) throw new ApiError('Topics are required in this organization.')
}

/** The form in which topics are compared, which is that of the clients: case does not count, anything else does. */
export function topicKey(topic: string): string {
  return topic.toLowerCase()
}

/** What clients that do not know the empty topic are shown. */
export function shownTopic(topic: string, allowsEmpty: boolean): string {
  return topic === '' && !allowsEmpty ? emptyTopicDisplayName : topic
}

export function isMeMessage(content: string): boolean {
  return content.startsWith('/me ')
}
