import { Type } from 'typebox'
import { id, nullable, ownPassword } from '../common.ts'
import { nameLimits } from '../limits.ts'
import { operation } from '../operation.ts'
import { scopes } from '../scopes.ts'

const tag = 'Sessions and tokens'
const timestamp = Type.Integer({ description: 'Seconds since 1970.' })
const scope = Type.Enum([...scopes])
const scopeList = Type.Array(scope, { maxItems: scopes.length })

export const token = Type.Object({
  id,
  user_id: Type.Integer({ description: 'The caller, or a bot that the caller owns.' }),
  name: Type.String(),
  scopes: Type.Union([scopeList, Type.Null()], { description: 'Null: everything the user may do.' }),
  created_at: timestamp,
  last_used_at: nullable(timestamp),
  expires_at: nullable(timestamp),
})

export const createToken = operation({
  name: 'createToken',
  method: 'POST',
  path: '/tokens',
  access: 'human',
  scope: 'full',
  tag,
  summary: 'Create a token for a device or an integration. Its secret is shown only in this response.',
  params: {
    name: Type.String({ maxLength: nameLimits.token, description: 'What the token is for.' }),
    scopes: Type.Optional(scopeList),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 10 * 366 * 86_400,
        description: 'Seconds. Without it, the token does not expire.',
      }),
    ),
    bot_id: Type.Optional(Type.Integer({ description: 'A bot that the caller owns. Without it, the caller.' })),
    password: ownPassword,
  },
  response: { token: Type.String(), id },
  errors: ['PASSWORD_REQUIRED'],
})

export const getTokens = operation({
  name: 'getTokens',
  method: 'GET',
  path: '/tokens',
  access: 'human',
  scope: 'full',
  tag,
  summary: 'Get the tokens of the caller and of the bots that the caller owns.',
  response: { tokens: Type.Array(token) },
})

export const revokeToken = operation({
  name: 'revokeToken',
  method: 'DELETE',
  path: '/tokens/{token_id}',
  access: 'human',
  scope: 'full',
  tag,
  summary: 'Revoke a token of the caller or of their bots, with its event queues.',
  pathParams: { token_id: id },
})
