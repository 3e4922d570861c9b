import { Type } from 'typebox'
import { id, nullable, role, unixSeconds } from '../common.ts'
import { listLimits } from '../limits.ts'
import { operation, withDefault } from '../operation.ts'

export const invitation = Type.Object({
  id: Type.Integer(),
  invited_by_user_id: Type.Integer(),
  invited: unixSeconds,
  /** Null if it never expires. */
  expiry_date: nullable(unixSeconds),
  invited_as: role,
  is_multiuse: Type.Boolean(),
  /** Only of email invitations. */
  email: Type.Optional(Type.String()),
  notify_referrer_on_join: Type.Optional(Type.Boolean()),
  /** Of reusable links, and of email invitations if the server sends no email. */
  link_url: Type.Optional(Type.String()),
})

const minutesOfTenDays = 10 * 24 * 60
const minutesOfTenYears = 10 * 365 * 24 * 60
const ids = withDefault(Type.Array(id, { maxItems: listLimits.usual }), [])

const params = {
  invite_expires_in_minutes: withDefault(
    nullable(Type.Integer({ minimum: 1, maximum: minutesOfTenYears })),
    minutesOfTenDays,
  ),
  invite_as: withDefault(role, 400),
  stream_ids: ids,
  group_ids: ids,
  include_realm_default_subscriptions: withDefault(Type.Boolean(), false),
  welcome_message_custom_text: Type.Optional(Type.String({ maxLength: 8000 })),
}

const pathParams = { invite_id: id }

export const getInvitations = operation({
  name: 'getInvitations',
  method: 'GET',
  path: '/invites',
  access: 'human_member',
  tag: 'Invitations',
  summary: 'List the pending invitations and reusable links that the caller can manage.',
  response: { invites: Type.Array(invitation) },
})

export const sendInvitations = operation({
  name: 'sendInvitations',
  method: 'POST',
  path: '/invites',
  access: 'human_member',
  permission: 'can_invite_users_group',
  tag: 'Invitations',
  summary:
    'Invite people by email. If the server sends no email, the response contains the links, which the caller can pass on.',
  params: {
    invitee_emails: Type.String({ maxLength: 500_000 }),
    notify_referrer_on_join: withDefault(Type.Boolean(), true),
    ...params,
  },
  response: {
    invite_links: Type.Optional(Type.Array(Type.Object({ email: Type.String(), link_url: Type.String() }))),
  },
  errors: ['INVITATION_FAILED'],
})

export const createInvitationLink = operation({
  name: 'createInvitationLink',
  method: 'POST',
  path: '/invites/multiuse',
  access: 'human_member',
  permission: 'create_multiuse_invite_group',
  tag: 'Invitations',
  summary: 'Create a link with which any number of people can join the organization.',
  params,
  response: { invite_link: Type.String() },
})

export const revokeInvitation = operation({
  name: 'revokeInvitation',
  method: 'DELETE',
  path: '/invites/{invite_id}',
  access: 'human_member',
  tag: 'Invitations',
  summary: 'Revoke an email invitation.',
  pathParams,
})

export const revokeInvitationLink = operation({
  name: 'revokeInvitationLink',
  method: 'DELETE',
  path: '/invites/multiuse/{invite_id}',
  access: 'human_member',
  tag: 'Invitations',
  summary: 'Revoke a reusable invitation link.',
  pathParams,
})

export const resendInvitation = operation({
  name: 'resendInvitation',
  method: 'POST',
  path: '/invites/{invite_id}/resend',
  access: 'human_member',
  tag: 'Invitations',
  summary:
    'Send the email of an invitation again, with the same link. If the server sends no email, the response contains the link.',
  pathParams,
  response: { link_url: Type.Optional(Type.String()) },
})
