import { editMessage } from '@parley/api/conversations/editing'
import { sendMessage } from '@parley/api/conversations/messages'
import { addReaction } from '@parley/api/conversations/reactions'
import { textLimits } from '@parley/api/limits'
import { maxMessageLength } from '@parley/api/message-limits'
import { Type } from 'typebox'
import { accessAgentMessage, checkChannel, spend } from './agent-limits.ts'
import { askUser } from './ask-user.ts'
import { type Agent, callOperation, ToolRefusal } from './call-operation.ts'
import { channel_id, content, idempotency_key, inTopic, message_id, read, type Tool, tool, topic } from './tool.ts'

const shortLabel = Type.String({ minLength: 1, maxLength: 100 })
const resolvedMark = '✔ '

/** A file that others may not see would be shown to those who read the message. */
function refuseFiles({ credential }: Agent, text: string): void {
  if (credential.agent!.channel_ids !== null && text.includes('user_uploads/'))
    throw new ToolRefusal('Agents that are limited to channels cannot link uploaded files.')
}

export const writingTools: Tool[] = [
  tool({
    name: 'send_message',
    description: 'Send a message to a topic of a channel. It is marked as written by an agent.',
    needs: ['send'],
    input: {
      channel_id,
      topic,
      content,
      streaming: Type.Optional(
        Type.Boolean({ description: 'More text follows: add it with edit_my_message, and end with done.' }),
      ),
      idempotency_key,
    },
    run: async (agent, input, db) => {
      checkChannel(agent, input.channel_id)
      refuseFiles(agent, input.content)
      await spend(db, agent)
      const { content, streaming } = input
      const place = { type: 'channel' as const, to: input.channel_id, topic: input.topic }
      const params = { ...place, content, ...(streaming && { streaming }) }
      const client = `agent ${agent.credential.name}`
      const sent = await callOperation(agent, sendMessage, { ...params, client } as never, input.idempotency_key)
      return JSON.stringify({ message_id: sent.id, ...(streaming && { length: sent.length }) })
    },
  }),
  tool({
    name: 'edit_my_message',
    description: 'Replace the content of a message that you have sent, or add to one that you stream.',
    needs: ['read', 'send'],
    input: {
      message_id,
      content: Type.Optional(content),
      delta: Type.Optional(
        Type.String({ maxLength: maxMessageLength, description: 'Instead of content: what follows.' }),
      ),
      offset: Type.Optional(Type.Integer({ minimum: 0, description: 'The length so far.' })),
      done: Type.Optional(Type.Boolean({ description: 'With the last delta.' })),
      idempotency_key,
    },
    run: async (agent, { message_id: id, idempotency_key: key, content: text, ...part }, db) => {
      refuseFiles(agent, `${text} ${part.delta}`)
      await accessAgentMessage(agent, id)
      const isPart = part.delta !== undefined || part.done !== undefined
      if (isPart === (text !== undefined)) throw new ToolRefusal('Give content, or delta and done.')
      if (!isPart) await spend(db, agent) // a streamed message counts once
      const params = { path: { message_id: id }, ...(isPart ? part : { content: text }) }
      const { length } = await callOperation(agent, editMessage, params as never, key)
      return JSON.stringify({ edited: id, ...(length !== undefined && { length }) })
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
  tool({
    name: 'ask_user',
    description:
      'Ask the readers of a topic a question with buttons or a form. Call it later with message_id to read answers.',
    needs: ['read', 'send'],
    input: {
      channel_id: Type.Optional(channel_id),
      topic: Type.Optional(topic),
      question: Type.Optional(content),
      options: Type.Optional(Type.Array(shortLabel, { maxItems: 20, uniqueItems: true })),
      fields: Type.Optional(
        Type.Array(
          Type.Object({ name: shortLabel, label: shortLabel, type: Type.Enum(['text', 'date', 'checkbox']) }),
          { maxItems: 20 },
        ),
      ),
      message_id: Type.Optional(message_id),
      idempotency_key,
    },
    run: async (agent, input, db) => {
      refuseFiles(agent, `${input.question}`)
      return askUser(agent, input, db)
    },
  }),
]
