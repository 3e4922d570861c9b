import { Type } from 'typebox'
import { id, text } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation, withDefault } from '../operation.ts'

const tag = 'Sessions and tokens'
/** For accounts with two-step sign-in. */
export const secondFactorCode = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'A code of the authenticator app or a recovery code, for accounts with two-step sign-in.',
  }),
)
const timestamp = Type.Integer({ description: 'Seconds since 1970.' })

export const createSession = operation({
  name: 'createSession',
  method: 'POST',
  path: '/sessions',
  access: 'anyone',
  isSignIn: true,
  tag,
  summary: 'Sign in with a browser: the response sets the session cookie. On the demo server, no password is needed.',
  params: {
    username: text(textLimits.login),
    password: Type.Optional(text(textLimits.password)),
    code: secondFactorCode,
    shared_computer: Type.Optional(
      withDefault(Type.Boolean({ description: 'The session ends with the browser, or after 12 hours.' }), false),
    ),
  },
  response: { user_id: id, session_id: id },
  errors: [
    'AUTHENTICATION_FAILED',
    'SECOND_FACTOR_REQUIRED',
    'USER_DEACTIVATED',
    'REALM_DEACTIVATED',
    'NONEXISTENT_SUBDOMAIN',
    'CSRF_FAILED',
  ],
})

export const session = Type.Object({
  id,
  is_current: Type.Boolean(),
  device: Type.String({ description: 'Browser and operating system.' }),
  ip_address: Type.String({ description: 'Where the session was last used.' }),
  created_at: timestamp,
  last_used_at: timestamp,
  expires_at: timestamp,
})

export const getSessions = operation({
  name: 'getSessions',
  method: 'GET',
  path: '/sessions',
  access: 'human',
  scope: 'full',
  tag,
  summary: "Get the caller's browser sessions, most recently used first.",
  response: { sessions: Type.Array(session) },
})

export const getUserSessions = operation({
  name: 'getUserSessions',
  method: 'GET',
  path: '/users/{user_id}/sessions',
  access: 'admin',
  scope: 'full',
  tag,
  summary: 'Get the browser sessions of a user, most recently used first. Only owners can see those of owners.',
  pathParams: { user_id: id },
  response: { sessions: Type.Array(session) },
})

export const endUserSession = operation({
  name: 'endUserSession',
  method: 'DELETE',
  path: '/users/{user_id}/sessions/{session_id}',
  access: 'admin',
  scope: 'full',
  tag,
  summary: 'End a session of a user, with its event queues. Only owners can end those of owners.',
  pathParams: { user_id: id, session_id: id },
})

export const endSession = operation({
  name: 'endSession',
  method: 'DELETE',
  path: '/sessions/{session_id}',
  access: 'human',
  scope: 'full',
  tag,
  summary: "End one of the caller's sessions, with its event queues.",
  pathParams: { session_id: id },
})

export const endOtherSessions = operation({
  name: 'endOtherSessions',
  method: 'DELETE',
  path: '/sessions/others',
  access: 'human',
  scope: 'full',
  tag,
  summary:
    'Sign out everywhere else: ends all other sessions and tokens, and replaces the API key. `GET /users/me/lasting_access` lists what goes on.',
})

/**
 * What goes on after signing out everywhere: bots, their tokens and incoming hooks, passkeys, invitations, and accounts that the user created,
 * invited, reactivated, or gave a higher role or another email.
 */
export const lastingKinds = ['bot', 'token', 'hook', 'passkey', 'invitation', 'account'] as const

export const getLastingAccess = operation({
  name: 'getLastingAccess',
  method: 'GET',
  path: '/users/me/lasting_access',
  access: 'human',
  scope: 'full',
  tag,
  summary:
    'Get what the caller created that a new password and signing out everywhere do not end, newest first. After a theft, review it.',
  response: {
    items: Type.Array(
      Type.Object({
        kind: Type.Enum([...lastingKinds]),
        id: Type.Integer({ description: 'Of the bot, token, hook, passkey, invitation or user.' }),
        name: Type.String(),
        created_at: timestamp,
      }),
    ),
  },
})

export const endCurrentSession = operation({
  name: 'endCurrentSession',
  method: 'DELETE',
  path: '/sessions/current',
  access: 'human',
  scope: 'full',
  tag,
  summary: 'Sign out: ends the session of this request and clears what the browser stored.',
  response: {
    /** Where the browser signs out at the identity provider too. Only for sessions that came from there. */
    logout_url: Type.Optional(Type.String()),
  },
})
