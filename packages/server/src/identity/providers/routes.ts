import { jwtFetchApiKey } from '@parley/api/server'
import type { Realm } from '../../callers/realm-state.ts'
import { type Context, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { type PageCall, servePage } from '../../http/serving/serve-page.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { Redirect } from '../pages/redirect.ts'
import { spendChallenge } from '../second-factors/challenges.ts'
import { accessAccount, checkRealmActive } from '../sign-in/accounts.ts'
import { completeSignIn, planIn } from '../sign-in/browser-sign-in.ts'
import { keyOf } from '../sign-in/fetch-key.ts'
import { requestAvatar } from './avatar.ts'
import { enterAccount } from './enter.ts'
import { jwtAccount, ownProfile } from './jwt/jwt.ts'
import { beginOidc, type Claimed, completeOidc, type OidcProvider, SignOnFailed } from './oidc/oidc.ts'
import { accessProvider, signOnPath } from './providers.ts'
import { accessNamed, proxyOf, proxyPath } from './proxy/proxy-header.ts'
import { readSignOnCookie, setSignOnCookie } from './sign-on-cookie.ts'

const gate = { isSignIn: true } as const

/** Signing in with an identity provider: there, and back again. */
export function signOnRoutes(app: App): void {
  const { ctx } = app
  serve(app, jwtFetchApiKey, async ({ ctx, request, params }) => {
    const account = await jwtAccount(ctx, request, params.token)
    const profile = params.include_profile ? { user: await ownProfile(ctx.db, account) } : {}
    return { ...keyOf(ctx, account), ...profile }
  })
  servePage(app, 'GET', proxyPath, (call) => enterThroughProxy(ctx, call), gate)
  servePage(app, 'GET', '/login/oidc/:id', (call) => begin(ctx, call), gate)
  servePage(app, 'GET', '/login/oidc/:id/callback', (call) => complete(ctx, call), gate)
}

/** The proxy has signed the person in already. */
async function enterThroughProxy(ctx: Context, call: PageCall) {
  const { request } = call
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  const proxy = proxyOf(ctx.config, realm, request)
  if (!proxy) throw new ApiError('This way to sign in does not exist here.', 'NOT_FOUND')
  checkNavigation(request)
  const plan = planIn(request.query as RawParams)
  const userId = await transactIn(ctx, realm.id, (tx) => accessNamed(tx, ctx, realm, proxy, request))
  const account = await accessAccount(ctx.db, realm.id, userId)
  return completeSignIn(ctx, call, account, plan, 'header')
}

/** Other sites can make a browser load this page as an image, again and again, and each time it would start a session. */
function checkNavigation({ headers }: PageCall['request']): void {
  const target = headers['sec-fetch-dest']
  if (target !== undefined && target !== 'document') throw new ApiError('Open this page in the browser.', 'CSRF_FAILED')
}

async function begin(ctx: Context, { request, reply, path }: PageCall): Promise<Redirect> {
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  const provider = accessProvider(ctx.config, realm, path.id!)
  const plan = planIn(request.query as RawParams)
  const redirectUri = `${realmUrl(ctx, request, realm)}${signOnPath(provider)}/callback`
  const { url, sealed } = await beginOidc(ctx, provider, { realmId: realm.id, redirectUri, plan })
  setSignOnCookie(request, reply, sealed)
  return new Redirect(url)
}

async function complete(ctx: Context, call: PageCall) {
  const { request, reply, path } = call
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  const provider = accessProvider(ctx.config, realm, path.id!)
  const currentUrl = new URL(request.url, realmUrl(ctx, request, realm))
  const sealed = readSignOnCookie(request)
  setSignOnCookie(request, reply, '')
  const { claimed, plan, state } = await completeOidc(ctx, provider, { realmId: realm.id, currentUrl, sealed })
  const userId = await transactIn(ctx, realm.id, (tx) => enter(tx, ctx, realm, provider, claimed, state))
  return completeSignIn(ctx, call, await accessAccount(ctx.db, realm.id, userId), plan, 'oidc')
}

/** Each answer of a provider signs in once. */
async function enter(tx: Tx, ctx: Context, realm: Realm, provider: OidcProvider, claimed: Claimed, state: string) {
  if (!(await spendChallenge(tx, state))) throw new SignOnFailed(provider.name)
  const userId = await enterAccount(tx, ctx, realm, provider, claimed)
  await requestAvatar(tx, userId, claimed.picture, provider.issuer)
  return userId
}
