import { Type } from 'typebox'
import { id } from '../common.ts'
import { operation } from '../operation.ts'

export const updateMessagePreviews = operation({
  name: 'updateMessagePreviews',
  method: 'PATCH',
  path: '/messages/{message_id}/previews',
  access: 'user',
  tag: 'Messages',
  summary: 'Remove the preview of a linked page from a message, or of all of them, or show them again.',
  pathParams: { message_id: id },
  params: {
    /** All of the message if absent. */
    url: Type.Optional(Type.String({ maxLength: 2000 })),
    hidden: Type.Boolean(),
  },
})
