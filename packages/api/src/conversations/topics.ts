import { Type } from 'typebox'
import { id, maxTopicLength, shortText } from '../common.ts'
import { operation, topicText } from '../operation.ts'

export const setTopicPolicy = operation({
  name: 'setTopicPolicy',
  method: 'POST',
  path: '/user_topics',
  access: 'user',
  tag: 'Topics',
  summary: 'Mute (1), unmute (2) or follow (3) a topic, or reset it to the default (0).',
  params: {
    stream_id: id,
    topic: topicText({ maxLength: maxTopicLength }),
    visibility_policy: Type.Enum([0, 1, 2, 3]),
  },
})

export const muteTopic = operation({
  name: 'muteTopic',
  method: 'PATCH',
  path: '/users/me/subscriptions/muted_topics',
  access: 'user',
  tag: 'Topics',
  summary: 'Mute or unmute a topic. Deprecated: use POST /user_topics.',
  params: {
    stream: Type.Optional(shortText),
    stream_id: Type.Optional(id),
    topic: topicText({ maxLength: maxTopicLength }),
    op: Type.Enum(['add', 'remove']),
  },
})
