import type { FastifyRequest } from 'fastify'
import { hasOrganization } from '../accounts/first-run.ts'
import { transactIn } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import { sessionCallerOf } from '../http/authorize.ts'
import { passkeySite } from '../http/passkey-site.ts'
import type { App } from '../http/serve.ts'
import { type PageCall, servePage } from '../http/serve-page.ts'
import { html } from '../platform/html.ts'
import type { RawParams } from '../platform/http/body.ts'
import { urlOf } from '../realms/images.ts'
import type { Realm } from '../realms/state.ts'
import { openEnrolment } from '../second-factors/actions.ts'
import { codePage, enrolPage, newEnrolment, passkeyForm, recoveryCodesPage } from '../second-factors/factor-pages.ts'
import { BadPasskey, requestPasskey, usePasskey } from '../second-factors/passkeys.ts'
import { accessAccount, checkRealmActive } from '../sign-in/accounts.ts'
import { completeForced, completeSignIn, continueSignIn, openPending, secondStep } from '../sign-in/browser-sign-in.ts'
import { checkCode } from '../sign-in/check-code.ts'
import { listDemoPeople } from '../sign-in/demo-accounts.ts'
import { passwordAccount, signInAccount } from '../sign-in/fetch-key.ts'
import { otpIn } from '../sign-in/mobile-flow.ts'
import { realmOf } from '../sign-in/request-realm.ts'
import { startSession } from '../sign-in/sessions.ts'
import { passwordHint, signOnLinks } from '../sign-on/providers.ts'
import { namesPerson, proxyOf, proxyPath } from '../sign-on/proxy-header.ts'
import { hasOpenSignUp } from '../sign-up/actions.ts'
import { inField, orShowAgain } from './form.ts'
import type { Page } from './layout.ts'
import { type LoginPage, loginPage } from './login-page.ts'
import { Redirect } from './redirect.ts'

export function loginRoutes(app: App): void {
  const { ctx } = app

  servePage(app, 'GET', '/login', async ({ request }) => {
    if (!(await hasOrganization(ctx.db))) return emptyPage
    const realm = await realmOf(ctx, request)
    const otp = otpIn((request.query as RawParams).mobile_flow_otp)
    if (otp === undefined && (await sessionCallerOf(ctx, request))) return new Redirect('/')
    return automaticSignIn(ctx, request, realm) ?? loginPage(await contentOf(app, request, realm, otp))
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
  const otp = otpIn(form.mobile_flow_otp)
  const plan = { isSharedComputer: form.shared_computer === 'true', ...(otp && { otp }) }
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
  const content = await contentOf(app, request, realm, otp)
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
  const { challenge: sealed = '', response = '', pending, mobile_flow_otp } = call.form
  const otp = otpIn(mobile_flow_otp)
  const realm = await realmOf(ctx, call.request)
  checkRealmActive(realm)
  const first = pending === undefined ? undefined : await openPending(ctx, realm, pending)
  const content = await contentOf(app, call.request, realm, otp)
  return orShowAgain(
    async () => {
      const site = passkeySite(ctx, call.request, realm)
      if (!site) throw new BadPasskey()
      const use = (tx: Tx) => usePasskey(tx, ctx.vault, site, { sealed, response }, first?.account.id ?? null)
      const userId = await transactIn(ctx, realm.id, use)
      const account = first?.account ?? (await accessAccount(ctx.db, realm.id, userId))
      return completeSignIn(
        ctx,
        call,
        account,
        first?.plan ?? { isSharedComputer: false, ...(otp && { otp }) },
        'passkey',
      )
    },
    (errors) => loginPage({ ...content, errors }),
  )
}

async function contentOf({ ctx }: App, request: FastifyRequest, realm: Realm, otp?: string): Promise<LoginPage> {
  const { hostname } = request
  const people = ctx.config.mode === 'demo' ? await listDemoPeople(ctx.db, realm.id) : []
  const site = passkeySite(ctx, request, realm)
  const passkey = site && (await requestPasskey(ctx, site, realm.id))
  const pad = otp && html`<input type="hidden" name="mobile_flow_otp" value="${otp}">`
  const passkeys = passkey ? [passkeyForm(passkey, '/login/passkey', 'Sign in with a passkey', pad || undefined)] : []
  const others = [...signOnLinks(ctx.config, realm, request, otp), ...passkeys]
  const hint = passwordHint(ctx.config, realm)
  const look = { name: realm.name, host: realm.host ?? hostname, iconUrl: urlOf(realm.icon_path) }
  return { ...look, people, others, otp, hint, hasOpenSignUp: hasOpenSignUp(ctx, realm) }
}

const emptyPage: Page = {
  title: 'There is no organization yet',
  content: html`<p>To set one up, open the link that the server printed when it started.</p>`,
}
