import { type Static, Type } from 'typebox'
import { id, nullable, unixSeconds } from '../common.ts'
import { restorableDays } from '../limits.ts'
import { operation, topicText, withDefault } from '../operation.ts'

export const deleteMessage = operation({
  name: 'deleteMessage',
  method: 'DELETE',
  path: '/messages/{message_id}',
  access: 'user',
  tag: 'Messages',
  summary: `Delete a message. Moderators can restore it for ${restorableDays} days.`,
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

export const deletedMessage = Type.Object({
  id: Type.Integer(),
  number: Type.Integer({ description: 'Counts deletions: the newest has the highest number.' }),
  sender_id: Type.Integer(),
  timestamp: unixSeconds,
  deleted_by: Type.Integer(),
  deleted_timestamp: unixSeconds,
  stream_id: nullable(Type.Integer({ description: 'Null: a direct message.' })),
  topic: Type.String(),
  user_ids: Type.Array(Type.Integer(), { description: 'The participants of a direct message.' }),
  content: Type.String({ description: 'In Markdown.' }),
})
export type DeletedMessage = Static<typeof deletedMessage>

export const getDeletedMessages = operation({
  name: 'getDeletedMessages',
  method: 'GET',
  path: '/deleted_messages',
  access: 'moderator',
  tag: 'Messages',
  summary:
    'List deleted messages that the caller can restore, newest deletion first: in channels that they can read, and direct messages that they deleted themselves.',
  params: {
    before: Type.Optional(Type.Integer({ description: 'Only deletions with smaller numbers: for the next page.' })),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
  },
  response: { messages: Type.Array(deletedMessage), found_oldest: Type.Boolean() },
})

export const restoreMessage = operation({
  name: 'restoreMessage',
  method: 'POST',
  path: '/deleted_messages/{message_id}/restore',
  access: 'moderator',
  tag: 'Messages',
  summary:
    'Restore a deleted message, with its history, reactions, flags and files. Its readers receive it in a `message` event with the id that it had.',
  pathParams: { message_id: id },
})
