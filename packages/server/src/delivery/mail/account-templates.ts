import { type Phrase, say } from '../../platform/html.ts'
import type { FactorChange, Notice } from './actions.ts'
import { type EmailText, letter, linked, nameAndUrl, type Organization, paragraph } from './templates.ts'

const ifNotYou = say('If it was not you, you can ignore this email. Your password stays as it is.')

/** Sent to an email whose user forgot the password, or to one that a stranger typed. */
export function passwordResetEmail(from: Organization, email: string, link: string): EmailText {
  const values = { email, place: nameAndUrl(from) }
  return letter(from, say('Set a new password at {organization}', { organization: from.name }), [
    say('We received a request to reset the password of {email} at {place}.', values),
    say('If that was you, follow this link within 30 minutes to set a new one:'),
    linked(link),
    ifNotYou,
  ])
}

/** Sent to users whose password is in a directory: one that is set here would not open their account. */
export function directoryPasswordEmail(from: Organization, email: string, directory: string): EmailText {
  const values = { email, place: nameAndUrl(from) }
  return letter(from, say('Your password at {organization}', { organization: from.name }), [
    say('We received a request to reset the password of {email} at {place}.', values),
    say('You sign in with your password at {directory}. You can change it only there.', { directory }),
    ifNotYou,
  ])
}

/** Sent to a user whose email was not posted. */
export function emailRefusedEmail(from: Organization, subject: string, reason: string): EmailText {
  const email = letter(from, say('Your email to {organization} was not posted', { organization: from.name }), [
    say('Your email “{subject}” to {place} was not posted:', { subject, place: nameAndUrl(from) }),
    paragraph(reason),
    say('You get at most one email like this a day.'),
  ])
  return { ...email, headers: { 'Auto-Submitted': 'auto-replied' } }
}

/** Sent to a user who tests whether emails arrive. */
export function notificationTestEmail(from: Organization): EmailText {
  const organization = nameAndUrl(from)
  return letter(from, say('Emails from {organization} arrive', { organization: from.name }), [
    say('You asked for this test at {organization}. You do not need to do anything.', { organization }),
  ])
}

/** Sent to the owners. */
export function realmDeactivatedEmail(from: Organization, link: string): EmailText {
  const place = nameAndUrl(from)
  return letter(from, say('{organization} has been deactivated', { organization: from.name }), [
    say('An owner has deactivated {place}. Nobody can use it any more; nothing was deleted.', { place }),
    say('To reactivate it, follow this link within 30 days. After that, ask the server operator.'),
    linked(link),
  ])
}

/** What happened, what it means for the user, and what to do if it was not the user. */
export function noticeEmail(from: Organization, email: string, notice: Notice): EmailText {
  const values = { organization: from.name, place: nameAndUrl(from), email }
  const { subject, text } = notices[notice.template](values, notice as never)
  return letter(from, subject, text)
}

type Written = { subject: Phrase; text: Phrase[] }
type Values = { organization: string; place: string; email: string }
type Writers = {
  [Name in Notice['template']]: (values: Values, notice: Extract<Notice, { template: Name }>) => Written
}

const resetNow = say(
  'If you did not do this, reset your password now and contact an administrator of the organization.',
)

const notices: Writers = {
  password_changed: (values) => ({
    subject: say('Your password at {organization} has been changed', values),
    text: [
      say('The password of {email} at {place} has been changed. All other devices have been signed out.', values),
      resetNow,
    ],
  }),
  new_sign_in: (values, { device, ip_address, at: time }) => ({
    subject: say('New sign-in to {organization}', values),
    text: [
      say('Someone signed in to {place} as {email} from a new device or network:', values),
      say('{device}, IP address {address}, {time}.', { device, address: ip_address, time }),
      say(
        'If that was you, you do not need to do anything. If it was not, reset your password now. This signs out every device.',
      ),
    ],
  }),
  failed_sign_ins: (values, { ip_address }) => ({
    subject: say('Someone tried to sign in to {organization} as you', values),
    text: [
      say(
        'Someone tried several times to sign in as {email} at {place} with wrong passwords. The attempts came from the IP address {address}. They failed, and we slow down further attempts.',
        { ...values, address: ip_address },
      ),
      say(
        'If that was you and you forgot your password, you can reset it on the sign-in page. If it was not, make sure that you do not use this password anywhere else.',
      ),
    ],
  }),
  second_factor_changed: (values, { change }) => ({
    subject: say('Two-step sign-in at {organization} has changed', values),
    text: [factorChanges[change], say('This concerns {email} at {place}.', values), resetNow],
  }),
}

const factorChanges: Record<FactorChange, Phrase> = {
  totp_added: say('An authenticator app has been added to your account.'),
  totp_removed: say('The authenticator app has been removed from your account.'),
  passkey_added: say('A passkey has been added to your account.'),
  passkey_removed: say('A passkey has been removed from your account.'),
  recovery_code_used: say('A recovery code was used to sign in to your account.'),
  recovery_codes_replaced: say('Your account has new recovery codes. The old ones no longer work.'),
  reset_by_administrator: say('An administrator has removed all second factors of your account.'),
}
