import { Type } from 'typebox'
import { id, nullable } from '../common.ts'
import { listLimits } from '../limits.ts'
import { operation } from '../operation.ts'

const time = (description: string) => nullable(Type.Integer({ description }))

const way = Type.Enum(['push', 'email'])

/** What became of a notification about a message, in one way and, for pushes, on one device. */
export const notificationRecord = Type.Object({
  way,
  device_id: nullable(Type.Integer({ description: 'Of a push: the device, as in `notification_health`.' })),
  outcome: Type.Enum(['sent', 'waits', 'dropped', 'failed', 'removed']),
  reason: nullable(
    Type.String({
      description:
        'Why the message notifies (`direct`, `mentioned`, `alertWord`, `everyone`, `followed`, `channel`), or why it does not (`read`, `gone`, `mutedTopic`, …). Of what waits: for what (`active`, `retry`, …).',
    }),
  ),
  detail: nullable(Type.String({ description: 'What else is known: `setting`, or what the service answered.' })),
  at: Type.Integer({ description: 'UNIX time. Of what waits: when it is decided again.' }),
})

export const getMessageNotifications = operation({
  name: 'getMessageNotifications',
  method: 'GET',
  path: '/messages/{message_id}/notifications',
  access: 'human',
  tag: 'Push',
  summary: 'Get what became of the pushes and emails to the caller about a message in the last 14 days.',
  pathParams: { message_id: Type.Integer() },
  response: { notifications: Type.Array(notificationRecord) },
})

export const getNotificationPauses = operation({
  name: 'getNotificationPauses',
  method: 'GET',
  path: '/notification_pauses',
  access: 'human',
  tag: 'Push',
  summary: 'Get whose notifications are paused now, of users who let others see it.',
  params: { user_ids: Type.Array(id, { maxItems: listLimits.usual }) },
  response: {
    pauses: Type.Array(
      Type.Object({ user_id: Type.Integer(), until: Type.Integer({ description: 'UNIX time of the end.' }) }),
    ),
  },
})

const deadEmail = {
  status: Type.String({ description: 'Of the last email that came back, such as `5.1.1`.' }),
  detail: Type.String({ description: 'What the mail server said.' }),
  since: Type.Integer(),
}

export const sendTestEmail = operation({
  name: 'sendTestEmail',
  method: 'POST',
  path: '/users/me/test_email',
  access: 'human',
  tag: 'Push',
  summary: "Send an email to the caller's own address, to test whether emails arrive.",
})

export const retryEmail = operation({
  name: 'retryEmail',
  method: 'DELETE',
  path: '/users/me/email_bounces',
  access: 'human',
  tag: 'Push',
  summary: "Send emails to the caller's address again, although emails came back from there.",
})

export const getDeadEmails = operation({
  name: 'getDeadEmails',
  method: 'GET',
  path: '/email_bounces',
  access: 'admin',
  tag: 'Push',
  summary: 'Get the users whose emails come back, so that they are sent none about messages.',
  response: { users: Type.Array(Type.Object({ user_id: Type.Integer(), ...deadEmail })) },
})

export const getNotificationHealth = operation({
  name: 'getNotificationHealth',
  method: 'GET',
  path: '/users/{user_id}/notification_health',
  access: 'human',
  tag: 'Push',
  summary:
    'Get whether pushes and emails reach a user: the caller, or for administrators any user. Never what they are about.',
  pathParams: { user_id: Type.Integer() },
  response: {
    devices: Type.Array(
      Type.Object({
        device_id: Type.Integer(),
        kind: Type.Enum(['web', 'apns', 'fcm']),
        service: Type.String({ description: 'The host of the push service.' }),
        registered_at: Type.Integer(),
        succeeded_at: time('When the push service last accepted a notification.'),
        failed_at: time('When it last refused one, if it has accepted none since.'),
        failure: nullable(Type.String()),
      }),
    ),
    counts: Type.Array(Type.Object({ way, outcome: Type.String(), count: Type.Integer() }), {
      description: 'Of the last 14 days.',
    }),
    email: nullable(
      Type.Object({ ...deadEmail, email: Type.String() }, { description: 'Why no emails are sent; null: they are.' }),
    ),
    errors: Type.Array(Type.Object({ way, detail: Type.String(), at: Type.Integer() }), {
      description: 'The last ten failures.',
    }),
  },
})
