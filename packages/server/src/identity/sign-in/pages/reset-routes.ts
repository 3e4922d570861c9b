import type { Realm } from '../../../callers/realm-state.ts'
import type { App } from '../../../http/serving/serve.ts'
import { servePage } from '../../../http/serving/serve-page.ts'
import { realmUrl } from '../../../organization/realms/realm-url.ts'
import { realmOf } from '../../../organization/realms/request-realm.ts'
import { checkEmail } from '../../../people/users/profile/account-fields.ts'
import { html, say } from '../../../platform/html.ts'
import { networkOf } from '../../../platform/http/network.ts'
import { accessPasswordReset, requestPasswordReset, usePasswordReset } from '../../accounts/password-reset.ts'
import { type FormErrors, field, formError, inField, orShowAgain, submit } from '../../pages/form.ts'
import type { Page } from '../../pages/layout.ts'
import { checkNewPassword } from '../../passwords/password-strength.ts'
import { hashPassword } from '../../passwords/passwords.ts'
import { checkRealmActive } from '../accounts.ts'

/** The pages for users who forgot their password. */
export function resetRoutes(app: App): void {
  requestRoutes(app)
  linkRoutes(app)
}

function requestRoutes(app: App): void {
  const { ctx } = app
  servePage(app, 'GET', '/reset', async ({ request }) => {
    const realm = await realmOf(ctx, request)
    return ctx.mailer ? requestPage(realm) : noMailPage(realm)
  })
  servePage(app, 'POST', '/reset', async ({ request, form: { email = '' } }) => {
    const realm = await realmOf(ctx, request)
    const answer = async () => {
      checkRealmActive(realm)
      await inField('email', () => checkEmail(email.trim()))
      const base_url = realmUrl(ctx, request, realm)
      await requestPasswordReset(ctx, realm, { email, network: networkOf(request.ip), base_url })
      return sentPage(realm, email.trim())
    }
    return orShowAgain(answer, (errors) => requestPage(realm, { email, errors }))
  })
}

/** GET changes nothing, because email programs prefetch links. */
function linkRoutes(app: App): void {
  const { ctx } = app
  const url = '/reset/:token'
  servePage(app, 'GET', url, async ({ request, path }) => {
    const realm = await realmOf(ctx, request)
    return passwordPage(realm, await accessPasswordReset(ctx.db, realm.id, path.token!))
  })
  servePage(app, 'POST', url, async ({ request, path, form: { password = '' } }) => {
    const realm = await realmOf(ctx, request)
    const account = await accessPasswordReset(ctx.db, realm.id, path.token!)
    const answer = async () => {
      checkRealmActive(realm)
      await inField('password', () => checkNewPassword(ctx.config.mode, password, [account.email, account.full_name]))
      await usePasswordReset(ctx, realm, path.token!, await hashPassword(password, networkOf(request.ip)))
      return changedPage(realm)
    }
    return orShowAgain(answer, (errors) => passwordPage(realm, account, errors))
  })
}

function requestPage({ name }: Realm, { email, errors }: { email?: string; errors?: FormErrors } = {}): Page {
  return {
    title: say('Reset your password'),
    organization: name,
    lead: say('We will email you a link to set a new password at {organization}.', { organization: name }),
    content: html`<form method="post" action="/reset">
${formError(errors)}
${field({ name: 'email', label: say('Email'), type: 'email', value: email, errors, autocomplete: 'username', autofocus: true })}
${submit(say('Send the link'))}
</form>
<p><a href="/login">${say('Back to sign-in')}</a></p>`,
  }
}

function noMailPage({ name }: Realm): Page {
  return {
    title: say('Reset your password'),
    organization: name,
    content: html`<p>${say(
      'This server does not send email. Ask an administrator of {organization} for a link to set a new password.',
      { organization: name },
    )}</p>
<p class="actions"><a class="button outline" href="/login">${say('Back to sign-in')}</a></p>`,
  }
}

/** The same whether or not there is such an account. */
function sentPage({ name }: Realm, email: string): Page {
  return {
    title: say('Check your email'),
    organization: name,
    content: html`<p>${say(
      'If {email} has an account at {organization}, we have sent it a link. The link works once, within 30 minutes.',
      { email: html`<strong>${email}</strong>`, organization: name },
    )}</p>
<p>${say('Nothing arrived? Check your spam folder, and make sure you typed the email you signed up with.')}</p>
<p class="actions"><a class="button outline" href="/login">${say('Back to sign-in')}</a></p>`,
  }
}

function passwordPage({ name }: Realm, { email }: { email: string }, errors?: FormErrors): Page {
  const options = { name: 'password', type: 'password', autocomplete: 'new-password', errors } as const
  return {
    title: say('Set a new password'),
    organization: name,
    lead: say('For {email} at {organization}', { email, organization: name }),
    content: html`<form method="post">
${formError(errors)}
<input type="hidden" name="email" value="${email}" autocomplete="username">
${field({ ...options, label: say('New password'), hasMeter: true, autofocus: true })}
${submit(say('Set the password'))}
<p class="hint">${say('This signs you out on all devices and ends your API keys.')}</p>
</form>`,
  }
}

function changedPage({ name }: Realm): Page {
  return {
    title: say('Your password has been changed'),
    organization: name,
    content: html`<p>${say('You have been signed out everywhere. Sign in with the new password.')}</p>
<p class="actions"><a class="button primary" href="/login">${say('Sign in')}</a></p>`,
  }
}
