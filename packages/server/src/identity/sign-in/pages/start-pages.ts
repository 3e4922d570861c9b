import { type Html, html, say } from '../../../platform/html.ts'
import { type FormErrors, field, formError, submit, success } from '../../pages/form.ts'
import type { Page } from '../../pages/layout.ts'

const steps = [say('Organization'), say('Owner'), say('Invite people')]

function stepsOf(current: 0 | 1 | 2): Html {
  const items = steps.map((name, index) =>
    index === current
      ? html`<li aria-current="step">${name}</li>`
      : html`<li${index < current && html` class="done"`}>${name}</li>`,
  )
  return html`<ol class="steps">${items}</ol>`
}

export interface Typed {
  name?: string
  host?: string
  full_name?: string
  email?: string
}

export function organizationPage({ name, host }: Typed, errors: FormErrors = {}): Page {
  return {
    title: say('Set up Parley'),
    lead: say('Nobody uses this server yet. Set up your organization.'),
    content: html`${stepsOf(0)}<form method="post">
${formError(errors)}
<input type="hidden" name="step" value="organization">
${field({ name: 'name', label: say('Name of the organization'), value: name, errors, maxLength: 40, autocomplete: 'organization', autofocus: true })}
${field({
  name: 'host',
  label: say('Address'),
  value: host,
  errors,
  maxLength: 253,
  autocomplete: 'off',
  hint: say('People open Parley at this host name. It must lead to this server.'),
})}
${submit(say('Continue'))}
</form>`,
  }
}

export function ownerPage({ name, host, full_name, email }: Typed, errors: FormErrors = {}): Page {
  return {
    title: say('Create your account'),
    lead: say('You will be the owner of {organization}.', { organization: name }),
    content: html`${stepsOf(1)}<form method="post">
${formError(errors)}
<input type="hidden" name="step" value="owner">
<input type="hidden" name="name" value="${name}">
<input type="hidden" name="host" value="${host}">
${field({ name: 'full_name', label: say('Your name'), value: full_name, errors, maxLength: 100, autocomplete: 'name', autofocus: true })}
${field({ name: 'email', label: say('Email'), type: 'email', value: email, errors, autocomplete: 'username' })}
${field({ name: 'password', label: say('Password'), type: 'password', errors, autocomplete: 'new-password', hasMeter: true })}
${submit(say('Create the organization'))}
</form>`,
  }
}

export function invitePage(organization: string, sendsEmail: boolean, emails = '', errors: FormErrors = {}): Page {
  const error = errors.emails ?? errors.form
  return {
    title: say('Invite people'),
    organization,
    lead: sendsEmail
      ? say('We email each person a link to join.')
      : say('This server does not send email. You get a link to give to each person.'),
    content: html`${stepsOf(2)}<form method="post" action="/start/invite">
<div class="field">
<div class="label"><label for="emails">${say('Emails, one per line')}</label></div>
<textarea id="emails" name="emails" rows="5" required autofocus${
      error !== undefined && html` aria-invalid="true" aria-describedby="emails-error"`
    }>${emails}</textarea>
${error !== undefined && html`<p class="error" id="emails-error">${say(error)}</p>`}
</div>
${submit(say('Invite'))}
</form>
<p><a href="/">${say('Skip this step')}</a></p>`,
  }
}

export interface Invited {
  email: string
  url: string
}

/** With email, only says how many were invited; without, shows the links. */
export function invitedPage(organization: string, count: number, links: Invited[]): Page {
  return {
    title: say('{organization} is ready', { organization }),
    organization,
    content: html`${success(say('Invitations: {count}', { count }))}
${links.length > 0 && html`<p>${say('Give each person their link. Each link works once, within ten days.')}</p>`}
${links.length > 0 && html`<ul class="links">${links.map(linkRow)}</ul>`}
<p class="actions"><a class="button primary" href="/">${say('Continue')}</a></p>`,
  }
}

function linkRow({ email, url }: Invited, index: number): Html {
  return html`<li class="field"><div class="label"><label for="link-${index}">${email}</label></div>
<input id="link-${index}" value="${url}" readonly data-copy></li>`
}

/** The organization is at another host, where this browser is not signed in. */
export function elsewherePage(organization: string, url: string): Page {
  return {
    title: say('{organization} is ready', { organization }),
    organization,
    content: html`<p>${say('Its address is {url}. Sign in there with your email and password.', { url: html`<strong>${url}</strong>` })}</p>
<p class="actions"><a class="button primary" href="${url}/login">${say('Open {organization}', { organization })}</a></p>`,
  }
}
