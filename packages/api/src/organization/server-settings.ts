import { Type } from 'typebox'
import { nullable, text } from '../common.ts'
import { serverLimits, textLimits } from '../limits.ts'
import { jsonOrText, operation } from '../operation.ts'

const tag = 'Organization'

const maintenance = Type.String({ description: 'What the maintenance is for: users read it.' })
const rateLimit = Type.Integer({
  minimum: 0,
  maximum: serverLimits.requestsPerMinute,
  description: 'Requests a minute and user; 0 for any number.',
})

export const getOwnServer = operation({
  name: 'getOwnServer',
  method: 'GET',
  path: '/server/settings',
  access: 'owner',
  tag,
  summary: 'Get what the server is set to for all its organizations, and whether owners can change it.',
  response: {
    may_change: Type.Boolean({ description: 'Whether this is the only organization of the server.' }),
    maintenance: nullable(maintenance),
    rate_limit: nullable(rateLimit),
    default_rate_limit: rateLimit,
    host: nullable(Type.String({ description: 'Null: the organization answers at every host.' })),
    sends_email: Type.Boolean(),
    may_change_emails: Type.Boolean({ description: 'Whether the caller may change the emails of other users.' }),
  },
})

export const updateOwnServer = operation({
  name: 'updateOwnServer',
  method: 'PATCH',
  path: '/server/settings',
  access: 'owner',
  scope: 'full',
  tag,
  summary:
    'Begin or end maintenance, or change the limit of requests. Only where the organization is the only one of the server; elsewhere this is up to the operator.',
  params: {
    maintenance: Type.Optional(jsonOrText(nullable(text(textLimits.maintenance)))),
    rate_limit: Type.Optional(nullable(rateLimit)),
  },
  errors: ['PERMISSION_DENIED'],
})
