import type { MessageObject } from '@parley/api/conversations/messages'
import { topicKey } from '../store/topics.ts'

/** One condition of a narrow. Channels and users are named by id. */
export interface NarrowTerm {
  operator: string
  operand: string | number | number[]
  negated?: boolean
}
export type Narrow = readonly NarrowTerm[]

export const narrows = {
  feed: (): Narrow => [],
  channel: (id: number): Narrow => [{ operator: 'channel', operand: id }],
  topic: (id: number, topic: string): Narrow => [
    { operator: 'channel', operand: id },
    { operator: 'topic', operand: topic },
  ],
  direct: (userIds: readonly number[]): Narrow => [{ operator: 'dm', operand: [...userIds].sort((a, b) => a - b) }],
  is: (what: string): Narrow => [{ operator: 'is', operand: what }],
}

/** The same text for the same narrow. */
export function narrowKey(narrow: Narrow): string {
  return JSON.stringify(
    narrow.map(({ operator, operand, negated = false }) => [operator, foldTopic(operator, operand), negated]),
  )
}

function foldTopic(operator: string, operand: NarrowTerm['operand']): NarrowTerm['operand'] {
  return operator === 'topic' ? String(operand).toLowerCase() : operand
}

/** The topic that a narrow shows, if it shows exactly one. */
export function topicOf(narrow: Narrow): { stream_id: number; topic: string } | undefined {
  const [channel, topic] = narrow
  const isOne = narrow.length === 2 && isTerm(channel!, 'channel') && isTerm(topic!, 'topic')
  if (!isOne) return undefined
  return { stream_id: Number(channel!.operand), topic: String(topic!.operand) }
}

function isTerm({ operator, negated = false }: NarrowTerm, name: string): boolean {
  return operator === name && !negated
}

/** The channel that all messages of a narrow are in. */
export function channelOf(narrow: Narrow): number | undefined {
  const [channel] = narrow
  return channel && isTerm(channel, 'channel') ? Number(channel.operand) : undefined
}

/** The users of a direct conversation that a narrow shows; the viewer is not named. */
export function usersOf(narrow: Narrow): number[] | undefined {
  const [term] = narrow
  return narrow.length === 1 && isTerm(term!, 'dm') ? usersIn(term!.operand) : undefined
}

/** The users that an operand names. */
export function usersIn(operand: NarrowTerm['operand']): number[] {
  return Array.isArray(operand) ? operand : []
}

type Matcher = (message: MessageObject, operand: NarrowTerm['operand'], viewer: number) => boolean

const flagOf = new Map([
  ['starred', 'starred'],
  ['mentioned', 'mentioned'],
])

const matchers = new Map<string, Matcher>([
  ['channel', (message, id) => message.type === 'stream' && message.stream_id === id],
  [
    'topic',
    (message, topic) => message.type === 'stream' && topicKey(0, message.subject) === topicKey(0, String(topic)),
  ],
  [
    'dm',
    (message, users, viewer) =>
      message.type === 'private' && othersOf(message, viewer).join() === usersIn(users).join(),
  ],
  ['sender', (message, id) => message.sender_id === id],
  ['is', (message, what) => matchesFlag(message, String(what))],
])

function matchesFlag(message: MessageObject, what: string): boolean {
  if (what === 'dm') return message.type === 'private'
  if (what === 'unread') return !message.flags.includes('read')
  const flag = flagOf.get(what)
  const isMentioned = what === 'mentioned' && message.flags.some((one) => one.includes('wildcard_mentioned'))
  return isMentioned || (flag !== undefined && message.flags.some((one) => one === flag))
}

/** Whether a message belongs to a narrow; undefined if only the server can say. */
export function matches(narrow: Narrow, message: MessageObject, viewer: number): boolean | undefined {
  let isCertain = true
  for (const { operator, operand, negated = false } of narrow) {
    const matcher = matchers.get(operator)
    if (!matcher) isCertain = false
    else if (matcher(message, operand, viewer) === negated) return false
  }
  return isCertain ? true : undefined
}

/** The users of a direct message; none for a message in a channel. */
export function peopleOf({ display_recipient }: Pick<MessageObject, 'display_recipient'>): number[] {
  return typeof display_recipient === 'string' ? [] : display_recipient.map(({ id }) => id)
}

/** The other users of a direct message, ascending; the viewer alone for notes to oneself. */
export function othersOf(message: Pick<MessageObject, 'display_recipient'>, viewer: number): number[] {
  const ids = peopleOf(message).sort((a, b) => a - b)
  const others = ids.filter((id) => id !== viewer)
  return others.length === 0 ? ids : others
}
