import { compose, type EmailText, linked, nameAndUrl, type Organization, paragraph } from './templates.ts'

interface Invitation {
  inviter: string | null
  link: string
  /** Null if it never expires. */
  expires_at: Date | null
}

/** Sent to a person who may never have received of the organization. */
export function invitationEmail(organization: Organization, invitation: Invitation): EmailText {
  const { inviter, link } = invitation
  return compose(`${inviter} invited you to ${organization.name}`, [
    paragraph('Hello,'),
    paragraph(`${inviter} invited you to join ${nameAndUrl(organization)}. Follow this link to create your account:`),
    linked(link),
    paragraph(`${validUntil(invitation)}The link is only for you. Do not share it.`),
    paragraph('If you did not expect this invitation, you can ignore this email.'),
  ])
}

/** Sent to confirm the email of a person who signs up. */
export function signUpEmail(organization: Organization, invitation: Invitation): EmailText {
  return compose(`Confirm your email address to join ${organization.name}`, [
    paragraph('Hello,'),
    paragraph(`follow this link to create your account at ${nameAndUrl(organization)}:`),
    linked(invitation.link),
    paragraph(validUntil(invitation)),
    paragraph('If you did not want to sign up, you can ignore this email. No account is created.'),
  ])
}

/** Sent to a user who tried to sign up again, so that the page itself need not say that the account exists. */
export function accountExistsEmail(organization: Organization, baseUrl: string): EmailText {
  return compose(`You already have an account at ${organization.name}`, [
    paragraph('Hello,'),
    paragraph(`someone, probably you, tried to sign up at ${nameAndUrl(organization)} with this email address.`),
    paragraph('You already have an account. You can sign in here:'),
    linked(`${baseUrl}/login`),
    paragraph('If it was not you, you can ignore this email. Your account stays as it is.'),
  ])
}

function validUntil({ expires_at }: Invitation): string {
  if (expires_at === null) return ''
  return `The link is valid until ${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC. `
}
