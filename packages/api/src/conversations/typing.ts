import { Type } from 'typebox'
import { id, nullable } from '../common.ts'
import { listLimits } from '../limits.ts'
import { onlyFor, operation, topicText, withAlias, withDefault } from '../operation.ts'

export const setTypingStatus = operation({
  name: 'setTypingStatus',
  method: 'POST',
  path: '/typing',
  access: 'user',
  tag: 'Typing',
  summary: 'Notify the other users of a conversation that the caller starts or stops typing.',
  params: {
    type: withDefault(Type.Enum(['direct', 'stream', 'channel']), 'direct'),
    op: Type.Enum(['start', 'stop']),
    to: Type.Optional(onlyFor(nullable(Type.Array(id, { maxItems: listLimits.usual })), 'type', ['direct'])),
    stream_id: Type.Optional(onlyFor(nullable(id), 'type', ['stream', 'channel'])),
    topic: Type.Optional(onlyFor(withAlias(topicText(), 'subject'), 'type', ['stream', 'channel'])),
  },
})

export const setEditTypingStatus = operation({
  name: 'setEditTypingStatus',
  method: 'POST',
  path: '/messages/{message_id}/typing',
  access: 'user',
  tag: 'Typing',
  summary: 'Notify the readers of a message that the caller starts or stops editing it.',
  pathParams: { message_id: id },
  params: { op: Type.Enum(['start', 'stop']) },
})
