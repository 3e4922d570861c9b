import { type Static, Type } from 'typebox'
import { id, nullable, unixSeconds } from '../common.ts'
import { operation, withDefault } from '../operation.ts'

const details = Type.Record(Type.String(), Type.Unknown())

export const auditOrigins = ['session', 'token', 'key', 'request', 'command', 'server', 'scim'] as const
export const auditTargets = ['user', 'channel', 'group'] as const

export const auditRow = Type.Object({
  id: Type.Integer({ description: 'Counts up by one in each organization, without gaps.' }),
  time: unixSeconds,
  action: Type.String({ description: 'What was done, such as `user_deactivated`.' }),
  actor_id: nullable(Type.Integer({ description: 'Null: the server, its operator, or an unknown person.' })),
  actor_owner_id: nullable(
    Type.Integer({ description: 'The person behind a bot that acted: its owner at that time.' }),
  ),
  via: Type.Enum([...auditOrigins], {
    description:
      'A session, a token, the API key, a request without credentials, the command line, the server itself, or an identity provider.',
  }),
  credential_id: nullable(
    Type.Integer({ description: 'The session or token; with `scim`, the token of the identity provider.' }),
  ),
  ip_address: nullable(Type.String()),
  target: details,
  before: nullable(details),
  after: nullable(details),
  hash: Type.String({ description: 'SHA-256 of this row and of the hash before it, in hexadecimal.' }),
})
export type AuditRow = Static<typeof auditRow>

const filters = {
  actor_id: Type.Optional(id),
  target_kind: Type.Optional(Type.Enum([...auditTargets])),
  target_id: Type.Optional(id),
  action: Type.Optional(Type.String({ maxLength: 100 })),
  since: Type.Optional(Type.Integer({ description: 'Seconds since 1970.' })),
  until: Type.Optional(Type.Integer({ description: 'Seconds since 1970.' })),
}

const tag = 'Audit log'

export const getAuditLog = operation({
  name: 'getAuditLog',
  method: 'GET',
  path: '/audit-log',
  access: 'owner',
  tag,
  summary: 'Get what was done in the organization that matters for its security, newest first.',
  params: {
    before: Type.Optional(Type.Integer({ description: 'Only rows with smaller ids: for the next page.' })),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 100),
    ...filters,
  },
  response: {
    rows: Type.Array(auditRow),
    found_oldest: Type.Boolean(),
    actions: Type.Array(Type.String(), { description: 'The kinds of acts that have occurred so far.' }),
  },
})

export const getSignIns = operation({
  name: 'getSignIns',
  method: 'GET',
  path: '/users/me/sign_ins',
  access: 'human',
  scope: 'full',
  tag: 'Sessions and tokens',
  summary: "Get the latest sign-ins to the caller's account, and failed attempts.",
  response: {
    sign_ins: Type.Array(
      Type.Object({
        id: Type.Integer(),
        time: unixSeconds,
        is_successful: Type.Boolean(),
        ip_address: nullable(Type.String()),
        device: nullable(Type.String()),
      }),
    ),
  },
})
