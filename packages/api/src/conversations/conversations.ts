import { type Static, Type } from 'typebox'
import { id } from '../common.ts'
import { operation, withDefault } from '../operation.ts'
import { message } from './messages.ts'

const conversation = Type.Object({
  last_message: message,
  participants: Type.Array(id, {
    description: 'Users who sent the latest messages, the most recent first; at most five.',
  }),
  unread_count: Type.Integer(),
  is_mentioned: Type.Boolean({ description: 'Whether an unread message mentions the caller.' }),
  is_muted: Type.Boolean(),
  visibility_policy: Type.Enum([0, 1, 2, 3]),
})
export type Conversation = Static<typeof conversation>

export const getConversations = operation({
  name: 'getConversations',
  method: 'GET',
  path: '/users/me/conversations',
  access: 'user',
  tag: 'Messages',
  summary: 'List topics and direct conversations, the one with the newest message first.',
  params: {
    before: Type.Optional({
      ...id,
      description: 'Only conversations whose last message is older: the id of the last message of the page before.',
    }),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
    filter: withDefault(
      Type.Enum(['all', 'unread', 'participated', 'followed'], {
        description:
          '`unread`: with unread messages, and not muted. `participated`: direct conversations, and topics in which the caller sent a message.',
      }),
      'all',
    ),
    include_unsubscribed: withDefault(
      Type.Boolean({ description: 'Also topics of channels that the caller may read without being subscribed.' }),
      false,
    ),
    stream_id: Type.Optional({
      ...id,
      description: 'Only topics of this channel. With `include_unsubscribed`, the caller need not be subscribed to it.',
    }),
    client_gravatar: withDefault(Type.Boolean(), true),
    apply_markdown: withDefault(Type.Boolean(), true),
    allow_empty_topic_name: withDefault(Type.Boolean(), false),
  },
  response: { conversations: Type.Array(conversation), found_oldest: Type.Boolean() },
})
