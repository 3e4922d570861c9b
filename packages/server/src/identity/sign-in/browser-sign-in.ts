import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Realm } from '../../callers/realm-state.ts'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { hashKey, type Vault } from '../../platform/secrets.ts'
import type { Page } from '../pages/layout.ts'
import { Redirect } from '../pages/redirect.ts'
import { addTotp, sealEnrolment } from '../second-factors/actions.ts'
import {
  codePage,
  type Enrolment,
  enrolPage,
  gracePage,
  newEnrolment,
  type SecondStep,
} from '../second-factors/factor-pages.ts'
import { requestPasskey, type Site } from '../second-factors/passkeys.ts'
import { readFactors } from '../second-factors/queries.ts'
import { requirementOf } from '../second-factors/requirement.ts'
import { newSecret } from '../second-factors/totp.ts'
import { startSession } from '../sessions/sessions.ts'
import { recordSignedIn, type SignInMethod } from '../sessions/sign-in-notices.ts'
import { type Account, accessAccount, type ProvedAccount } from './accounts.ts'
import { appUrl, backToAppPage, otpIn } from './mobile-flow.ts'

/** What the browser asked for when it began to sign in. */
export interface SignInPlan {
  isSharedComputer: boolean
  /** Where the password was right that came first. */
  method?: ProvedAccount['method']
  /** The one-time pad of an app that opened the browser. It gets the API key, and the browser no session. */
  otp?: string
  /** The session at an identity provider, which ends together with the one here. */
  signOn?: object
}

/** The plan in a form or query. */
export function planIn({ shared_computer, mobile_flow_otp }: RawParams): SignInPlan {
  const otp = otpIn(mobile_flow_otp)
  return { isSharedComputer: shared_computer === 'true', ...(otp && { otp }) }
}

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** Where the browser signs in. */
export interface SignInSite {
  realm: Realm
  site: Site | undefined
}

/** What the account can use in the second step. */
export async function secondStep(
  ctx: Context,
  site: Site | undefined,
  account: Account,
  pending: string,
): Promise<SecondStep> {
  const { totp_added_at, passkeys } = await readFactors(ctx.db, account.realm_id, account.id)
  const passkey = site && passkeys > 0 ? await requestPasskey(ctx, site, account.realm_id, account) : undefined
  return { pending, hasTotp: totp_added_at !== null, passkey }
}

/** After the first factor: asks for the second one, or signs the browser in. */
export async function continueSignIn(
  ctx: Context,
  exchange: Exchange,
  { realm, site }: SignInSite,
  account: Account,
  plan: SignInPlan,
): Promise<Page | Redirect> {
  if (account.has_second_factor)
    return codePage(realm, await secondStep(ctx, site, account, sealPending(ctx.vault, account, plan)))
  const requirement = requirementOf(realm)
  if (requirement?.isDue) return enrolPage(realm, await beginForced(ctx, realm, account, plan))
  const done = await completeSignIn(ctx, exchange, account, plan)
  return requirement && plan.otp === undefined ? gracePage(realm, requirement.from) : done
}

async function beginForced(ctx: Context, realm: Realm, account: Account, plan: SignInPlan): Promise<Enrolment> {
  const secret = newSecret()
  const enrolment = await newEnrolment(realm, account.email, secret, sealEnrolment(ctx.vault, account.id, secret))
  return { ...enrolment, pending: sealPending(ctx.vault, account, plan) }
}

/**
 * Adds the authenticator app of a user who must have one, and signs them in. Not for accounts with a second factor: the
 * password must not be enough to add another one.
 */
export async function completeForced(
  ctx: Context,
  exchange: Exchange,
  { account, plan }: { account: Account; plan: SignInPlan },
  { secret, code }: { secret: Buffer; code: string },
): Promise<{ codes: string[]; next: string }> {
  if (account.has_second_factor) throw new ApiError('Your account already has a second factor. Sign in again.')
  const add = (tx: Tx) => addTotp(tx, ctx.vault, account.id, secret, code)
  const codes = await transactIn(ctx, account.realm_id, add)
  return { codes, next: await enter(ctx, exchange, account, plan) }
}

/**
 * Signs the browser in after everything was proved. An app is opened by a click only: an attacker's link may have
 * brought the browser here, with a one-time pad that they know.
 */
export async function completeSignIn(
  ctx: Context,
  exchange: Exchange,
  account: Account,
  plan: SignInPlan,
  method?: SignInMethod,
): Promise<Page | Redirect> {
  const next = await enter(ctx, exchange, account, plan, method)
  return plan.otp === undefined ? new Redirect(next) : backToAppPage(next, account.email)
}

/** Returns the URL with which the user goes on: of the web client, or of the app that opened the browser. */
async function enter(
  ctx: Context,
  { request, reply }: Exchange,
  account: Account,
  { isSharedComputer, otp, method: first = 'password', signOn }: SignInPlan,
  method: SignInMethod = first,
): Promise<string> {
  await recordSignedIn(ctx, request, account, method)
  if (otp !== undefined) return urlOfApp(ctx, request, account, otp)
  await startSession(ctx, request, reply, account, { isSharedComputer, signOn })
  return '/'
}

async function urlOfApp(ctx: Context, request: FastifyRequest, account: Account, otp: string): Promise<string> {
  const { realm } = await ctx.realms.get(account.realm_id)
  return appUrl(realmUrl(ctx, request, realm), account, { key: ctx.vault.open(account.api_key_sealed), otp })
}

/** Proves that the first factor was right. It travels through the form of the second one. */
interface Pending extends SignInPlan {
  realmId: number
  userId: number
  /** Of the hash of the password, which may be changed in between. */
  passwordMark: string
  until: number
}

const purpose = 'second step of signing in'
const minutes = 10

function sealPending(vault: Vault, account: Account, plan: SignInPlan): string {
  const { realm_id: realmId, id: userId } = account
  const until = Date.now() + minutes * 60_000
  return vault.sealToken(purpose, { ...plan, realmId, userId, passwordMark: markOf(account), until } satisfies Pending)
}

function markOf({ password_hash }: Account): string {
  return hashKey(password_hash ?? '').toString('base64url')
}

/** The account that is signing in. Throws if the first step was too long ago, or the password is another one now. */
export async function openPending(
  ctx: Context,
  realm: Realm,
  sealed: string,
): Promise<{ account: Account; plan: SignInPlan }> {
  const pending = ctx.vault.openToken(purpose, sealed) as Pending | undefined
  if (pending?.realmId !== realm.id || pending.until < Date.now())
    throw new ApiError('This took too long. Sign in again.', 'NOT_FOUND')
  const { userId, isSharedComputer, otp, method } = pending
  const account = await accessAccount(ctx.db, realm.id, userId)
  if (pending.passwordMark !== markOf(account)) throw new ApiError('Your password was changed. Sign in again.')
  return { account, plan: { isSharedComputer, ...(otp !== undefined && { otp }), ...(method && { method }) } }
}
