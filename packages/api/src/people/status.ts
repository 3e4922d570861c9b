import { type Static, Type } from 'typebox'
import { id, keyword, nullable, shortText, text } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation } from '../operation.ts'

const emoji = Type.Optional(text(textLimits.emoji))

/** The status of a user. Fields that are not set are absent. */
const fields = {
  away: Type.Optional(Type.Boolean()),
  status_text: Type.Optional(shortText),
  emoji_name: emoji,
  emoji_code: emoji,
  reaction_type: Type.Optional(keyword),
  scheduled_end_time: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 40,
        description: 'When the status ends by itself, in seconds since 1970. null: never.',
      }),
    ),
  ),
}
export const userStatus = Type.Object(fields)
export type UserStatus = Static<typeof userStatus>
export const userStatusChanged = { user_id: Type.Integer(), ...fields }

export const updateStatus = operation({
  name: 'updateStatus',
  method: 'POST',
  path: '/users/me/status',
  access: 'human',
  tag: 'Presence',
  summary: "Update the caller's status text, emoji and end. Omitted fields stay, empty fields are cleared.",
  params: fields,
})

export const getStatus = operation({
  name: 'getStatus',
  method: 'GET',
  path: '/users/{user_id}/status',
  access: 'user',
  tag: 'Presence',
  summary: 'Get the status of a user.',
  pathParams: { user_id: id },
  response: { status: userStatus },
})
