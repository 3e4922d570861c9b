import * as channels from '@parley/api/conversations/channels'
import { editMessage } from '@parley/api/conversations/editing'
import { getMessages, type MessageObject, type NarrowTerm, sendMessage } from '@parley/api/conversations/messages'
import { addReaction } from '@parley/api/conversations/reactions'
import { textLimits } from '@parley/api/limits'
import { maxMessageLength, maxTopicLength } from '@parley/api/message-limits'
import { getUsers } from '@parley/api/people/users'
import type { Scope } from '@parley/api/scopes'
import { type Static, type TProperties, Type } from 'typebox'
import type { Database } from '../../platform/db/pool.ts'
import { accessAgentMessage, checkChannel, placesOf, spend } from './agent-limits.ts'
import { type Agent, callOperation, ToolRefusal } from './call-operation.ts'
import { listResult, messagesResult } from './results.ts'

/** What an agent can call. `needs` are the scopes of its token. */
export interface Tool {
  name: string
  description: string
  needs: Scope[]
  input: TProperties
  run(agent: Agent, input: never, db: Database): Promise<string>
}

function tool<Input extends TProperties>(
  declared: Omit<Tool, 'input' | 'run'> & {
    input: Input
    run(agent: Agent, input: Static<ReturnType<typeof Type.Object<Input>>>, db: Database): Promise<string>
  },
): Tool {
  return declared as unknown as Tool
}

const channel_id = Type.Integer({ minimum: 1, description: 'From list_channels.' })
const message_id = Type.Integer({ minimum: 1 })
const topic = Type.String({ maxLength: maxTopicLength })
const content = Type.String({ minLength: 1, maxLength: maxMessageLength, description: 'Markdown.' })
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default: 30.' }))
const idempotency_key = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[!-~]+$',
  description: 'Choose a new one for each action and repeat it when you retry: then it happens once.',
})
const usual = 30
const resolvedMark = '✔ '

interface Range {
  narrow: NarrowTerm[]
  anchor?: number | 'newest'
  before: number
  after?: number
}

async function read(agent: Agent, { narrow, anchor = 'newest', before, after = 0 }: Range): Promise<MessageObject[]> {
  const include_anchor = anchor === 'newest' || after > 0
  const params = { narrow, anchor, include_anchor, num_before: before, num_after: after }
  const form = { apply_markdown: false, allow_empty_topic_name: true, client_gravatar: true }
  return (await callOperation(agent, getMessages, { ...params, ...form })).messages
}

async function readIn(agent: Agent, places: NarrowTerm[][], terms: NarrowTerm[], before: number) {
  const found = await Promise.all(places.map((place) => read(agent, { narrow: [...place, ...terms], before })))
  return found
    .flat()
    .sort((a, b) => a.id - b.id)
    .slice(-before)
}

const inTopic = (channelId: number, name: string): NarrowTerm[] => [
  { operator: 'channel', operand: channelId },
  { operator: 'topic', operand: name },
]

/** A file that others may not see would be shown to those who read the message. */
function refuseFiles({ credential }: Agent, text: string): void {
  if (credential.agent!.channel_ids !== null && text.includes('user_uploads/'))
    throw new ToolRefusal('Agents that are limited to channels cannot link uploaded files.')
}

const reading: Tool[] = [
  tool({
    name: 'list_channels',
    description: 'List the channels that you may use, with their descriptions.',
    needs: ['read'],
    input: {},
    run: async (agent) => {
      const allowed = agent.credential.agent!.channel_ids
      const { streams } = await callOperation(agent, channels.getChannels, { include_can_access_content: true })
      const shown = streams.filter(({ stream_id }) => allowed === null || allowed.includes(stream_id))
      return listResult(
        'channels',
        shown.map(({ stream_id, name, description }) => ({ channel_id: stream_id, name, description })),
      )
    },
  }),
  tool({
    name: 'list_topics',
    description: 'List the topics of a channel, most recently active first.',
    needs: ['read'],
    input: { channel_id },
    run: async (agent, input) => {
      checkChannel(agent, input.channel_id)
      const path = { stream_id: input.channel_id }
      const { topics } = await callOperation(agent, channels.getTopics, { path, allow_empty_topic_name: true })
      return listResult(
        'topics',
        topics.map(({ name, max_id }) => ({ topic: name, newest_message_id: max_id })),
      )
    },
  }),
  tool({
    name: 'read_topic',
    description: 'Read the newest messages of a topic, or those before a message, oldest first.',
    needs: ['read'],
    input: { channel_id, topic, before: Type.Optional(message_id), limit },
    run: async (agent, input) => {
      checkChannel(agent, input.channel_id)
      const anchor = input.before ?? 'newest'
      const narrow = inTopic(input.channel_id, input.topic)
      return messagesResult(await read(agent, { narrow, anchor, before: input.limit ?? usual }))
    },
  }),
  tool({
    name: 'read_thread_around',
    description: 'Read the messages of a topic around one of them.',
    needs: ['read'],
    input: { message_id, limit },
    run: async (agent, input) => {
      const message = await accessAgentMessage(agent, input.message_id)
      if (message.stream_id === undefined) return messagesResult([message])
      const half = Math.ceil((input.limit ?? usual) / 2)
      const narrow = inTopic(message.stream_id, message.subject)
      return messagesResult(await read(agent, { narrow, anchor: message.id, before: half, after: half }))
    },
  }),
  tool({
    name: 'search_messages',
    description: 'Search messages by words, in one channel or in all that you may use. Newest last.',
    needs: ['read'],
    input: { query: Type.String({ minLength: 1, maxLength: 500 }), channel_id: Type.Optional(channel_id), limit },
    run: async (agent, { query, channel_id: channelId, limit: most = usual }) =>
      messagesResult(await readIn(agent, placesOf(agent, channelId), [{ operator: 'search', operand: query }], most)),
  }),
  tool({
    name: 'my_unread',
    description: 'Read what the user has not read yet, in one channel or in all that you may use.',
    needs: ['read'],
    input: { channel_id: Type.Optional(channel_id), limit },
    run: async (agent, { channel_id: channelId, limit: most = usual }) =>
      messagesResult(await readIn(agent, placesOf(agent, channelId), [{ operator: 'is', operand: 'unread' }], most)),
  }),
  tool({
    name: 'who_is',
    description: 'Find people and bots by a part of their name.',
    needs: ['read'],
    input: { name: Type.String({ minLength: 1, maxLength: 100 }) },
    run: async (agent, { name }) => {
      const { members } = await callOperation(agent, getUsers, {})
      const found = members.filter(({ full_name }) => full_name.toLowerCase().includes(name.toLowerCase()))
      return listResult(
        'people',
        found.map(({ user_id, full_name, is_bot, is_active }) => ({ user_id, full_name, is_bot, is_active })),
      )
    },
  }),
]

const writing: Tool[] = [
  tool({
    name: 'send_message',
    description: 'Send a message to a topic of a channel. It is marked as written by an agent.',
    needs: ['send'],
    input: { channel_id, topic, content, idempotency_key },
    run: async (agent, input, db) => {
      checkChannel(agent, input.channel_id)
      refuseFiles(agent, input.content)
      await spend(db, agent)
      const params = { type: 'channel' as const, to: input.channel_id, topic: input.topic, content: input.content }
      const client = `agent ${agent.credential.name}`
      const sent = await callOperation(agent, sendMessage, { ...params, client } as never, input.idempotency_key)
      return JSON.stringify({ message_id: (sent as { id: number }).id })
    },
  }),
  tool({
    name: 'edit_my_message',
    description: 'Replace the content of a message that you have sent.',
    needs: ['read', 'send'],
    input: { message_id, content, idempotency_key },
    run: async (agent, input, db) => {
      refuseFiles(agent, input.content)
      await accessAgentMessage(agent, input.message_id)
      await spend(db, agent)
      const params = { path: { message_id: input.message_id }, content: input.content }
      await callOperation(agent, editMessage, params, input.idempotency_key)
      return JSON.stringify({ edited: input.message_id })
    },
  }),
  tool({
    name: 'react',
    description: 'Add an emoji reaction to a message, such as tada.',
    needs: ['read', 'send'],
    input: { message_id, emoji_name: Type.String({ minLength: 1, maxLength: textLimits.storageKey }), idempotency_key },
    run: async (agent, input, db) => {
      await accessAgentMessage(agent, input.message_id)
      await spend(db, agent)
      const params = { path: { message_id: input.message_id }, emoji_name: input.emoji_name }
      await callOperation(agent, addReaction, params, input.idempotency_key)
      return JSON.stringify({ reacted_to: input.message_id })
    },
  }),
  tool({
    name: 'set_topic_resolved',
    description: 'Mark a topic as resolved, or as open again. The name of a resolved topic begins with ✔.',
    needs: ['read', 'send'],
    input: { channel_id, topic, resolved: Type.Boolean(), idempotency_key },
    run: async (agent, input, db) => {
      checkChannel(agent, input.channel_id)
      const [newest] = await read(agent, { narrow: inTopic(input.channel_id, input.topic), before: 1 })
      if (!newest) throw new ToolRefusal('There is no such topic.')
      const bare = newest.subject.startsWith(resolvedMark) ? newest.subject.slice(resolvedMark.length) : newest.subject
      const name = input.resolved ? `${resolvedMark}${bare}` : bare
      if (name === newest.subject) return JSON.stringify({ topic: name })
      await spend(db, agent)
      const params = { path: { message_id: newest.id }, topic: name, propagate_mode: 'change_all' as const }
      await callOperation(agent, editMessage, params, input.idempotency_key)
      return JSON.stringify({ topic: name })
    },
  }),
]

export const tools: readonly Tool[] = [...reading, ...writing]
