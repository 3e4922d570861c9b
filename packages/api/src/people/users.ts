import { type Static, Type } from 'typebox'
import { byId, id, nullable, role, shortText } from '../common.ts'
import { operation, withDefault } from '../operation.ts'

const profileData = byId(Type.Object({ value: Type.String(), rendered_value: Type.Optional(Type.String()) }))

const userFields = {
  user_id: Type.Integer(),
  delivery_email: nullable(Type.String()),
  email: Type.String(),
  full_name: Type.String(),
  date_joined: Type.String(),
  is_active: Type.Boolean(),
  is_owner: Type.Boolean(),
  is_admin: Type.Boolean(),
  is_guest: Type.Boolean(),
  is_bot: Type.Boolean(),
  bot_type: nullable(Type.Integer()),
  bot_owner_id: nullable(Type.Integer()),
  role,
  timezone: Type.String(),
  avatar_url: Type.Optional(nullable(Type.String())),
  avatar_version: Type.Integer(),
  profile_data: Type.Optional(profileData),
  is_system_bot: Type.Optional(Type.Boolean()),
}

/** A user as responses show it. */
export const user = Type.Object(userFields)
export type UserObject = Static<typeof user>

/** A user in the lists of the `POST /register` response. The list says whether the user is active. */
const { is_active, ...listedFields } = userFields
export const listedUser = Type.Object(listedFields)
export const crossRealmBot = Type.Object({ ...listedFields, is_active })

const options = {
  client_gravatar: withDefault(Type.Boolean(), true),
  include_custom_profile_fields: withDefault(Type.Boolean(), false),
}

export const getUsers = operation({
  name: 'getUsers',
  method: 'GET',
  path: '/users',
  access: 'user',
  tag: 'Users',
  summary: 'List the users that the caller can see, including bots and deactivated users.',
  params: options,
  response: { members: Type.Array(user) },
})

export const getUser = operation({
  name: 'getUser',
  method: 'GET',
  path: '/users/{user_id}',
  access: 'user',
  tag: 'Users',
  summary: 'Get a user by id.',
  pathParams: { user_id: id },
  params: options,
  response: { user },
})

export const getUserByEmail = operation({
  name: 'getUserByEmail',
  method: 'GET',
  path: '/users/{email}',
  access: 'user',
  tag: 'Users',
  summary: 'Get a user by email, as shown to the caller.',
  pathParams: { email: shortText },
  params: options,
  response: { user },
})

export const getOwnUser = operation({
  name: 'getOwnUser',
  method: 'GET',
  path: '/users/me',
  access: 'user',
  tag: 'Users',
  summary: "Get the caller's own user.",
  response: { ...userFields, max_message_id: Type.Integer() },
})
