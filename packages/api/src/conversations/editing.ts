import { Type } from 'typebox'
import { id, keyword, nullable, text, truncatedText } from '../common.ts'
import { maxMessageLength } from '../message-limits.ts'
import { operation, topicText, withAlias, withDefault } from '../operation.ts'
import { attachment } from './uploads.ts'

export const propagateModes = ['change_one', 'change_later', 'change_all'] as const
export type PropagateMode = (typeof propagateModes)[number]

export const editMessage = operation({
  name: 'editMessage',
  method: 'PATCH',
  path: '/messages/{message_id}',
  access: 'user',
  tag: 'Messages',
  summary: 'Edit a message, or move it, alone or with other messages of its topic.',
  pathParams: { message_id: id },
  params: {
    stream_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    topic: Type.Optional(withAlias(topicText(), 'subject')),
    propagate_mode: withDefault(Type.Enum([...propagateModes]), 'change_one'),
    send_notification_to_old_thread: withDefault(Type.Boolean(), false),
    send_notification_to_new_thread: withDefault(Type.Boolean(), true),
    content: Type.Optional(truncatedText),
    /** Hash of the content that the client edited. If the content has changed since, the edit is refused. */
    prev_content_sha256: Type.Optional(keyword),
    delta: Type.Optional(
      text(maxMessageLength, { description: 'The next part of a message that was sent with `streaming`.' }),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxMessageLength,
        description:
          'How many characters the text had before the part. A part that was stored already changes nothing.',
      }),
    ),
    done: Type.Optional(Type.Boolean({ description: 'Ends the stream. A minute without a part does so, too.' })),
  },
  response: {
    detached_uploads: Type.Array(attachment),
    /** Present if so many messages move that the server continues after this response. */
    move_continues: Type.Optional(Type.Boolean()),
    /** Of a streamed message: how many characters its text has now. */
    length: Type.Optional(Type.Integer()),
  },
  errors: [
    'EXPECTATION_MISMATCH',
    'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  ],
})

const historyEntry = Type.Object({
  timestamp: Type.Integer(),
  user_id: nullable(Type.Integer()),
  topic: Type.String(),
  prev_topic: Type.Optional(Type.String()),
  stream: Type.Optional(Type.Integer()),
  prev_stream: Type.Optional(Type.Integer()),
  content: Type.Optional(Type.String()),
  rendered_content: Type.Optional(Type.String()),
  prev_content: Type.Optional(Type.String()),
  prev_rendered_content: Type.Optional(Type.String()),
  content_html_diff: Type.Optional(Type.String()),
})

export const getMessageHistory = operation({
  name: 'getMessageHistory',
  method: 'GET',
  path: '/messages/{message_id}/history',
  access: 'user',
  tag: 'Messages',
  summary: 'List the versions of a message, oldest first.',
  pathParams: { message_id: id },
  params: { allow_empty_topic_name: withDefault(Type.Boolean(), false) },
  response: { message_history: Type.Array(historyEntry) },
})
