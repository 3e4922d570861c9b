import { type Static, Type } from 'typebox'
import { id, nullable, ownPassword } from '../common.ts'
import { nameLimits } from '../limits.ts'
import { operation, withDefault } from '../operation.ts'
import { scopes } from '../scopes.ts'

const tag = 'Sessions and tokens'
const timestamp = Type.Integer({ description: 'Seconds since 1970.' })
const scope = Type.Enum([...scopes])
const scopeList = Type.Array(scope, { maxItems: scopes.length })

/** What the token of an agent may use beyond its scopes. Such a token works at `/mcp` only. */
export const agentLimits = Type.Object({
  channel_ids: Type.Union([Type.Array(id, { minItems: 1, maxItems: 20 }), Type.Null()], {
    description: 'Null: everything the user may read, direct messages included.',
  }),
  messages_per_hour: Type.Integer({ minimum: 0, maximum: 10_000 }),
})
export type AgentLimits = Static<typeof agentLimits>

export const token = Type.Object({
  id,
  user_id: Type.Integer({ description: 'The caller, or a bot that the caller owns.' }),
  name: Type.String(),
  scopes: Type.Union([scopeList, Type.Null()], { description: 'Null: everything the user may do.' }),
  agent: nullable(agentLimits),
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
    agent: Type.Optional(agentLimits),
    may_mix_channels: withDefault(
      Type.Boolean({ description: 'Whether an agent that reads private channels may also write elsewhere.' }),
      false,
    ),
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
