import { type FormErrors, field, formError, submit, success } from '../pages/form.ts'
import type { Page } from '../pages/layout.ts'
import { type Html, html } from '../platform/html.ts'
import type { Realm } from '../realms/state.ts'
import { qrCode } from './qr-code.ts'
import type { OwnFactors } from './queries.ts'
import { base32, enrolmentUrl } from './totp.ts'

type Named = Pick<Realm, 'name'>

const codeField = { name: 'code', autocomplete: 'one-time-code', maxLength: 40, autofocus: true } as const

/** The second step of signing in. */
export function codePage({ name }: Named, pending: string, errors?: FormErrors): Page {
  return {
    title: 'Enter your code',
    organization: name,
    lead: `Two-step sign-in to ${name}`,
    content: html`<form method="post" action="/login/code">
${formError(errors)}
<input type="hidden" name="pending" value="${pending}">
${field({ ...codeField, label: 'Code', errors, hint: 'From your authenticator app, or one of your recovery codes.' })}
${submit('Sign in')}
</form>
<p><a href="/login">Back to sign-in</a></p>
<p class="hint">Without your app and recovery codes, ask an administrator of ${name} to reset your two-step sign-in.</p>`,
  }
}

/** What the user must type to change something: a session alone, which may be stolen, is not enough. */
export function identityField(hasPassword: boolean, errors?: FormErrors): Html {
  if (!hasPassword) return html``
  return field({ name: 'password', label: 'Your password', type: 'password', errors, autocomplete: 'current-password' })
}

export function overviewPage({ name }: Named, { totp_added_at, recovery_codes }: OwnFactors): Page {
  return {
    title: 'Two-step sign-in',
    organization: name,
    lead: 'A second proof besides your password, so that a stolen password is not enough.',
    content: html`<h2>Authenticator app</h2>
${
  totp_added_at === null
    ? html`<p>Shows a new code every 30 seconds.</p>
<p class="actions"><a class="button primary" href="/second-factor/totp">Set up an authenticator app</a></p>`
    : html`${success(html`Added on ${day(totp_added_at)}. You have ${recovery_codes} recovery ${recovery_codes === 1 ? 'code' : 'codes'} left.`)}
<p class="actions"><a class="button outline" href="/second-factor/recovery-codes">New recovery codes</a>
<a class="button outline danger" href="/second-factor/totp/remove">Remove the app</a></p>`
}
<p class="actions"><a href="/">Back to ${name}</a></p>`,
  }
}

function day(date: Date): Html {
  const text = date.toISOString().slice(0, 10)
  return html`<time datetime="${text}">${text}</time>`
}

/** Asks for the password before a change. */
export function confirmPage(
  { name }: Named,
  { title, text, button, hasPassword }: { title: string; text: string; button: string; hasPassword: boolean },
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
<p><a href="/second-factor">Cancel</a></p>`,
  }
}

/** A secret on its way into an authenticator app. */
export interface Enrolment {
  secret: Buffer
  sealed: string
  qr: Html
}

export async function newEnrolment({ name }: Named, email: string, secret: Buffer, sealed: string): Promise<Enrolment> {
  const label = 'QR code with the secret for your authenticator app'
  return { secret, sealed, qr: await qrCode(enrolmentUrl(secret, name, email), label) }
}

/** Shows the secret of a new authenticator app, and asks for its first code. */
export function enrolPage({ name }: Named, { secret, sealed, qr }: Enrolment, errors?: FormErrors): Page {
  return {
    title: 'Set up an authenticator app',
    organization: name,
    content: html`<p>Scan this with an authenticator app on your phone.</p>
${qr}
<p class="hint">Or type this secret into the app: <strong>${base32(secret).replace(/.{4}(?=.)/g, '$& ')}</strong></p>
<form method="post" action="/second-factor/totp/code">
${formError(errors)}
<input type="hidden" name="enrolment" value="${sealed}">
${field({ ...codeField, label: 'Code that the app shows', errors })}
${submit('Turn on two-step sign-in')}
</form>
<p><a href="/second-factor">Cancel</a></p>`,
  }
}

/** Shows recovery codes, once. */
export function recoveryCodesPage({ name }: Named, codes: string[], next = '/second-factor'): Page {
  return {
    title: 'Save your recovery codes',
    organization: name,
    content: html`<p>If you lose your phone, each of these signs you in once instead of a code of the app. They are not
shown again: print them, or store them in a password manager.</p>
<ol class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p class="actions"><a class="button primary" href="${next}">I have saved them</a></p>`,
  }
}
