import { say } from '../../platform/html.ts'
import { writerIn } from '../../platform/translations.ts'
import type { FactorChange, Notice } from './actions.ts'
import { compose, type EmailText, linked, nameAndUrl, type Organization, paragraph } from './templates.ts'

/** Sent to an email whose user forgot the password, or to one that a stranger typed. */
export function passwordResetEmail(organization: Organization, email: string, link: string): EmailText {
  return compose(`Set a new password at ${organization.name}`, [
    paragraph('Hello,'),
    paragraph(`we received a request to reset the password of ${email} at ${nameAndUrl(organization)}.`),
    paragraph('If that was you, follow this link within 30 minutes to set a new one:'),
    linked(link),
    paragraph('If it was not you, you can ignore this email. Your password stays as it is.'),
  ])
}

/** Sent to users whose password is in a directory: one that is set here would not open their account. */
export function directoryPasswordEmail(organization: Organization, email: string, directory: string): EmailText {
  return compose(`Your password at ${organization.name}`, [
    paragraph('Hello,'),
    paragraph(`we received a request to reset the password of ${email} at ${nameAndUrl(organization)}.`),
    paragraph(`You sign in with your password at ${directory}. You can change it only there.`),
    paragraph('If you did not ask for this, you can ignore this email. Your password stays as it is.'),
  ])
}

/** Sent to a user whose email was not posted. */
export function emailRefusedEmail(organization: Organization, subject: string, reason: string): EmailText {
  const email = compose(`Your email to ${organization.name} was not posted`, [
    paragraph('Hello,'),
    paragraph(`your email “${subject}” to ${nameAndUrl(organization)} was not posted:`),
    paragraph(reason),
    paragraph('You get at most one email like this a day.'),
  ])
  return { ...email, headers: { 'Auto-Submitted': 'auto-replied' } }
}

/** Sent to a user who tests whether emails arrive. */
export function notificationTestEmail(organization: Organization, language: string): EmailText {
  const write = writerIn(language)
  const values = { organization: nameAndUrl(organization) }
  return compose(
    write(say('Emails from {organization} arrive', { organization: organization.name })),
    [paragraph(write(say('You asked for this test at {organization}. You do not need to do anything.', values)))],
    { language },
  )
}

/** Sent to the owners. */
export function realmDeactivatedEmail(organization: Organization, link: string): EmailText {
  return compose(`${organization.name} has been deactivated`, [
    paragraph('Hello,'),
    paragraph(`an owner has deactivated ${nameAndUrl(organization)}. Nobody can use it any more; nothing was deleted.`),
    paragraph('To reactivate it, follow this link within 30 days. After that, ask the server operator.'),
    linked(link),
  ])
}

/** What happened, what it means for the user, and what to do if it was not the user. */
export function noticeEmail(organization: Organization, email: string, notice: Notice): EmailText {
  const { subject, text } = notices[notice.template](organization, email, notice as never)
  return compose(subject, ['Hello,', ...text].map(paragraph))
}

type Written = { subject: string; text: string[] }
type Writers = {
  [Name in Notice['template']]: (
    at: Organization,
    email: string,
    notice: Extract<Notice, { template: Name }>,
  ) => Written
}

const notices: Writers = {
  password_changed: (at, email) => ({
    subject: `Your password at ${at.name} has been changed`,
    text: [
      `the password of ${email} at ${nameAndUrl(at)} has been changed. All other devices have been signed out.`,
      'If you did not do this, reset your password now and contact an administrator of the organization.',
    ],
  }),
  new_sign_in: (at, email, { device, ip_address, at: time }) => ({
    subject: `New sign-in to ${at.name}`,
    text: [
      `someone signed in to ${nameAndUrl(at)} as ${email} from a new device or network:`,
      `${device}, IP address ${ip_address}, ${time}.`,
      'If that was you, you do not need to do anything. If it was not, reset your password now. This signs out every device.',
    ],
  }),
  failed_sign_ins: (at, email, { ip_address }) => ({
    subject: `Someone tried to sign in to ${at.name} as you`,
    text: [
      `someone tried several times to sign in as ${email} at ${nameAndUrl(at)} with wrong passwords. The attempts came from the IP address ${ip_address}. They failed, and we slow down further attempts.`,
      'If that was you and you forgot your password, you can reset it on the sign-in page. If it was not, make sure that you do not use this password anywhere else.',
    ],
  }),
  second_factor_changed: (at, email, { change }) => ({
    subject: `Two-step sign-in at ${at.name} has changed`,
    text: [
      `${factorChanges[change]} This concerns ${email} at ${nameAndUrl(at)}.`,
      'If you did not do this, reset your password now and contact an administrator of the organization.',
    ],
  }),
}

const factorChanges: Record<FactorChange, string> = {
  totp_added: 'an authenticator app has been added to your account.',
  totp_removed: 'the authenticator app has been removed from your account.',
  passkey_added: 'a passkey has been added to your account.',
  passkey_removed: 'a passkey has been removed from your account.',
  recovery_code_used: 'a recovery code was used to sign in to your account.',
  recovery_codes_replaced: 'your account has new recovery codes. The old ones no longer work.',
  reset_by_administrator: 'an administrator has removed all second factors of your account.',
}
