import { nameLimits } from '@parley/api/limits'
import type { Realm } from '../../../callers/realm-state.ts'
import type { OfferedGroup } from '../../../conversations/channels/default-groups/queries.ts'
import { html, say } from '../../../platform/html.ts'
import type { OpenInvitation } from '../../invitations/access.ts'
import { checkbox, type FormErrors, field, formError, submit } from '../../pages/form.ts'
import type { Page } from '../../pages/layout.ts'

interface Typed {
  email?: string
  full_name?: string
  errors?: FormErrors
}

interface Offer {
  termsUrl: string | undefined
  groups: OfferedGroup[]
  /** Ids of groups. */
  chosen?: readonly number[]
}

const footer = html`<p class="footer">${say('Already have an account?')} <a href="/login">${say('Sign in')}</a></p>`

function titleOf({ name }: Realm): Pick<Page, 'title' | 'footer'> {
  return { title: say('Join {organization}', { organization: name }), footer }
}

function leadOf({ inviter_name }: OpenInvitation): Pick<Page, 'lead'> {
  return inviter_name === null ? {} : { lead: say('{name} invited you.', { name: inviter_name }) }
}

function emailField({ email, errors = {} }: Typed) {
  return field({ name: 'email', label: say('Email'), type: 'email', value: email, errors, autocomplete: 'email' })
}

/** Asks for an email, to which the link is sent. */
export function emailPage(realm: Realm, invitation: OpenInvitation | undefined, typed: Typed = {}): Page {
  return {
    ...titleOf(realm),
    ...(invitation ? leadOf(invitation) : { lead: say('We will email you a link to create your account.') }),
    content: html`<form method="post">
${formError(typed.errors)}
${emailField(typed)}
${submit(say('Send the link'))}
</form>`,
  }
}

/** Asks for a name and a password, and for an email if the invitation names none. */
export function accountPage(realm: Realm, invitation: OpenInvitation, typed: Typed & Offer): Page {
  const { errors = {}, termsUrl, groups, chosen = [] } = typed
  return {
    ...titleOf(realm),
    ...leadOf(invitation),
    content: html`<form method="post">
${formError(invitation.email === null || errors.email === undefined ? errors : { form: errors.email })}
${invitation.email === null ? emailField(typed) : fixedEmail(invitation.email)}
${field({ name: 'full_name', label: say('Name'), value: typed.full_name, errors, autocomplete: 'name', maxLength: nameLimits.user, autofocus: true })}
${field({ name: 'password', label: say('Password'), type: 'password', errors, autocomplete: 'new-password', hasMeter: true })}
${groups.length > 0 && groupChoice(groups, chosen)}
${submit(say('Create my account'))}
${termsUrl !== undefined && html`<p class="hint">${say('By joining you accept the {terms}.', { terms: html`<a href="${termsUrl}">${say('terms')}</a>` })}</p>`}
</form>`,
  }
}

export const groupField = (id: number) => `default_group_${id}`

/** Sets of channels to subscribe to, besides those that everyone gets. */
function groupChoice(groups: OfferedGroup[], chosen: readonly number[]) {
  return html`<fieldset>
<legend>${say('What interests you?')}</legend>
${groups.map(({ id, name, description, channel_names }) =>
  checkbox(groupField(id), name, {
    checked: chosen.includes(id),
    hint: say(description === '' ? 'Channels: {channels}' : '{description} · Channels: {channels}', {
      description,
      channels: channel_names.join(', '),
    }),
  }),
)}
</fieldset>`
}

/** Hidden in the form, so that password managers know which account the password is for. */
function fixedEmail(email: string) {
  return html`<p>${say('Your account will have the email {email}.', { email: html`<strong>${email}</strong>` })}</p>
<input type="hidden" name="email" value="${email}" autocomplete="username">`
}

/** The same whether or not the email has an account. */
export function sentPage({ name }: Realm, email: string): Page {
  return {
    title: say('Check your email'),
    organization: name,
    content: html`<p>${say('We have sent a link to {email}. It works once, within 24 hours.', { email: html`<strong>${email}</strong>` })}</p>
<p>${say('Nothing arrived? Check your spam folder, and make sure the email is correct.')}</p>`,
  }
}
