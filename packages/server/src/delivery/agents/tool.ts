import type { NarrowTerm } from '@parley/api/conversations/messages'
import { getMessages, type MessageObject } from '@parley/api/conversations/messages'
import { maxMessageLength, maxTopicLength } from '@parley/api/message-limits'
import type { Scope } from '@parley/api/scopes'
import { type Static, type TProperties, Type } from 'typebox'
import type { Database } from '../../platform/db/pool.ts'
import { type Agent, callOperation } from './call-operation.ts'

/** What an agent can call. `needs` are the scopes of its token. */
export interface Tool {
  name: string
  description: string
  needs: Scope[]
  input: TProperties
  run(agent: Agent, input: never, db: Database): Promise<string>
}

export function tool<Input extends TProperties>(
  declared: Omit<Tool, 'input' | 'run'> & {
    input: Input
    run(agent: Agent, input: Static<ReturnType<typeof Type.Object<Input>>>, db: Database): Promise<string>
  },
): Tool {
  return declared as unknown as Tool
}

export const channel_id = Type.Integer({ minimum: 1, description: 'From list_channels.' })
export const message_id = Type.Integer({ minimum: 1 })
export const topic = Type.String({ maxLength: maxTopicLength })
export const content = Type.String({ minLength: 1, maxLength: maxMessageLength, description: 'Markdown.' })
export const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default: 30.' }))
export const idempotency_key = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[!-~]+$',
  description: 'Choose a new one for each action and repeat it when you retry: then it happens once.',
})
export const usual = 30

interface Range {
  narrow: NarrowTerm[]
  anchor?: number | 'newest'
  before: number
  after?: number
}

export async function read(
  agent: Agent,
  { narrow, anchor = 'newest', before, after = 0 }: Range,
): Promise<MessageObject[]> {
  const include_anchor = anchor === 'newest' || after > 0
  const params = { narrow, anchor, include_anchor, num_before: before, num_after: after }
  const form = { apply_markdown: false, allow_empty_topic_name: true, client_gravatar: true }
  return (await callOperation(agent, getMessages, { ...params, ...form })).messages
}

export const inTopic = (channelId: number, name: string): NarrowTerm[] => [
  { operator: 'channel', operand: channelId },
  { operator: 'topic', operand: name },
]
