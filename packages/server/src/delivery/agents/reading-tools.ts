import * as channels from '@parley/api/conversations/channels'
import type { NarrowTerm } from '@parley/api/conversations/messages'
import { setTypingStatus } from '@parley/api/conversations/typing'
import { textLimits } from '@parley/api/limits'
import { getUsers } from '@parley/api/people/users'
import { Type } from 'typebox'
import { accessAgentMessage, checkChannel, placesOf } from './agent-limits.ts'
import { type Agent, callOperation } from './call-operation.ts'
import { readFileText } from './file-text.ts'
import { listResult, messagesResult } from './results.ts'
import { channel_id, inTopic, limit, message_id, read, type Tool, tool, topic, usual } from './tool.ts'

async function readIn(agent: Agent, places: NarrowTerm[][], terms: NarrowTerm[], before: number) {
  const found = await Promise.all(places.map((place) => read(agent, { narrow: [...place, ...terms], before })))
  return found
    .flat()
    .sort((a, b) => a.id - b.id)
    .slice(-before)
}

/** Readers see it as they see that someone is typing. */
async function showWork(agent: Agent, place: { channel_id: number; topic: string }, note: string): Promise<void> {
  const { channel_id: stream_id, topic: name } = place
  const params = { op: 'start' as const, type: 'channel' as const, stream_id, topic: name }
  await callOperation(agent, setTypingStatus, { ...params, activity: 'working', note })
}

export const readingTools: Tool[] = [
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
    input: {
      channel_id,
      topic,
      before: Type.Optional(message_id),
      limit,
      working_on: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: textLimits.workNote,
          description: 'Show its readers that you are working, with this note, until you send a message there.',
        }),
      ),
    },
    run: async (agent, input) => {
      checkChannel(agent, input.channel_id)
      if (input.working_on !== undefined) await showWork(agent, input, input.working_on)
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
  tool({
    name: 'get_file_text',
    description: 'Read the text of a file that a message links to.',
    needs: ['read'],
    input: {
      message_id,
      file: Type.Optional(
        Type.String({ maxLength: textLimits.url, description: 'Its URL. Needed if there are several.' }),
      ),
      offset: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'next_offset of the result before.',
        }),
      ),
    },
    run: readFileText,
  }),
]
