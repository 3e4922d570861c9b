import type { NarrowTerm } from '@parley/api/conversations/messages'
import { lookup } from '@parley/api/lookup'
import type { Caller } from '../../../callers/caller.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { accessibleMessages } from '../model/access.ts'

export type Operand = string | number | (string | number)[]

export interface Term {
  operator: string
  operand: Operand
  negated: boolean
}

export class BadNarrow extends ApiError {
  constructor(desc: string) {
    super(`Invalid narrow operator: ${desc}`, 'BAD_NARROW', { fields: { desc } })
  }
}

const legacyNames: Record<string, string> = {
  stream: 'channel',
  streams: 'channels',
  'pm-with': 'dm',
  'group-dm-with': 'group-pm-with',
}

/** Decodes both forms of narrow terms and maps legacy operator names to current ones. */
export function readTerms(narrow: NarrowTerm[]): Term[] {
  return narrow.map((term) =>
    Array.isArray(term)
      ? { operator: currentName(String(term[0])), operand: term[1]!, negated: false }
      : { operator: currentName(term.operator), operand: term.operand, negated: term.negated ?? false },
  )
}

function currentName(operator: string): string {
  const name = operator.toLowerCase().replaceAll('_', '-')
  return lookup(legacyNames, name) ?? name
}

export function isTerm({ operator, operand, negated }: Term, name: string, value?: string): boolean {
  return !negated && operator === name && (value === undefined || operand === value)
}

function isDirectOperand(operand: Operand): boolean {
  return operand === 'dm' || operand === 'private'
}

function isChannelTerm({ operator, negated }: Term): boolean {
  return !negated && ['channel', 'channels', 'topic'].includes(operator)
}

/** Whether the term selects a channel, a topic of it, or no messages at all but the place to begin. */
export function isOfChannel({ operator, negated }: Term): boolean {
  return !negated && ['channel', 'topic', 'near'].includes(operator)
}

export function isDirectTerm({ operator, operand, negated }: Term): boolean {
  if (negated) return false
  if (operator === 'is') return isDirectOperand(operand)
  return ['dm', 'dm-including', 'group-pm-with'].includes(operator)
}

/** Whether only the few messages match that have a flag of the caller. */
export function isFlagTerm({ operator, operand, negated }: Term): boolean {
  return !negated && operator === 'is' && ['starred', 'mentioned', 'alerted'].includes(String(operand))
}

/** Whether the term matches so many messages that no index helps to find them. */
export function isVague({ operator, operand, negated }: Term): boolean {
  return (
    negated ||
    ['in', 'has', 'near', 'channels', 'search'].includes(operator) ||
    (operator === 'is' && isDirectOperand(operand))
  )
}

/** `is:resolved` and `is:followed` do not count: with direct messages they just match nothing, as in Zulip. */
export function refuseContradiction(terms: Term[]): void {
  if (terms.some(isChannelTerm) && terms.some(isDirectTerm))
    throw new BadNarrow('No message can be both a channel message and direct message')
}

/** A message id, as a number or a string of digits. */
export function messageIdOf(operand: Operand): number {
  const id = typeof operand === 'string' && /^\d{1,10}$/.test(operand) ? Number(operand) : operand
  if (typeof id !== 'number' || id < 0 || id > 2_147_483_647) throw new BadNarrow('Invalid message ID')
  return id
}

/** Replaces `with`, and any conversation that the narrow names, by the current conversation of its message. */
export async function resolveWith(db: Db, caller: Caller, terms: Term[]): Promise<Term[]> {
  const [withTerm, ...others] = terms.filter(({ operator }) => operator === 'with')
  if (!withTerm) return terms
  if (others.length > 0) throw new BadNarrow("Duplicate 'with' operators.")
  const [message] = await accessibleMessages(db, caller, [messageIdOf(withTerm.operand)])
  const rest = terms.filter((term) => term !== withTerm)
  if (!message) {
    if (namesConversation(rest)) return rest
    throw new BadNarrow("Invalid 'with' operator")
  }
  const place = await conversationTerms(db, caller, message)
  return [...rest.filter(({ operator }) => !['channel', 'topic', 'dm'].includes(operator)), ...place]
}

function namesConversation(terms: Term[]): boolean {
  const has = (name: string) => terms.some((term) => isTerm(term, name))
  return has('dm') || (has('channel') && has('topic'))
}

async function conversationTerms(
  db: Db,
  { realm_id }: Caller,
  message: { recipient_id: number; channel_id: number | null; topic_id: number | null },
): Promise<Term[]> {
  const { topic, user_ids } = await one<{ topic: string | null; user_ids: number[] | null }>(db)`
    select (select name from topics where realm_id = ${realm_id} and id = ${message.topic_id}) as topic,
           (select user_ids from direct_conversations where realm_id = ${realm_id} and recipient_id = ${message.recipient_id})`
  const term = (operator: string, operand: Operand) => ({ operator, operand, negated: false })
  if (message.channel_id === null) return [term('dm', user_ids!)]
  return [term('channel', message.channel_id), term('topic', topic!)]
}
