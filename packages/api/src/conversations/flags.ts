import { Type } from 'typebox'
import { id, keyword, nullable } from '../common.ts'
import { jsonOrText, operation, topicText, withDefault } from '../operation.ts'
import { messageIds, narrow } from './messages.ts'

export const updateMessageFlags = operation({
  name: 'updateMessageFlags',
  method: 'POST',
  path: '/messages/flags',
  access: 'user',
  tag: 'Flags',
  summary: 'Add or remove a personal flag on messages.',
  params: {
    messages: messageIds(10_000),
    op: Type.Enum(['add', 'remove']),
    flag: keyword,
  },
  response: {
    messages: Type.Array(Type.Integer()),
    ignored_because_not_subscribed_channels: Type.Array(Type.Integer()),
  },
})

export const updateFlagsInNarrow = operation({
  name: 'updateFlagsInNarrow',
  method: 'POST',
  path: '/messages/flags/narrow',
  access: 'user',
  tag: 'Flags',
  summary: 'Add or remove a personal flag on the messages around an anchor in a narrow.',
  params: {
    anchor: jsonOrText(Type.Union([Type.Integer(), Type.Enum(['newest', 'oldest', 'first_unread'])])),
    include_anchor: withDefault(Type.Boolean(), true),
    num_before: Type.Integer({ minimum: 0 }),
    num_after: Type.Integer({ minimum: 0 }),
    narrow: Type.Union([narrow, Type.Null()]),
    op: Type.Enum(['add', 'remove']),
    flag: keyword,
  },
  response: {
    processed_count: Type.Integer(),
    updated_count: Type.Integer(),
    first_processed_id: nullable(Type.Integer()),
    last_processed_id: nullable(Type.Integer()),
    found_oldest: Type.Boolean(),
    found_newest: Type.Boolean(),
    ignored_because_not_subscribed_channels: Type.Array(Type.Integer()),
  },
  errors: ['BAD_NARROW'],
})

export const markAllAsRead = operation({
  name: 'markAllAsRead',
  method: 'POST',
  path: '/mark_all_as_read',
  access: 'user',
  tag: 'Flags',
  summary: 'Mark all messages as read.',
  response: { complete: Type.Boolean() },
})

export const markChannelAsRead = operation({
  name: 'markChannelAsRead',
  method: 'POST',
  path: '/mark_stream_as_read',
  access: 'user',
  tag: 'Flags',
  summary: 'Mark all messages in a channel as read.',
  params: { stream_id: id },
})

export const markTopicAsRead = operation({
  name: 'markTopicAsRead',
  method: 'POST',
  path: '/mark_topic_as_read',
  access: 'user',
  tag: 'Flags',
  summary: 'Mark all messages in a topic as read.',
  params: { stream_id: id, topic_name: topicText() },
})

export const getReadReceipts = operation({
  name: 'getReadReceipts',
  method: 'GET',
  path: '/messages/{message_id}/read_receipts',
  access: 'user',
  tag: 'Flags',
  summary: 'List the users who have read a message.',
  pathParams: { message_id: id },
  response: { user_ids: Type.Array(Type.Integer()) },
})
