import { Type } from 'typebox'
import { truncatedText } from '../common.ts'
import { operation } from '../operation.ts'

export const renderMessage = operation({
  name: 'renderMessage',
  method: 'POST',
  path: '/messages/render',
  access: 'user',
  scope: 'read',
  tag: 'Messages',
  summary: 'Render a message text as HTML.',
  params: { content: truncatedText },
  response: { rendered: Type.String() },
})
