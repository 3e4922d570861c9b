import { Type } from 'typebox'
import { id } from '../common.ts'
import { operation } from '../operation.ts'
import { reactionTypes } from './messages.ts'

const emojiText = Type.String({ maxLength: 200 })
const pathParams = { message_id: id }
// Zulip's clients use the older name of the built-in extra emoji.
const reactionType = Type.Optional(Type.Enum([...reactionTypes, 'zulip_extra_emoji']))

export const addReaction = operation({
  name: 'addReaction',
  method: 'POST',
  path: '/messages/{message_id}/reactions',
  access: 'user',
  tag: 'Messages',
  summary: 'Add an emoji reaction to a message.',
  pathParams,
  params: { emoji_name: emojiText, emoji_code: Type.Optional(emojiText), reaction_type: reactionType },
  errors: ['REACTION_ALREADY_EXISTS'],
})

export const removeReaction = operation({
  name: 'removeReaction',
  method: 'DELETE',
  path: '/messages/{message_id}/reactions',
  access: 'user',
  tag: 'Messages',
  summary: "Remove the caller's emoji reaction from a message.",
  pathParams,
  params: {
    emoji_name: Type.Optional(emojiText),
    emoji_code: Type.Optional(emojiText),
    reaction_type: reactionType,
  },
  errors: ['REACTION_DOES_NOT_EXIST'],
})
