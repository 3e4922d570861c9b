import { Type } from 'typebox'
import { id, nullable, text } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
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
    activity: Type.Optional(
      Type.Enum(['working'], { description: 'For bots and agents. Clients show it with a button that asks to stop.' }),
    ),
    note: Type.Optional(text(textLimits.workNote, { description: 'What the bot works on.' })),
  },
})

export const stopWork = operation({
  name: 'stopWork',
  method: 'POST',
  path: '/users/{user_id}/stop',
  access: 'user',
  tag: 'Typing',
  summary: 'Ask a bot or an agent that works in a conversation to stop.',
  pathParams: { user_id: id },
  params: {
    /** Without a channel: in the direct messages with the caller. */
    stream_id: Type.Optional(id),
    topic: Type.Optional(topicText()),
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
