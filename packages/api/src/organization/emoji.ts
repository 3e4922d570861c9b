import { type Static, Type } from 'typebox'
import { byId, nullable } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation, restOfPath } from '../operation.ts'

export const customEmoji = Type.Object({
  id: Type.String(),
  name: Type.String(),
  source_url: Type.String(),
  still_url: nullable(Type.String()),
  deactivated: Type.Boolean(),
  author_id: nullable(Type.Integer()),
})
export type CustomEmojiObject = Static<typeof customEmoji>

/** All custom emoji by id, including deactivated ones. */
export const customEmojiMap = byId(customEmoji)

const tag = 'Emoji'
const pathParams = { emoji_name: restOfPath(textLimits.short) }
const megabyte = 1024 * 1024

export const uploadEmoji = operation({
  name: 'uploadEmoji',
  method: 'POST',
  path: '/realm/emoji/{emoji_name}',
  access: 'human_member',
  permission: 'can_add_custom_emoji_group',
  fileLimit: 5 * megabyte,
  tag,
  summary: 'Add a custom emoji.',
  pathParams,
  errors: ['BAD_IMAGE'],
})

export const getEmoji = operation({
  name: 'getEmoji',
  method: 'GET',
  path: '/realm/emoji',
  access: 'user',
  tag,
  summary: 'List the custom emoji, including deactivated ones.',
  response: { emoji: customEmojiMap },
})

export const deactivateEmoji = operation({
  name: 'deactivateEmoji',
  method: 'DELETE',
  path: '/realm/emoji/{emoji_name}',
  access: 'user',
  tag,
  summary: 'Deactivate a custom emoji. Messages and reactions keep it.',
  pathParams,
})
