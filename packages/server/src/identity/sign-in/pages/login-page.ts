import { type Role, roles } from '@parley/api/common'
import { type Html, html, type Phrase, say } from '../../../platform/html.ts'
import { checkbox, type FormErrors, field, formError, submit } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import type { Page } from '../../pages/layout.ts'

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
  /** Comes from the client, whose session is over. */
  hasEnded?: boolean
  /** Accounts that can be picked without a password, on the demo server. */
  people: DemoPerson[]
  /** Of an app that opened the browser. */
  otp?: string | undefined
  /** Which password is meant. */
  hint?: Phrase | undefined
  /** Other ways to sign in. */
  others: Html[]
  /** People may sign up without an invitation. */
  hasOpenSignUp: boolean
  /** Some channels can be read without an account. */
  hasOpenChannel: boolean
}

export function loginPage({
  name,
  host,
  iconUrl,
  email,
  isSharedComputer,
  errors,
  hasEnded,
  people,
  others,
  otp,
  hint,
  hasOpenSignUp,
  hasOpenChannel,
}: LoginPage): Page {
  const forgotten = html`<a href="/reset">${say('Forgotten?')}</a>`
  return {
    title: say('Sign in to {organization}', { organization: name }),
    lead: host,
    iconUrl,
    content: html`${hasEnded && !errors && ended}<form method="post" action="/login">
${formError(errors)}
${otp !== undefined && html`<input type="hidden" name="mobile_flow_otp" value="${otp}">`}
${field({ name: 'email', label: say('Email'), type: 'email', value: email, errors, autocomplete: 'username', autofocus: true })}
${field({ name: 'password', label: say('Password'), type: 'password', errors, autocomplete: 'current-password', aside: forgotten, hint })}
${checkbox('shared_computer', say('This is a shared computer'), {
  checked: isSharedComputer ?? false,
  hint: say('You are signed out when you close the browser.'),
})}
${submit(say('Sign in'))}
</form>
<div class="others">${others}</div>`,
    footer: html`${hasOpenSignUp && signUp}${hasOpenChannel && openChannels}${people.length > 0 && demoPeople(people)}`,
  }
}

const ended = html`<p class="notice" role="status">${icon('alert')}<span>${say(
  'You have been signed out: your session was ended elsewhere or has expired, or your account was deactivated.',
)}</span></p>`

const signUp = html`<p class="footer">${say('No account yet?')} <a href="/join">${say('Sign up')}</a></p>`

const openChannels = html`<p class="footer"><a href="/open">${say('Read the open channels without signing in')}</a></p>`

function demoPeople(people: DemoPerson[]): Html {
  return html`<section class="demo" aria-labelledby="demo">
<p id="demo">${icon('flask', 's')}${say('This is the demo. Look around as')}</p>
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

const roleNames: Record<Role, Phrase> = {
  [roles.owner]: say('Owner'),
  [roles.admin]: say('Administrator'),
  [roles.moderator]: say('Moderator'),
  [roles.member]: say('Member'),
  [roles.guest]: say('Guest'),
}
