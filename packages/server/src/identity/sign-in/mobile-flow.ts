import { html, say } from '../../platform/html.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Page } from '../pages/layout.ts'

/** The one-time pad of an app that opened the browser to sign in: 32 random bytes, in hexadecimal. */
export function otpIn(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new ApiError('The app sent an invalid one-time pad.')
  return text.toLowerCase()
}

/**
 * The URL that opens the app again. The API key is encrypted with the pad, which only the app knows: another app that
 * has claimed the scheme learns nothing.
 */
export function appUrl(
  realm: string,
  { id, email }: { id: number; email: string },
  { key, otp }: { key: string; otp: string },
): string {
  const pad = Buffer.from(otp, 'hex')
  const bytes = Buffer.from(key, 'ascii')
  if (bytes.length !== pad.length) throw new Error('the API key and the one-time pad differ in length')
  const sealed = Buffer.from(bytes.map((byte, index) => byte ^ pad[index]!)).toString('hex')
  const params = { otp_encrypted_api_key: sealed, email, user_id: String(id), realm }
  return `zulip://login?${new URLSearchParams(params)}`
}

/** Asks before the app gets the API key. Content security policies would keep forms from redirecting to it, too. */
export function backToAppPage(url: string, email: string): Page {
  return {
    title: say('Continue in the app?'),
    content: html`<p>${say(
      'The app will be signed in as {email}. Open it only if you began to sign in there; otherwise close this page.',
      {
        email,
      },
    )}</p>
<p class="actions"><a class="button primary" href="${url}">${say('Open the app')}</a></p>`,
  }
}
