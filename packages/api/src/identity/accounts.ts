import { Type } from 'typebox'
import { id, nullable, ownPassword, role, shortText, text, unixSeconds } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { operation, withDefault } from '../operation.ts'

export const profileValues = Type.Array(
  Type.Object({
    id,
    value: Type.Union([
      text(textLimits.profileValue),
      Type.Array(id, { maxItems: listLimits.profileUsers }),
      Type.Null(),
    ]),
  }),
  { maxItems: listLimits.profileValues },
)

const changes = {
  full_name: Type.Optional(shortText),
  role: Type.Optional(role),
  profile_data: Type.Optional(profileValues),
  new_email: Type.Optional(shortText),
}

export const updateUser = operation({
  name: 'updateUser',
  method: 'PATCH',
  path: '/users/{user_id}',
  access: 'admin',
  tag: 'Users',
  summary: 'Update the name, role, profile fields or email of a user.',
  pathParams: { user_id: id },
  params: changes,
})

export const updateUserByEmail = operation({
  name: 'updateUserByEmail',
  method: 'PATCH',
  path: '/users/{email}',
  access: 'admin',
  tag: 'Users',
  summary: 'Update a user, found by email.',
  pathParams: { email: shortText },
  params: changes,
})

export const createUser = operation({
  name: 'createUser',
  method: 'POST',
  path: '/users',
  access: 'admin',
  tag: 'Users',
  summary: 'Create a user. The caller needs the `can_create_users` grant, which only the server operator can give.',
  params: { email: shortText, password: text(textLimits.password), full_name: shortText, own_password: ownPassword },
  response: { user_id: Type.Integer() },
  errors: ['PASSWORD_REQUIRED'],
})

export const createAccount = operation({
  name: 'createAccount',
  method: 'POST',
  path: '/accounts',
  access: 'owner',
  scope: 'full',
  tag: 'Users',
  summary: 'Create a user with any role. Only owners can; they need no grant. Usually `POST /invites` is better.',
  params: {
    email: shortText,
    password: text(textLimits.password),
    full_name: shortText,
    role: withDefault(role, 400),
    own_password: ownPassword,
  },
  response: { user_id: Type.Integer() },
  errors: ['PASSWORD_REQUIRED'],
})

export const deactivateUser = operation({
  name: 'deactivateUser',
  method: 'DELETE',
  path: '/users/{user_id}',
  access: 'admin',
  tag: 'Users',
  summary: 'Deactivate a user and the bots they own.',
  pathParams: { user_id: id },
  params: { deactivation_notification_comment: Type.Optional(Type.String({ maxLength: 2000 })) },
})

export const reactivateUser = operation({
  name: 'reactivateUser',
  method: 'POST',
  path: '/users/{user_id}/reactivate',
  access: 'user',
  scope: 'administer',
  tag: 'Users',
  summary: 'Reactivate a user, with their subscriptions and groups. Owners of bots can reactivate their own.',
  pathParams: { user_id: id },
})

export const suspendUser = operation({
  name: 'suspendUser',
  method: 'POST',
  path: '/users/{user_id}/suspend',
  access: 'admin',
  tag: 'Users',
  summary: 'Deactivate a user until a time, or change that time. Reactivating the user ends it early.',
  pathParams: { user_id: id },
  params: {
    until: Type.Integer({
      minimum: 0,
      maximum: 2 ** 40,
      description: 'In seconds since 1970; at most a year from now.',
    }),
  },
})

export const getSuspensions = operation({
  name: 'getSuspensions',
  method: 'GET',
  path: '/suspensions',
  access: 'admin',
  tag: 'Users',
  summary: 'Get the users who are suspended, with the time when it ends.',
  response: {
    suspensions: Type.Array(
      Type.Object({
        user_id: Type.Integer(),
        until: unixSeconds,
        suspended_by: Type.Integer(),
        suspended_at: unixSeconds,
      }),
    ),
  },
})

export const deactivateOwnUser = operation({
  name: 'deactivateOwnUser',
  method: 'DELETE',
  path: '/users/me',
  access: 'human',
  scope: 'full',
  tag: 'Users',
  summary: "Deactivate the caller's own user.",
  errors: ['CANNOT_DEACTIVATE_LAST_USER'],
})

export const revokeUserKeys = operation({
  name: 'revokeUserKeys',
  method: 'POST',
  path: '/users/{user_id}/api_key/revoke',
  access: 'admin',
  tag: 'Users',
  summary:
    'Revoke the API keys of a user and of the bots they own. The old keys and the event queues registered with them stop working immediately. Only owners can revoke the keys of owners.',
  pathParams: { user_id: id },
})

export const sendPasswordReset = operation({
  name: 'sendPasswordReset',
  method: 'POST',
  path: '/users/{user_id}/password_reset',
  access: 'admin',
  scope: 'full',
  tag: 'Users',
  summary:
    'Send another user a link to set a new password. A server that sends no email returns the link, so that the administrator can pass it on. Only owners can do this for owners.',
  pathParams: { user_id: id },
  params: { password: ownPassword },
  response: {
    reset_url: nullable(Type.String({ description: 'Null if the link was sent by email. Valid for 30 minutes.' })),
  },
  errors: ['PASSWORD_REQUIRED'],
})

export const resetSecondFactors = operation({
  name: 'resetSecondFactors',
  method: 'DELETE',
  path: '/users/{user_id}/second_factors',
  access: 'admin',
  scope: 'full',
  tag: 'Users',
  summary:
    'Remove all second factors of a user who has lost them, so that the password is enough again. Only owners can do this for owners; for oneself there is the page `/second-factor`.',
  pathParams: { user_id: id },
})

export const regenerateApiKey = operation({
  name: 'regenerateApiKey',
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  access: 'user',
  scope: 'full',
  tag: 'Users',
  summary:
    "Replace the caller's API key. The old key and the event queues registered with it stop working immediately.",
  params: { password: ownPassword },
  response: { api_key: Type.String() },
  errors: ['PASSWORD_REQUIRED'],
})

export const getEmailChange = operation({
  name: 'getEmailChange',
  method: 'GET',
  path: '/users/me/email_change',
  access: 'human',
  scope: 'full',
  tag: 'Users',
  summary: 'Get the email that the caller has requested with `PATCH /settings` and not confirmed yet.',
  response: {
    email_change: nullable(
      Type.Object({
        new_email: Type.String(),
        expires_at: { ...unixSeconds, description: 'Until then the link in the confirmation email works.' },
      }),
    ),
  },
})

export const resendEmailChange = operation({
  name: 'resendEmailChange',
  method: 'POST',
  path: '/users/me/email_change/resend',
  access: 'human',
  scope: 'full',
  tag: 'Users',
  summary: 'Send the email that confirms the requested email again. Earlier links stop working.',
  response: {},
})

export const cancelEmailChange = operation({
  name: 'cancelEmailChange',
  method: 'DELETE',
  path: '/users/me/email_change',
  access: 'human',
  scope: 'full',
  tag: 'Users',
  summary: 'Cancel the requested change of the email. Its link stops working.',
  response: {},
})

/** The shapes of `person` in `realm_user` `update` events. */
const ofUser = { user_id: Type.Integer() }
export const userChange = Type.Union([
  Type.Object({ ...ofUser, full_name: Type.String() }),
  Type.Object({ ...ofUser, role }),
  Type.Object({ ...ofUser, is_active: Type.Boolean() }),
  Type.Object({ ...ofUser, bot_owner_id: Type.Integer() }),
  Type.Object({ ...ofUser, delivery_email: nullable(Type.String()) }),
  Type.Object({ ...ofUser, new_email: Type.String() }),
  Type.Object({ ...ofUser, email: Type.String(), timezone: Type.String() }),
  Type.Object({
    ...ofUser,
    avatar_url: Type.String(),
    avatar_url_medium: Type.String(),
    avatar_source: Type.String(),
    avatar_version: Type.Integer(),
  }),
  Type.Object({
    ...ofUser,
    custom_profile_field: Type.Object({
      id: Type.Integer(),
      value: nullable(Type.String()),
      rendered_value: Type.Optional(Type.String()),
    }),
  }),
])
