import { Type } from 'typebox'
import { id } from './common.ts'
import { operation, topicText } from './operation.ts'

export const deleteMessage = operation({
  name: 'deleteMessage',
  method: 'DELETE',
  path: '/messages/{message_id}',
  access: 'user',
  tag: 'Messages',
  summary: 'Delete a message permanently.',
  pathParams: { message_id: id },
})

export const deleteTopic = operation({
  name: 'deleteTopic',
  method: 'POST',
  path: '/streams/{stream_id}/delete_topic',
  access: 'admin',
  tag: 'Channels',
  summary: 'Delete all messages of a topic. If `complete` is false, some remain: repeat the request.',
  pathParams: { stream_id: id },
  params: { topic_name: topicText() },
  response: { complete: Type.Boolean() },
})
