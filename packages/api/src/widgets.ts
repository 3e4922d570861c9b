import { Type } from 'typebox'
import { id } from './common.ts'
import { operation } from './operation.ts'

export const addSubmessage = operation({
  name: 'addSubmessage',
  method: 'POST',
  path: '/submessage',
  access: 'user',
  tag: 'Messages',
  summary: 'Take part in a poll or a to-do list.',
  params: {
    message_id: id,
    msg_type: Type.Enum(['widget']),
    content: Type.String({ maxLength: 10_000 }),
  },
})
