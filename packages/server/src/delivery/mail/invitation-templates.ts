import { type Phrase, say } from '../../platform/html.ts'
import { type EmailText, letter, linked, nameAndUrl, type Organization } from './templates.ts'

interface Invitation {
  inviter: string | null
  link: string
  /** Null if it never expires. */
  expires_at: Date | null
}

/** Sent to a person who may never have heard of the organization. */
export function invitationEmail(from: Organization, invitation: Invitation): EmailText {
  const values = { inviter: invitation.inviter, organization: from.name, place: nameAndUrl(from) }
  return letter(from, say('{inviter} invited you to {organization}', values), [
    say('{inviter} invited you to join {place}. Follow this link to create your account:', values),
    linked(invitation.link),
    ...validUntil(invitation),
    say('The link is only for you. Do not share it.'),
    say('If you did not expect this invitation, you can ignore this email.'),
  ])
}

/** Sent to confirm the email of a person who signs up. */
export function signUpEmail(from: Organization, invitation: Invitation): EmailText {
  return letter(from, say('Confirm your email address to join {organization}', { organization: from.name }), [
    say('Follow this link to create your account at {place}:', { place: nameAndUrl(from) }),
    linked(invitation.link),
    ...validUntil(invitation),
    say('If you did not want to sign up, you can ignore this email. No account is created.'),
  ])
}

/** Sent to a user who tried to sign up again, so that the page itself need not say that the account exists. */
export function accountExistsEmail(from: Organization, baseUrl: string): EmailText {
  const place = nameAndUrl(from)
  return letter(from, say('You already have an account at {organization}', { organization: from.name }), [
    say('Someone, probably you, tried to sign up at {place} with this email address.', { place }),
    say('You already have an account. You can sign in here:'),
    linked(`${baseUrl}/login`),
    say('If it was not you, you can ignore this email. Your account stays as it is.'),
  ])
}

function validUntil({ expires_at }: Invitation): Phrase[] {
  if (expires_at === null) return []
  const time = `${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return [say('The link is valid until {time}.', { time })]
}
