import type { OpenInvitation } from '../invitations/access.ts'
import { type FormErrors, field, formError, submit } from '../pages/form.ts'
import type { Page } from '../pages/layout.ts'
import { html } from '../platform/html.ts'
import type { Realm } from '../realms/state.ts'

interface Typed {
  email?: string
  full_name?: string
  errors?: FormErrors
}

interface Terms {
  termsUrl: string | undefined
}

const footer = html`<p class="footer">Already have an account? <a href="/login">Sign in</a></p>`

function titleOf({ name }: Realm): Pick<Page, 'title' | 'footer'> {
  return { title: `Join ${name}`, footer }
}

function leadOf({ inviter_name }: OpenInvitation): Pick<Page, 'lead'> {
  return inviter_name === null ? {} : { lead: `${inviter_name} invited you.` }
}

function emailField({ email, errors = {} }: Typed) {
  return field({ name: 'email', label: 'Email', type: 'email', value: email, errors, autocomplete: 'email' })
}

/** Asks for an email, to which the link is sent. */
export function emailPage(realm: Realm, invitation: OpenInvitation | undefined, typed: Typed = {}): Page {
  return {
    ...titleOf(realm),
    ...(invitation ? leadOf(invitation) : { lead: 'We send you a link to create your account.' }),
    content: html`<form method="post">
${formError(typed.errors)}
${emailField(typed)}
${submit('Send the link')}
</form>`,
  }
}

/** Asks for a name and a password, and for an email if the invitation names none. */
export function accountPage(realm: Realm, invitation: OpenInvitation, typed: Typed & Terms): Page {
  const { errors = {}, termsUrl } = typed
  return {
    ...titleOf(realm),
    ...leadOf(invitation),
    content: html`<form method="post">
${formError(invitation.email === null || errors.email === undefined ? errors : { form: errors.email })}
${invitation.email === null ? emailField(typed) : fixedEmail(invitation.email)}
${field({ name: 'full_name', label: 'Name', value: typed.full_name, errors, autocomplete: 'name', maxLength: 100, autofocus: true })}
${field({ name: 'password', label: 'Password', type: 'password', errors, autocomplete: 'new-password', hasMeter: true })}
${submit('Create my account')}
${termsUrl !== undefined && html`<p class="hint">By joining you accept the <a href="${termsUrl}">terms</a>.</p>`}
</form>`,
  }
}

/** Hidden in the form, so that password managers know which account the password is for. */
function fixedEmail(email: string) {
  return html`<p>Your account will have the email <strong>${email}</strong>.</p>
<input type="hidden" name="email" value="${email}" autocomplete="username">`
}

/** The same whether or not the email has an account. */
export function sentPage({ name }: Realm, email: string): Page {
  return {
    title: 'Check your email',
    organization: name,
    content: html`<p>We have sent a link to <strong>${email}</strong>. It works once, within 24 hours.</p>
<p>Nothing arrived? Look into your spam folder, and make sure that the email is correct.</p>`,
  }
}
