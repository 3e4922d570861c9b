import { Type } from 'typebox'
import { nullable, text } from './common.ts'
import { secondFactorCode } from './identity/sessions.ts'
import { textLimits } from './limits.ts'
import { operation, withDefault } from './operation.ts'
import { user } from './people/users.ts'

export const authenticationMethods = [
  'password',
  'dev',
  'email',
  'ldap',
  'remoteuser',
  'github',
  'azuread',
  'gitlab',
  'apple',
  'google',
  'saml',
  'openid connect',
] as const

export const getServerSettings = operation({
  name: 'getServerSettings',
  method: 'GET',
  path: '/server_settings',
  access: 'anyone',
  tag: 'Server and authentication',
  summary: 'Get the server settings that clients need before sign-in.',
  response: {
    zulip_version: Type.String(),
    zulip_feature_level: Type.Integer(),
    zulip_merge_base: Type.String(),
    push_notifications_enabled: Type.Boolean(),
    is_incompatible: Type.Boolean(),
    email_auth_enabled: Type.Boolean(),
    require_email_format_usernames: Type.Boolean(),
    authentication_methods: Type.Object(
      Object.fromEntries(authenticationMethods.map((name) => [name, Type.Boolean()])),
    ),
    external_authentication_methods: Type.Array(
      Type.Object({
        name: Type.String(),
        display_name: Type.String(),
        display_icon: nullable(Type.String()),
        login_url: Type.String(),
        signup_url: Type.String(),
      }),
    ),
    realm_url: Type.Optional(Type.String()),
    realm_uri: Type.Optional(Type.String()),
    realm_name: Type.Optional(Type.String()),
    realm_icon: Type.Optional(Type.String()),
    realm_description: Type.Optional(Type.String()),
    realm_web_public_access_enabled: Type.Optional(Type.Boolean()),
  },
})

const apiKey = { api_key: Type.String(), email: Type.String(), user_id: Type.Integer() }
const loginErrors = ['AUTHENTICATION_FAILED', 'USER_DEACTIVATED', 'REALM_DEACTIVATED', 'NONEXISTENT_SUBDOMAIN']

export const fetchApiKey = operation({
  name: 'fetchApiKey',
  method: 'POST',
  path: '/fetch_api_key',
  access: 'anyone',
  isSignIn: true,
  tag: 'Server and authentication',
  summary: "Get a user's API key with their email and password, or a token of its own for a device.",
  params: {
    username: text(textLimits.login),
    password: text(textLimits.password),
    code: secondFactorCode,
    device_name: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'With a name, `api_key` is a new token of this device, which the user can revoke alone. It works wherever the API key does.',
      }),
    ),
  },
  response: apiKey,
  errors: [...loginErrors, 'SECOND_FACTOR_REQUIRED'],
})

export const jwtFetchApiKey = operation({
  name: 'jwtFetchApiKey',
  method: 'POST',
  path: '/jwt/fetch_api_key',
  access: 'anyone',
  isSignIn: true,
  tag: 'Server and authentication',
  summary: "Get a user's API key with a JSON Web Token that another system of the operator has signed.",
  params: {
    token: Type.String({
      maxLength: 10_000,
      description: 'Contains `email` and `exp`; a token is accepted until then, for at most an hour.',
    }),
    include_profile: withDefault(Type.Boolean({ description: 'Whether to send the user object too.' }), false),
  },
  response: { ...apiKey, user: Type.Optional(user) },
  errors: loginErrors,
})

export const devFetchApiKey = operation({
  name: 'devFetchApiKey',
  method: 'POST',
  path: '/dev_fetch_api_key',
  access: 'anyone',
  tag: 'Server and authentication',
  summary: "Get a user's API key without a password. Only on the demo server; an error in production.",
  params: { username: text(textLimits.login) },
  response: apiKey,
  errors: loginErrors,
})

const devUser = Type.Object({ email: Type.String(), realm_url: Type.String() })

export const devListUsers = operation({
  name: 'devListUsers',
  method: 'GET',
  path: '/dev_list_users',
  access: 'anyone',
  tag: 'Server and authentication',
  summary: 'List the users of the demo server.',
  response: { direct_admins: Type.Array(devUser), direct_users: Type.Array(devUser) },
})
