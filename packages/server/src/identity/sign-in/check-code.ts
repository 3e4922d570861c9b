import type { FastifyRequest } from 'fastify'
import { type Context, transactIn } from '../../context.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { networkOf } from '../../platform/http/network.ts'
import { limitGuesses } from '../passwords/attempt-limit.ts'
import { useCode, WrongCode } from '../second-factors/actions.ts'
import { requirementOf } from '../second-factors/requirement.ts'
import { failureReports } from '../sessions/sign-in-notices.ts'
import type { Account } from './accounts.ts'

/** For clients that know only passwords, such as Zulip's: people read this there. */
class SecondFactorRequired extends ApiError {
  constructor(reason: string) {
    const advice = 'create a token under Settings → Devices and tokens, and use it as your API key.'
    super(`${reason} Sign in with a browser, ${advice}`, 'SECOND_FACTOR_REQUIRED')
  }
}

/** For sign-ins by API calls. Only a browser can set up a second factor that the organization requires. */
export async function checkSecondFactor(
  ctx: Context,
  request: FastifyRequest,
  account: Account,
  code: string | undefined,
): Promise<void> {
  if (account.has_second_factor) return checkCode(ctx, request, account, code)
  const { realm } = await ctx.realms.get(account.realm_id)
  if (requirementOf(realm)?.isDue) throw new SecondFactorRequired(`${realm.name} requires two-step sign-in.`)
}

/** Uses a code as second factor. Failures are counted and audited like wrong passwords. */
export async function checkCode(
  ctx: Context,
  request: FastifyRequest,
  { id, realm_id, email }: Account,
  code: string | undefined,
): Promise<void> {
  if (code === undefined)
    throw new SecondFactorRequired(
      'Your account uses two-step sign-in, so this app needs a token instead of your password.',
    )
  const attempt = {
    realmId: realm_id,
    emailKey: emailKey(email),
    network: networkOf(request.ip),
    isSecondFactor: true,
    ...failureReports(ctx, request, realm_id, email),
  }
  await limitGuesses(ctx.db, attempt, WrongCode, () =>
    transactIn(ctx, realm_id, (tx) => useCode(tx, ctx.vault, id, code)),
  )
}
