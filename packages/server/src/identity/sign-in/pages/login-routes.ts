import type { FastifyRequest } from 'fastify'
import type { Realm } from '../../../callers/realm-state.ts'
import { transactIn } from '../../../context.ts'
import { hasOpenChannel } from '../../../conversations/web-public/access.ts'
import type { Tx } from '../../../events/transact.ts'
import { sessionCallerOf } from '../../../http/serving/authorize.ts'
import { passkeySite } from '../../../http/serving/passkey-site.ts'
import type { App } from '../../../http/serving/serve.ts'
import { type PageCall, servePage } from '../../../http/serving/serve-page.ts'
import { urlOf } from '../../../organization/realms/images.ts'
import { realmOf } from '../../../organization/realms/request-realm.ts'
import { html, say } from '../../../platform/html.ts'
import type { RawParams } from '../../../platform/http/body.ts'
import { hasOrganization } from '../../accounts/first-run.ts'
import { hasOpenSignUp } from '../../accounts/join/actions.ts'
import { inField, orShowAgain } from '../../pages/form.ts'
import type { Page } from '../../pages/layout.ts'
import { Redirect } from '../../pages/redirect.ts'
import { passwordHint, signOnLinks } from '../../providers/providers.ts'
import { namesPerson, proxyOf, proxyPath } from '../../providers/proxy/proxy-header.ts'
import { openEnrolment } from '../../second-factors/actions.ts'
import { codePage, enrolPage, newEnrolment, passkeyForm, recoveryCodesPage } from '../../second-factors/factor-pages.ts'
import { BadPasskey, requestPasskey, usePasskey } from '../../second-factors/passkeys.ts'
import { startSession } from '../../sessions/sessions.ts'
import { accessAccount, checkRealmActive } from '../accounts.ts'
import { completeForced, completeSignIn, continueSignIn, openPending, planIn, secondStep } from '../browser-sign-in.ts'
import { checkCode } from '../check-code.ts'
import { listDemoPeople } from '../demo-accounts.ts'
import { passwordAccount, signInAccount } from '../fetch-key.ts'
import { otpIn } from '../mobile-flow.ts'
import { type LoginPage, loginPage } from './login-page.ts'

export function loginRoutes(app: App): void {
  const { ctx } = app

  servePage(app, 'GET', '/login', async ({ request }) => {
    if (!(await hasOrganization(ctx.db))) return emptyPage
    const realm = await realmOf(ctx, request)
    const otp = otpIn((request.query as RawParams).mobile_flow_otp)
    if (otp === undefined && (await sessionCallerOf(ctx, request))) return new Redirect('/')
    const hasEnded = (request.query as RawParams).ended !== undefined
    return (
      automaticSignIn(ctx, request, realm) ?? loginPage({ ...(await contentOf(app, request, realm, otp)), hasEnded })
    )
  })

  const gate = { isSignIn: true } as const
  servePage(app, 'POST', '/login', (call) => signIn(app, call), gate)
  servePage(app, 'POST', '/login/code', (call) => enterCode(app, call), gate)
  servePage(app, 'POST', '/login/enrol', (call) => enrol(app, call), gate)
  servePage(app, 'POST', '/login/passkey', (call) => enterPasskey(app, call), gate)
}

/** `/login?password` shows the page also where the proxy signs people in, above all for owners. */
function automaticSignIn({ config }: App['ctx'], request: FastifyRequest, realm: Realm): Redirect | undefined {
  const proxy = proxyOf(config, realm, request)
  const { password, ...query } = request.query as RawParams
  if (!proxy?.automatic || password !== undefined || !namesPerson(proxy, request)) return undefined
  return new Redirect(`${proxyPath}?${new URLSearchParams(query)}`)
}

async function signIn(app: App, call: PageCall) {
  const { ctx } = app
  const { request, form } = call
  const { pick, email = '', password = '' } = form
  const plan = planIn(form)
  const realm = await realmOf(ctx, request)
  const place = { realm, site: passkeySite(ctx, request, realm) }
  const answer = async () => {
    if (pick === undefined) {
      const { account, method } = await passwordAccount(ctx, request, email, password)
      return continueSignIn(ctx, call, place, account, { ...plan, method })
    }
    await startSession(ctx, request, call.reply, await signInAccount(ctx, request, { username: pick }))
    return new Redirect('/')
  }
  const content = await contentOf(app, request, realm, plan.otp)
  return orShowAgain(answer, (errors) => loginPage({ ...content, email, ...plan, errors }))
}

async function enterCode({ ctx }: App, call: PageCall) {
  const { pending = '', code = '' } = call.form
  const realm = await realmOf(ctx, call.request)
  checkRealmActive(realm)
  const { account, plan } = await openPending(ctx, realm, pending)
  const step = await secondStep(ctx, passkeySite(ctx, call.request, realm), account, pending)
  return orShowAgain(
    async () => {
      await inField('code', () => checkCode(ctx, call.request, account, code))
      return completeSignIn(ctx, call, account, plan)
    },
    (errors) => codePage(realm, step, errors),
  )
}

/** Where the organization requires a second factor, users without one add an authenticator app before they get in. */
async function enrol({ ctx }: App, call: PageCall) {
  const { pending = '', enrolment: sealed = '', code = '' } = call.form
  const realm = await realmOf(ctx, call.request)
  checkRealmActive(realm)
  const first = await openPending(ctx, realm, pending)
  const secret = openEnrolment(ctx.vault, first.account.id, sealed)
  const enrolment = { ...(await newEnrolment(realm, first.account.email, secret, sealed)), pending }
  return orShowAgain(
    async () => {
      const { codes, next } = await inField('code', () => completeForced(ctx, call, first, { secret, code }))
      return recoveryCodesPage(realm, codes, next)
    },
    (errors) => enrolPage(realm, enrolment, errors),
  )
}

/** Signs in with a passkey alone, or with one as second factor after the password. */
async function enterPasskey(app: App, call: PageCall) {
  const { ctx } = app
  const { challenge: sealed = '', response = '', pending } = call.form
  const plan = planIn(call.form)
  const realm = await realmOf(ctx, call.request)
  checkRealmActive(realm)
  const first = pending === undefined ? undefined : await openPending(ctx, realm, pending)
  const content = await contentOf(app, call.request, realm, plan.otp)
  return orShowAgain(
    async () => {
      const site = passkeySite(ctx, call.request, realm)
      if (!site) throw new BadPasskey()
      const use = (tx: Tx) => usePasskey(tx, ctx.vault, site, { sealed, response }, first?.account.id ?? null)
      const userId = await transactIn(ctx, realm.id, use)
      const account = first?.account ?? (await accessAccount(ctx.db, realm.id, userId))
      return completeSignIn(ctx, call, account, first?.plan ?? plan, 'passkey')
    },
    (errors) => loginPage({ ...content, errors }),
  )
}

async function contentOf({ ctx }: App, request: FastifyRequest, realm: Realm, otp?: string): Promise<LoginPage> {
  const { hostname } = request
  const people = ctx.config.mode === 'demo' ? await listDemoPeople(ctx.db, realm.id) : []
  const site = passkeySite(ctx, request, realm)
  const passkey = site && (await requestPasskey(ctx, site, realm.id))
  const more = html`<input type="hidden" name="shared_computer" value="">
${otp !== undefined && html`<input type="hidden" name="mobile_flow_otp" value="${otp}">`}`
  const passkeys = passkey ? [passkeyForm(passkey, '/login/passkey', say('Sign in with a passkey'), more)] : []
  const others = [...signOnLinks(ctx.config, realm, request, otp), ...passkeys]
  const hint = passwordHint(ctx.config, realm)
  const look = { name: realm.name, host: realm.host ?? hostname, iconUrl: urlOf(realm.icon_path) }
  const open = { hasOpenSignUp: hasOpenSignUp(ctx, realm), hasOpenChannel: await hasOpenChannel(ctx.db, realm) }
  return { ...look, ...open, people, others, otp, hint }
}

const emptyPage: Page = {
  title: say('There is no organization yet'),
  content: html`<p>${say('To set one up, open the link that the server printed when it started.')}</p>`,
}
