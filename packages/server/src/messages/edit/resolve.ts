import { emptyTopicDisplayName } from '@parley/api/common'

const mark = '\u2714'
const prefix = `${mark} `

/** Whether a rename only resolves or reopens the topic. */
export function isResolving(from: string, to: string): boolean {
  return isResolved(from) !== isResolved(to) && (isResolved(to) ? to === prefix + from : withoutMarks(from) === to)
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
