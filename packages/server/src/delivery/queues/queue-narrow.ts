import { lookup } from '@parley/api/lookup'
import { shownTopic, topicKey } from '../../conversations/messages/model/normalize-text.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { foldCase } from '../../platform/text.ts'

type Term = [operator: string, operand: string]

export interface NarrowedMessage {
  type: 'stream' | 'private'
  display_recipient: string | object[]
  subject: string
  sender_email: string
}

type Test = (operand: string, message: NarrowedMessage, flags: string[]) => boolean

const same = (a: string, b: string) => foldCase(a) === foldCase(b)

const inChannel: Test = (operand, message) =>
  message.type === 'stream' && same(String(message.display_recipient), operand)

const operators: Record<string, Test> = {
  channel: inChannel,
  stream: inChannel,
  topic: (operand, { type, subject }) =>
    type === 'stream' && [subject, shownTopic(subject, false)].some((topic) => topicKey(topic) === topicKey(operand)),
  sender: (operand, { sender_email }) => same(sender_email, operand),
  // Like Zulip, ignore unknown properties.
  is: (operand, message, flags) => lookup(properties, operand)?.(message, flags) ?? true,
}

const properties: Record<string, (message: NarrowedMessage, flags: string[]) => boolean> = {
  dm: ({ type }) => type === 'private',
  private: ({ type }) => type === 'private',
  starred: (_, flags) => flags.includes('starred'),
  unread: (_, flags) => !flags.includes('read'),
  mentioned: (_, flags) => flags.includes('mentioned'),
  alerted: (_, flags) => flags.includes('mentioned'),
  resolved: ({ type, subject }) => type === 'stream' && subject.startsWith('\u2714 '),
}

/** Refuses what queues do not support. Events do not say who follows a topic, and ignoring `followed` would match all. */
export function checkNarrow(narrow: Term[]): void {
  for (const [operator, operand] of narrow) {
    const name = operator.toLowerCase()
    if (!Object.hasOwn(operators, name)) throw new ApiError(`Operator ${operator} not supported.`)
    if (name === 'is' && operand === 'followed') throw new ApiError('Operator is:followed not supported.')
  }
}

export function matchesNarrow(narrow: Term[], message: NarrowedMessage, flags: string[]): boolean {
  return narrow.every(
    ([operator, operand]) => lookup(operators, operator.toLowerCase())?.(operand, message, flags) ?? true,
  )
}
