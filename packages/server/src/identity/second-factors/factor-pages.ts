import type { Realm } from '../../callers/realm-state.ts'
import { type Html, html, say, type Text } from '../../platform/html.ts'
import { type FormErrors, field, formError, submit, success } from '../pages/form.ts'
import { icon } from '../pages/icons.ts'
import type { Page } from '../pages/layout.ts'
import type { PasskeyRequest } from './passkeys.ts'
import { qrCode } from './qr-code.ts'
import type { OwnFactors } from './queries.ts'
import { base32, enrolmentUrl } from './totp.ts'

type Named = Pick<Realm, 'name'>

const codeField = { name: 'code', autocomplete: 'one-time-code', maxLength: 40, autofocus: true } as const

/** A button that asks the browser for a passkey. Shown by the script of our pages, if the browser has passkeys. */
export function passkeyForm(
  { kind, options, sealed }: PasskeyRequest,
  action: string,
  button: Text,
  more?: Html,
): Html {
  return html`<form method="post" action="${action}" data-passkey="${JSON.stringify({ kind, options })}" hidden>
<input type="hidden" name="challenge" value="${sealed}"><input type="hidden" name="response" value="">${more}
<button class="button outline">${button}</button>
<p class="error" role="alert" data-passkey-error hidden>${icon('alert', 's')}${say('That did not work. Try again.')}</p>
</form>`
}

/** What the second step of signing in can use. */
export interface SecondStep {
  pending: string
  hasTotp: boolean
  passkey: PasskeyRequest | undefined
}

export function codePage({ name }: Named, { pending, hasTotp, passkey }: SecondStep, errors?: FormErrors): Page {
  const first = html`<input type="hidden" name="pending" value="${pending}">`
  const hint = hasTotp
    ? say('From your authenticator app, or one of your recovery codes.')
    : say('One of your recovery codes.')
  return {
    title: hasTotp ? say('Enter your code') : say('Use your passkey'),
    organization: name,
    lead: say('Two-step sign-in to {organization}', { organization: name }),
    content: html`${passkey && passkeyForm(passkey, '/login/passkey', say('Use a passkey'), first)}
<form method="post" action="/login/code">
${formError(errors)}
${first}
${field({ ...codeField, label: say('Code'), errors, hint })}
${submit(say('Sign in'))}
</form>
<p><a href="/login">${say('Back to sign-in')}</a></p>
<p class="hint">${say(
      'Have you lost your devices and recovery codes? Ask an administrator of {organization} to reset your two-step sign-in.',
      { organization: name },
    )}</p>`,
  }
}

/** What the user must type to change something: a session alone, which may be stolen, is not enough. */
export function identityField(hasPassword: boolean, errors?: FormErrors): Html {
  if (!hasPassword) return html``
  return field({
    name: 'password',
    label: say('Your password'),
    type: 'password',
    errors,
    autocomplete: 'current-password',
  })
}

export interface Overview extends OwnFactors {
  list: { id: number; name: string; created_at: Date }[]
  hasSite: boolean
}

export function overviewPage({ name }: Named, factors: Overview): Page {
  const { totp_added_at, recovery_codes, list, hasSite } = factors
  return {
    title: say('Two-step sign-in'),
    organization: name,
    lead: say('You confirm each sign-in with a second step. A stolen password is then not enough.'),
    content: html`<h2>${say('Passkeys')}</h2>
<p>${say('Sign in with the screen lock of a device or with a security key, without your password.')}</p>
<ul class="rows">${list.map(passkeyRow)}</ul>
${
  hasSite
    ? html`<p class="actions"><a class="button primary" href="/second-factor/passkeys">${say('Add a passkey')}</a></p>`
    : html`<p class="hint">${say('Passkeys need a server with a host name.')}</p>`
}
<h2>${say('Authenticator app')}</h2>
${
  totp_added_at === null
    ? html`<p>${say('An authenticator app shows a new code every 30 seconds.')}</p>
<p class="actions"><a class="button outline" href="/second-factor/totp">${say('Set up an authenticator app')}</a></p>`
    : html`${success(say('Added on {day}.', { day: day(totp_added_at) }))}
<p class="actions"><a class="button outline danger" href="/second-factor/totp/remove">${say('Remove the app')}</a></p>`
}
${(totp_added_at !== null || list.length > 0) && recoveryPart(recovery_codes)}
<p class="actions"><a href="/">${say('Back to {organization}', { organization: name })}</a></p>`,
  }
}

function recoveryPart(count: number): Html {
  return html`<h2>${say('Recovery codes')}</h2>
<p>${say('Codes left: {count}. If you lose your devices, each code signs you in once.', { count })}</p>
<p class="actions"><a class="button outline" href="/second-factor/recovery-codes">${say('New recovery codes')}</a></p>`
}

function passkeyRow({ id, name, created_at }: Overview['list'][number]): Html {
  return html`<li><span>${name}<small>${say('Added on {day}.', { day: day(created_at) })}</small></span>
<a class="button outline small" href="/second-factor/passkeys/${id}/remove" aria-label="${say('Remove {name}', { name })}">${say('Remove')}</a></li>`
}

export const longestPasskeyName = 60

/** Asks for the name of a new passkey, and the browser for the passkey. */
export function newPasskeyPage({ name }: Named, request: PasskeyRequest, device: string): Page {
  const hint = say('So that you recognize it in the list of your passkeys.')
  const named = field({ name: 'name', label: say('Name'), value: device, maxLength: longestPasskeyName, hint })
  return {
    title: say('Add a passkey'),
    organization: name,
    content: html`<p>${say('Your browser asks for the screen lock of this device, or for a security key.')}</p>
${passkeyForm(request, '/second-factor/passkeys/add', say('Continue'), named)}
<noscript><p>${say('Passkeys need JavaScript.')}</p></noscript>
<p><a href="/second-factor">${say('Cancel')}</a></p>`,
  }
}

function day(date: Date): Html {
  const text = date.toISOString().slice(0, 10)
  return html`<time datetime="${text}">${text}</time>`
}

/** Asks for the password before a change. */
export function confirmPage(
  { name }: Named,
  { title, text, button, hasPassword }: { title: Text; text: Text; button: Text; hasPassword: boolean },
  errors?: FormErrors,
): Page {
  return {
    title,
    organization: name,
    content: html`<p>${text}</p>
<form method="post">
${formError(errors)}
${identityField(hasPassword, errors)}
${submit(button)}
</form>
<p><a href="/second-factor">${say('Cancel')}</a></p>`,
  }
}

/** A secret on its way into an authenticator app. */
export interface Enrolment {
  secret: Buffer
  sealed: string
  qr: Html
  /** Of a user who cannot sign in without. */
  pending?: string
}

export async function newEnrolment({ name }: Named, email: string, secret: Buffer, sealed: string): Promise<Enrolment> {
  const label = say('QR code with the secret for your authenticator app')
  return { secret, sealed, qr: await qrCode(enrolmentUrl(secret, name, email), label) }
}

/** Shows the secret of a new authenticator app, and asks for its first code. */
export function enrolPage({ name }: Named, { secret, sealed, qr, pending }: Enrolment, errors?: FormErrors): Page {
  const isSigningIn = pending !== undefined
  return {
    title: say('Set up an authenticator app'),
    organization: name,
    ...(isSigningIn && { lead: say('{organization} requires two-step sign-in.', { organization: name }) }),
    content: html`<p>${say('Scan this with an authenticator app on your phone.')}</p>
${qr}
<p class="hint">${say('Or type this secret into the app: {secret}', { secret: html`<strong>${base32(secret).replace(/.{4}(?=.)/g, '$& ')}</strong>` })}</p>
<form method="post" action="${isSigningIn ? '/login/enrol' : '/second-factor/totp/code'}">
${formError(errors)}
${isSigningIn && html`<input type="hidden" name="pending" value="${pending}">`}
<input type="hidden" name="enrolment" value="${sealed}">
${field({ ...codeField, label: say('Code that the app shows'), errors })}
${submit(say('Turn on two-step sign-in'))}
</form>
<p><a href="${isSigningIn ? '/login' : '/second-factor'}">${say('Cancel')}</a></p>`,
  }
}

/** Shown after signing in during the grace period. */
export function gracePage({ name }: Named, from: Date): Page {
  return {
    title: say('Set up two-step sign-in'),
    organization: name,
    content: html`<p>${say(
      'From {day}, {organization} requires a passkey or an authenticator app in addition to your password.',
      {
        day: day(from),
        organization: name,
      },
    )}</p>
<p class="actions"><a class="button primary" href="/second-factor">${say('Set it up now')}</a>
<a class="button outline" href="/">${say('Later')}</a></p>`,
  }
}

/** Shows recovery codes, once. */
export function recoveryCodesPage({ name }: Named, codes: string[], next = '/second-factor'): Page {
  return {
    title: say('Save your recovery codes'),
    organization: name,
    content: html`<p>${say(
      'If you lose your devices, each of these codes signs you in once. They are not shown again. Print them or store them in a password manager.',
    )}</p>
<ol class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p class="actions" data-with-script hidden><button type="button" class="button outline" data-copy-list=".codes" data-copied="${say('Copied')}" data-failed="${say('Could not copy')}">${say('Copy')}</button>
<button type="button" class="button outline" data-print>${say('Print')}</button></p>
<p class="actions"><a class="button primary" href="${next}">${say('I have saved them')}</a></p>`,
  }
}
