import { type Static, Type } from 'typebox'
import { id } from './common.ts'
import { operation } from './operation.ts'

const text = Type.Optional(Type.String())

/** The status of a user. Fields that are not set are absent. */
const fields = {
  away: Type.Optional(Type.Boolean()),
  status_text: text,
  emoji_name: text,
  emoji_code: text,
  reaction_type: text,
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
  summary: "Update the caller's status text and emoji. Omitted fields stay, empty fields are cleared.",
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
