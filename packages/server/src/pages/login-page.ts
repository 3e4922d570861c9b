import { type Role, roles } from '@parley/api/common'
import { type Html, html } from '../platform/html.ts'
import { checkbox, type FormErrors, field, formError, submit } from './form.ts'
import { icon } from './icons.ts'
import type { Page } from './layout.ts'

export interface DemoPerson {
  email: string
  full_name: string
  role: Role
}

export interface LoginPage {
  /** The name of the organization. */
  name: string
  host: string
  iconUrl?: string | undefined
  /** What was typed before. */
  email?: string
  isSharedComputer?: boolean
  errors?: FormErrors
  /** Accounts that can be picked without a password, on the demo server. */
  people: DemoPerson[]
  /** Of an app that opened the browser. */
  otp?: string | undefined
  /** Which password is meant. */
  hint?: string | undefined
  /** Other ways to sign in. */
  others: Html[]
  /** People may sign up without an invitation. */
  hasOpenSignUp: boolean
}

export function loginPage({
  name,
  host,
  iconUrl,
  email,
  isSharedComputer,
  errors,
  people,
  others,
  otp,
  hint,
  hasOpenSignUp,
}: LoginPage): Page {
  const forgotten = html`<a href="/reset">Forgotten?</a>`
  return {
    title: `Sign in to ${name}`,
    lead: host,
    iconUrl,
    content: html`<form method="post" action="/login">
${formError(errors)}
${otp !== undefined && html`<input type="hidden" name="mobile_flow_otp" value="${otp}">`}
${field({ name: 'email', label: 'Email', type: 'email', value: email, errors, autocomplete: 'username', autofocus: true })}
${field({ name: 'password', label: 'Password', type: 'password', errors, autocomplete: 'current-password', aside: forgotten, hint })}
${checkbox('shared_computer', 'This is a shared computer', {
  checked: isSharedComputer ?? false,
  hint: 'You are signed out when the browser is closed.',
})}
${submit('Sign in')}
</form>
<div class="others">${others}</div>`,
    footer: html`${hasOpenSignUp && signUp}${people.length > 0 && demoPeople(people)}`,
  }
}

const signUp = html`<p class="footer">No account yet? <a href="/join">Sign up</a></p>`

function demoPeople(people: DemoPerson[]): Html {
  return html`<section class="demo" aria-labelledby="demo">
<p id="demo">${icon('flask', 's')}This is the demo. Look around as</p>
<div class="people">${people.map(personForm)}</div>
</section>`
}

function personForm({ email, full_name, role }: DemoPerson): Html {
  return html`<form method="post" action="/login">
<input type="hidden" name="pick" value="${email}">
<button class="person"><span class="avatar" aria-hidden="true">${[...full_name][0]}</span><span><b>${full_name}</b>
<small>${roleNames[role]}</small></span></button>
</form>`
}

const roleNames: Record<Role, string> = {
  [roles.owner]: 'Owner',
  [roles.admin]: 'Administrator',
  [roles.moderator]: 'Moderator',
  [roles.member]: 'Member',
  [roles.guest]: 'Guest',
}
