import { type Context, transactIn } from '../../../context.ts'
import type { Tx } from '../../../events/transact.ts'
import { authorize } from '../../../http/serving/authorize.ts'
import type { App } from '../../../http/serving/serve.ts'
import { type PageCall, servePage } from '../../../http/serving/serve-page.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { realmOf } from '../../../organization/realms/request-realm.ts'
import type { RawParams } from '../../../platform/http/body.ts'
import { Redirect } from '../../pages/redirect.ts'
import { spendChallenge } from '../../second-factors/challenges.ts'
import { accessAccount, checkRealmActive } from '../../sign-in/accounts.ts'
import { completeSignIn, planIn } from '../../sign-in/browser-sign-in.ts'
import { enterAccount } from '../enter.ts'
import { SignOnFailed } from '../oidc/oidc.ts'
import { accessSamlProvider, samlPath } from '../providers.ts'
import { readSignOnCookie, setSignOnCookie } from '../sign-on-cookie.ts'
import { acceptSaml, beginSaml, completeSaml } from './saml.ts'
import { storedAs } from './saml-assertion.ts'
import { acceptLogout } from './saml-logout.ts'
import { openSaml, siteOf } from './saml-provider.ts'

const gate = { isSignIn: true } as const
/** The provider's page makes the browser send these; they are signed, and cookies play no part. */
const fromProvider = { ...gate, isCrossSite: true } as const

/** Signing in and out with a SAML identity provider. */
export function samlRoutes(app: App): void {
  const { ctx } = app
  servePage(app, 'GET', '/login/saml/:id', (call) => begin(ctx, call), gate)
  servePage(app, 'POST', '/login/saml/:id/acs', (call) => accept(ctx, call), fromProvider)
  servePage(app, 'GET', '/login/saml/:id/callback', (call) => complete(ctx, call), gate)
  servePage(app, 'GET', '/login/saml/:id/logout', (call) => logOut(ctx, call), gate)
  servePage(app, 'POST', '/login/saml/:id/logout', (call) => logOut(ctx, call), fromProvider)
  const onRequest = authorize(app, { access: 'anyone' })
  app.server.get<{ Params: RawParams }>('/login/saml/:id/metadata', { onRequest }, async (request, reply) => {
    const { provider, site } = await signInOf(ctx, { request, path: request.params })
    const saml = await openSaml(provider, site)
    const metadata = saml.generateServiceProviderMetadata(null, provider.own_certificate ?? null)
    return reply.type('application/samlmetadata+xml; charset=utf-8').send(metadata)
  })
}

async function signInOf(ctx: Context, { request, path }: Pick<PageCall, 'request' | 'path'>) {
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  const provider = accessSamlProvider(ctx.config, realm, path.id!)
  return { realm, provider, realmId: realm.id, site: siteOf(provider, realmUrl(ctx, request, realm)) }
}

async function begin(ctx: Context, call: PageCall): Promise<Redirect> {
  const { request, reply } = call
  const { realmId, provider, site } = await signInOf(ctx, call)
  const plan = planIn(request.query as RawParams)
  const { url, sealed } = await beginSaml(ctx, provider, { realmId, site, plan })
  setSignOnCookie(request, reply, sealed)
  return new Redirect(url)
}

async function accept(ctx: Context, call: PageCall): Promise<Redirect> {
  const { provider, realmId, site } = await signInOf(ctx, call)
  const answer = await acceptSaml(ctx, provider, { realmId, site, response: call.form.SAMLResponse ?? '' })
  return new Redirect(`${samlPath(provider)}/callback?answer=${answer}`)
}

async function complete(ctx: Context, call: PageCall) {
  const { request, reply } = call
  const { realm, realmId, provider } = await signInOf(ctx, call)
  const started = readSignOnCookie(request)
  setSignOnCookie(request, reply, '')
  const { answer = '' } = request.query as RawParams
  const { claimed, plan, requestId, session } = completeSaml(ctx, provider, { realmId, started, answer })
  const enter = async (tx: Tx) => {
    if (!(await spendChallenge(tx, requestId))) throw new SignOnFailed(provider.name)
    return enterAccount(tx, ctx, realm, { ...provider, id: storedAs(provider) }, claimed)
  }
  const userId = await transactIn(ctx, realmId, enter)
  const account = await accessAccount(ctx.db, realmId, userId)
  return completeSignIn(ctx, call, account, { ...plan, signOn: session }, 'saml')
}

/** A request of the provider, or its answer to one of ours: then the session here has ended already. */
async function logOut(ctx: Context, call: PageCall): Promise<Redirect> {
  const { request, form } = call
  const { provider, realmId, site } = await signInOf(ctx, call)
  const sent = request.method === 'POST' ? form : (request.query as RawParams)
  if (sent.SAMLRequest === undefined) return new Redirect('/login')
  const query = request.url.slice(request.url.indexOf('?') + 1)
  const content = request.method === 'POST' ? { posted: sent.SAMLRequest } : { query }
  const message = { ...content, relayState: sent.RelayState ?? '' }
  return new Redirect(await acceptLogout(ctx, provider, { realmId, site, message }))
}
