import { emptyTopicDisplayName } from '@parley/api/common'
import { cutTopic } from '../model/normalize-text.ts'

const mark = '\u2714'
const prefix = `${mark} `

/** Whether a rename only resolves or reopens the topic. */
export function isResolving(from: string, to: string): boolean {
  return isResolved(from) !== isResolved(to) && (isResolved(to) ? to === prefix + from : withoutMarks(from) === to)
}

/** Whether the topic may have had this longer name before it was resolved: the mark left no room for all of it. */
export function mayBeCutName(resolved: string, name: string): boolean {
  return resolved !== prefix + name && resolved === cutTopic(prefix + name)
}

/** The name of a topic once it is resolved, not yet cut. */
export function resolvedName(topic: string): string {
  return prefix + topic
}

export function isResolved(topic: string): boolean {
  return topic.startsWith(prefix)
}

/** Whether the name is the empty topic with a resolved mark. The empty topic cannot be resolved. */
export function isResolvedEmpty(topic: string): boolean {
  return topic === mark || topic === prefix + emptyTopicDisplayName
}

function withoutMarks(topic: string): string {
  return topic.replace(/^[\u2714 ]+/, '')
}
