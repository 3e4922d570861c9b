import { roles } from '@parley/api/common'
import type { Caller } from '../../../callers/caller.ts'
import { type Context, transactIn } from '../../../context.ts'
import { requestInvitationMail } from '../../../delivery/mail/actions.ts'
import { sessionCallerOf } from '../../../http/serving/authorize.ts'
import type { App } from '../../../http/serving/serve.ts'
import { type PageCall, servePage } from '../../../http/serving/serve-page.ts'
import { hostNameOf, onHost } from '../../../organization/realms/hosts.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { checkEmail, checkFullName } from '../../../people/users/profile/account-fields.ts'
import { networkOf } from '../../../platform/http/network.ts'
import {
  checkHost,
  checkOrganizationName,
  checkStartLink,
  createFirstOrganization,
  shortNameOf,
} from '../../accounts/first-run.ts'
import { accessInviter } from '../../invitations/access.ts'
import { inviteByEmail } from '../../invitations/actions.ts'
import { joinUrl } from '../../invitations/queries.ts'
import { inField, orShowAgain } from '../../pages/form.ts'
import { Redirect } from '../../pages/redirect.ts'
import { checkNewPassword } from '../../passwords/password-strength.ts'
import { hashPassword } from '../../passwords/passwords.ts'
import { startSession } from '../../sessions/sessions.ts'
import { elsewherePage, invitedPage, invitePage, organizationPage, ownerPage } from './start-pages.ts'

/** Setting up the first organization. What was typed in the first step travels through the form of the second. */
export function startRoutes(app: App): void {
  const { ctx } = app
  servePage(app, 'GET', '/start/:token', async ({ request, path }) => {
    await checkStartLink(ctx.db, path.token!)
    return organizationPage({ host: hostNameOf(request.headers.host) ?? '' })
  })
  servePage(app, 'POST', '/start/:token', async (call) => {
    await checkStartLink(ctx.db, call.path.token!)
    const typed = typedIn(call)
    const isComplete = call.form.step === 'owner'
    return orShowAgain(
      async () => {
        await inField('name', () => checkOrganizationName(typed.name))
        await inField('host', () => checkHost(typed.host))
        return isComplete ? create(ctx, call) : ownerPage(typed)
      },
      (errors) => (isComplete && !errors.name && !errors.host ? ownerPage : organizationPage)(typed, errors),
    )
  })
  inviteRoutes(app)
}

function typedIn({ form }: PageCall) {
  const { name = '', host = '', full_name = '', email = '' } = form
  return {
    name: name.trim(),
    host: hostNameOf(host.trim()) ?? '',
    full_name: full_name.trim(),
    email: email.trim(),
  }
}

async function create(ctx: Context, call: PageCall) {
  const { request, reply, path } = call
  const { name, host, full_name, email } = typedIn(call)
  const { password = '' } = call.form
  await inField('full_name', () => checkFullName(full_name))
  await inField('email', () => checkEmail(email))
  await inField('password', () => checkNewPassword(ctx.config.mode, password, [email, full_name, name]))
  const password_hash = await hashPassword(password, networkOf(request.ip))
  // The organization at the host of this server also answers at its IP address and at localhost.
  const own = host === hostNameOf(request.headers.host) ? null : host
  const organization = { name, host: own, string_id: shortNameOf(name) }
  const owner = await createFirstOrganization(ctx, path.token!, organization, { full_name, email, password_hash })
  if (own !== null) return elsewherePage(name, onHost(realmUrl(ctx, request, { host: null }), own))
  await startSession(ctx, request, reply, owner)
  return new Redirect('/start/invite')
}

/** The last step needs no link: the owner is signed in. */
function inviteRoutes(app: App): void {
  const { ctx } = app
  servePage(app, 'GET', '/start/invite', async ({ request }) => {
    const caller = await sessionCallerOf(ctx, request)
    return caller ? invitePage(caller.realm.name, ctx.mailer !== undefined) : new Redirect('/login')
  })
  servePage(app, 'POST', '/start/invite', async ({ request, form: { emails = '' } }) => {
    const caller = await sessionCallerOf(ctx, request)
    if (!caller) return new Redirect('/login')
    const { name } = caller.realm
    return orShowAgain(
      async () => {
        const links = await invite(ctx, caller, emails, realmUrl(ctx, request, caller.realm))
        return invitedPage(name, links.length, ctx.mailer ? [] : links)
      },
      (errors) => invitePage(name, ctx.mailer !== undefined, emails, errors),
    )
  })
}

const terms = {
  invite_as: roles.member,
  invite_expires_in_minutes: 10 * 24 * 60,
  stream_ids: [],
  group_ids: [],
  include_realm_default_subscriptions: true,
  notify_referrer_on_join: true,
}

function invite(ctx: Context, caller: Caller, invitee_emails: string, baseUrl: string) {
  return transactIn(ctx, caller.realm_id, async (tx) => {
    const actor = await accessInviter(tx, caller, 'can_invite_users_group')
    const { invitations } = await inviteByEmail(tx, ctx.vault, actor, { ...terms, invitee_emails })
    if (ctx.mailer) for (const { id } of invitations) await requestInvitationMail(tx, id, baseUrl)
    return invitations.map(({ email, token }) => ({ email: email!, url: joinUrl(baseUrl, token) }))
  })
}
