import { Type } from 'typebox'
import { id, nullable } from './common.ts'
import { listLimits } from './limits.ts'
import { operation, topicText, withAlias, withDefault } from './operation.ts'

export const setTypingStatus = operation({
  name: 'setTypingStatus',
  method: 'POST',
  path: '/typing',
  access: 'user',
  tag: 'Typing',
  summary: 'Tell the others in a conversation that one is composing, or no longer is.',
  params: {
    type: withDefault(Type.Enum(['direct', 'stream', 'channel']), 'direct'),
    op: Type.Enum(['start', 'stop']),
    to: Type.Optional(nullable(Type.Array(id, { maxItems: listLimits.usual }))),
    stream_id: Type.Optional(nullable(id)),
    topic: Type.Optional(withAlias(topicText(), 'subject')),
  },
})

export const setEditTypingStatus = operation({
  name: 'setEditTypingStatus',
  method: 'POST',
  path: '/messages/{message_id}/typing',
  access: 'user',
  tag: 'Typing',
  summary: 'Tell the readers of a message that one is editing it, or no longer is.',
  pathParams: { message_id: id },
  params: { op: Type.Enum(['start', 'stop']) },
})
