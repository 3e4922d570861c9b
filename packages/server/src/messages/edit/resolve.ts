import { emptyTopicDisplayName } from '@parley/api/common'

const mark = '\u2714'
const prefix = `${mark} `

/** Whether a change of the topic's name only says that it is resolved, or that it no longer is. */
export function isResolving(from: string, to: string): boolean {
  return isResolved(from) !== isResolved(to) && (isResolved(to) ? to === prefix + from : withoutMarks(from) === to)
}

export function isResolved(topic: string): boolean {
  return topic.startsWith(prefix)
}

/** The empty topic cannot be resolved, under neither of its names. */
export function isResolvedEmpty(topic: string): boolean {
  return topic === mark || topic === prefix + emptyTopicDisplayName
}

function withoutMarks(topic: string): string {
  return topic.replace(/^[\u2714 ]+/, '')
}
