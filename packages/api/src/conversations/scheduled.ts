import { type Static, Type } from 'typebox'
import { id, truncatedText } from '../common.ts'
import { listLimits } from '../limits.ts'
import { jsonOrText, operation, topicText } from '../operation.ts'

export const scheduledMessage = Type.Object({
  scheduled_message_id: Type.Integer(),
  type: Type.Enum(['private', 'stream']),
  to: Type.Union([Type.Integer(), Type.Array(Type.Integer())]),
  topic: Type.Optional(Type.String()),
  content: Type.String(),
  rendered_content: Type.String(),
  scheduled_delivery_timestamp: Type.Integer(),
  failed: Type.Boolean(),
})
export type ScheduledObject = Static<typeof scheduledMessage>

const tag = 'Scheduled messages'
const pathParams = { scheduled_message_id: id }
const type = Type.Enum(['direct', 'private', 'channel', 'stream'])
const to = jsonOrText(Type.Union([id, Type.Array(id, { maxItems: listLimits.usual })]))
const timestamp = Type.Integer({ minimum: 0, maximum: 100_000_000_000 })

export const getScheduledMessages = operation({
  name: 'getScheduledMessages',
  method: 'GET',
  path: '/scheduled_messages',
  access: 'user',
  tag,
  summary: 'List the scheduled messages that are not sent yet, including those that failed.',
  response: { scheduled_messages: Type.Array(scheduledMessage) },
})

export const scheduleMessage = operation({
  name: 'scheduleMessage',
  method: 'POST',
  path: '/scheduled_messages',
  access: 'user',
  tag,
  summary: 'Schedule a message.',
  params: {
    type,
    to,
    content: truncatedText,
    topic: Type.Optional(topicText()),
    scheduled_delivery_timestamp: timestamp,
    read_by_sender: Type.Optional(Type.Boolean()),
  },
  response: { scheduled_message_id: Type.Integer() },
  errors: ['STREAM_DOES_NOT_EXIST', 'STREAM_WILDCARD_MENTION_NOT_ALLOWED', 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED'],
})

export const editScheduledMessage = operation({
  name: 'editScheduledMessage',
  method: 'PATCH',
  path: '/scheduled_messages/{scheduled_message_id}',
  access: 'user',
  tag,
  summary: 'Update the content, the destination or the time of a scheduled message.',
  pathParams,
  params: {
    type: Type.Optional(type),
    to: Type.Optional(to),
    content: Type.Optional(truncatedText),
    topic: Type.Optional(topicText()),
    scheduled_delivery_timestamp: Type.Optional(timestamp),
  },
  errors: ['STREAM_DOES_NOT_EXIST', 'STREAM_WILDCARD_MENTION_NOT_ALLOWED', 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED'],
})

export const deleteScheduledMessage = operation({
  name: 'deleteScheduledMessage',
  method: 'DELETE',
  path: '/scheduled_messages/{scheduled_message_id}',
  access: 'user',
  tag,
  summary: 'Delete a scheduled message.',
  pathParams,
})
