import { Type } from 'typebox'
import { id, nullable, role } from './common.ts'
import { listLimits } from './limits.ts'
import { operation } from './operation.ts'

export const profileValues = Type.Array(
  Type.Object({ id, value: Type.Union([Type.String(), Type.Array(id, { maxItems: listLimits.usual }), Type.Null()]) }),
  {
    maxItems: listLimits.profileValues,
  },
)

const changes = {
  full_name: Type.Optional(Type.String()),
  role: Type.Optional(role),
  profile_data: Type.Optional(profileValues),
  new_email: Type.Optional(Type.String()),
}

export const updateUser = operation({
  name: 'updateUser',
  method: 'PATCH',
  path: '/users/{user_id}',
  access: 'admin',
  tag: 'Users',
  summary: "Change somebody's name, role, profile or address.",
  pathParams: { user_id: id },
  params: changes,
})

export const updateUserByEmail = operation({
  name: 'updateUserByEmail',
  method: 'PATCH',
  path: '/users/{email}',
  access: 'admin',
  tag: 'Users',
  summary: 'The same for one who is known by address.',
  pathParams: { email: Type.String() },
  params: changes,
})

export const createUser = operation({
  name: 'createUser',
  method: 'POST',
  path: '/users',
  access: 'admin',
  tag: 'Users',
  summary: 'Make an account. Needs the `can_create_users` grant, which the operator of the server gives.',
  params: { email: Type.String(), password: Type.String(), full_name: Type.String() },
  response: { user_id: Type.Integer() },
})

export const deactivateUser = operation({
  name: 'deactivateUser',
  method: 'DELETE',
  path: '/users/{user_id}',
  access: 'admin',
  tag: 'Users',
  summary: "Deactivate somebody's account, and the bots they own.",
  pathParams: { user_id: id },
  params: { deactivation_notification_comment: Type.Optional(Type.String({ maxLength: 2000 })) },
})

export const reactivateUser = operation({
  name: 'reactivateUser',
  method: 'POST',
  path: '/users/{user_id}/reactivate',
  access: 'admin',
  tag: 'Users',
  summary: 'Bring a deactivated account back, with its subscriptions and groups.',
  pathParams: { user_id: id },
})

export const deactivateOwnUser = operation({
  name: 'deactivateOwnUser',
  method: 'DELETE',
  path: '/users/me',
  access: 'human',
  tag: 'Users',
  summary: "Deactivate the caller's own account.",
  errors: ['CANNOT_DEACTIVATE_LAST_USER'],
})

export const revokeUserKeys = operation({
  name: 'revokeUserKeys',
  method: 'POST',
  path: '/users/{user_id}/api_key/revoke',
  access: 'admin',
  tag: 'Users',
  summary:
    "Replace a user's API key, and those of the bots they own, by new ones that nobody has seen. The old keys and the event queues opened with them stop working at once. Only owners can do this to owners.",
  pathParams: { user_id: id },
})

export const regenerateApiKey = operation({
  name: 'regenerateApiKey',
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  access: 'user',
  tag: 'Users',
  summary: "Replace the caller's key. The old one is worthless at once, and so are the queues opened with it.",
  response: { api_key: Type.String() },
})

/** The forms of `person` when something about somebody has changed. */
const somebody = { user_id: Type.Integer() }
export const personChanged = Type.Union([
  Type.Object({ ...somebody, full_name: Type.String() }),
  Type.Object({ ...somebody, role }),
  Type.Object({ ...somebody, is_active: Type.Boolean() }),
  Type.Object({ ...somebody, bot_owner_id: Type.Integer() }),
  Type.Object({ ...somebody, delivery_email: nullable(Type.String()) }),
  Type.Object({ ...somebody, new_email: Type.String() }),
  Type.Object({ ...somebody, email: Type.String(), timezone: Type.String() }),
  Type.Object({
    ...somebody,
    avatar_url: Type.String(),
    avatar_url_medium: Type.String(),
    avatar_source: Type.String(),
    avatar_version: Type.Integer(),
  }),
  Type.Object({
    ...somebody,
    custom_profile_field: Type.Object({
      id: Type.Integer(),
      value: nullable(Type.String()),
      rendered_value: Type.Optional(Type.String()),
    }),
  }),
])
