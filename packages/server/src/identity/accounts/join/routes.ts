import { lookup } from '@parley/api/lookup'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Context } from '../../../context.ts'
import type { App } from '../../../http/serving/serve.ts'
import { type PageCall, servePage } from '../../../http/serving/serve-page.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { realmOf } from '../../../organization/realms/request-realm.ts'
import { networkOf } from '../../../platform/http/network.ts'
import { accessToken, type OpenInvitation } from '../../invitations/access.ts'
import { orShowAgain } from '../../pages/form.ts'
import { browserLanguage } from '../../pages/languages.ts'
import type { Page } from '../../pages/layout.ts'
import { Redirect } from '../../pages/redirect.ts'
import { requirementOf } from '../../second-factors/requirement.ts'
import { startSession } from '../../sessions/sessions.ts'
import { accessAccount } from '../../sign-in/accounts.ts'
import { continueSignIn } from '../../sign-in/browser-sign-in.ts'
import { acceptInvitation, checkOpenSignUp, readOfferedTo, requestSignUp } from './actions.ts'
import { accountPage, emailPage, groupField, sentPage } from './pages.ts'

/** An office behind one IP address may join all at once. */
const gate = { isSignIn: true } as const

/** The pages where people join. GET changes nothing, because email programs prefetch links. */
export function signUpRoutes(app: App): void {
  const { ctx } = app

  servePage(app, 'GET', '/join', async (call) => emailPage(await openRealm(ctx, call), undefined), gate)
  servePage(app, 'POST', '/join', async (call) => sendLink(ctx, call, await openRealm(ctx, call)), gate)

  const url = '/join/:token'
  servePage(app, 'GET', url, async (call) => pageFor(ctx, await openInvitation(ctx, call)), gate)
  servePage(
    app,
    'POST',
    url,
    async (call) => {
      const { realm, invitation } = await openInvitation(ctx, call)
      return needsEmail(ctx, invitation) ? sendLink(ctx, call, realm, invitation) : join(ctx, call, realm, invitation)
    },
    gate,
  )
}

/** The organization of the request, if people may join it without an invitation. */
async function openRealm(ctx: Context, { request }: PageCall): Promise<Realm> {
  const realm = await realmOf(ctx, request)
  checkOpenSignUp(ctx, realm)
  return realm
}

interface Opened {
  realm: Realm
  invitation: OpenInvitation
}

async function openInvitation(ctx: Context, { request, path }: PageCall): Promise<Opened> {
  const realm = await realmOf(ctx, request)
  return { realm, invitation: await accessToken(ctx.db, realm, path.token!) }
}

/** People with a reusable link confirm their email first, if the server can send one. */
function needsEmail({ mailer }: Context, { email }: OpenInvitation): boolean {
  return email === null && mailer !== undefined
}

async function pageFor(ctx: Context, { realm, invitation }: Opened): Promise<Page> {
  if (needsEmail(ctx, invitation)) return emailPage(realm, invitation)
  const groups = await readOfferedTo(ctx.db, realm, invitation)
  return accountPage(realm, invitation, { termsUrl: ctx.config.termsUrl, groups })
}

/** Sends the link that confirms an email. */
function sendLink(ctx: Context, call: PageCall, realm: Realm, invitation?: OpenInvitation): Promise<Page> {
  const { request, path, form } = call
  const { email = '' } = form
  const from = { email, network: networkOf(request.ip), baseUrl: realmUrl(ctx, request, realm) }
  return orShowAgain(
    async () => sentPage(realm, await requestSignUp(ctx, realm, from, path.token)),
    (errors) => emailPage(realm, invitation, { email, errors }),
  )
}

/** Creates the account and signs the browser in. */
async function join(ctx: Context, call: PageCall, realm: Realm, invitation: OpenInvitation): Promise<Page | Redirect> {
  const { request, reply, path, form } = call
  const { email = '', full_name = '', password = '' } = form
  const groups = await readOfferedTo(ctx.db, realm, invitation)
  const chosen = groups.map(({ id }) => id).filter((id) => lookup(form, groupField(id)) !== undefined)
  const language = browserLanguage(request.headers['accept-language'])
  const account = { email, full_name, password, default_group_ids: chosen, language }
  return orShowAgain(
    async () => {
      const { id } = await acceptInvitation(ctx, realm, path.token!, account, networkOf(request.ip))
      if (!requirementOf(realm)?.isDue) {
        await startSession(ctx, request, reply, { id, realm_id: realm.id })
        return new Redirect('/')
      }
      const created = await accessAccount(ctx.db, realm.id, id)
      return continueSignIn(ctx, call, { realm, site: undefined }, created, { isSharedComputer: false })
    },
    (errors) =>
      accountPage(realm, invitation, { termsUrl: ctx.config.termsUrl, email, full_name, errors, groups, chosen }),
  )
}
