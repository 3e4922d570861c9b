import { Type } from 'typebox'
import { nullable, unixSeconds } from '../common.ts'
import { operation } from '../operation.ts'

export const getSecondFactors = operation({
  name: 'getSecondFactors',
  method: 'GET',
  path: '/users/me/second_factors',
  access: 'human',
  scope: 'full',
  tag: 'Sessions and tokens',
  summary: "Get the second factors of the caller's account. They are managed at `/second-factor`, with a browser.",
  response: {
    totp_added_at: nullable(unixSeconds),
    passkeys: Type.Integer({ description: 'How many passkeys the account has.' }),
    recovery_codes: Type.Integer({ description: 'How many are left.' }),
  },
})
