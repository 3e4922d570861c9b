import { Type } from 'typebox'
import { id } from '../common.ts'
import { operation } from '../operation.ts'

export const countExpiredMessages = operation({
  name: 'countExpiredMessages',
  method: 'GET',
  path: '/retention/expired',
  access: 'owner',
  tag: 'Organization',
  summary:
    'Count the messages that a retention period would delete: of a channel, or of the organization, without channels that have a period of their own.',
  params: { message_retention_days: Type.Integer({ minimum: 1 }), stream_id: Type.Optional(id) },
  response: { count: Type.Integer() },
})
