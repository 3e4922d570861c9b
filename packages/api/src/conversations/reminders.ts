import { type Static, Type } from 'typebox'
import { id } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation } from '../operation.ts'

export const reminder = Type.Object({
  reminder_id: Type.Integer(),
  type: Type.Literal('private'),
  to: Type.Array(Type.Integer()),
  content: Type.String(),
  rendered_content: Type.String(),
  scheduled_delivery_timestamp: Type.Integer(),
  failed: Type.Boolean(),
  reminder_target_message_id: Type.Integer(),
})
export type ReminderObject = Static<typeof reminder>

const tag = 'Reminders'

export const getReminders = operation({
  name: 'getReminders',
  method: 'GET',
  path: '/reminders',
  access: 'user',
  tag,
  summary: 'List the reminders that are not due yet, and those that could not be delivered.',
  response: { reminders: Type.Array(reminder) },
})

export const createReminder = operation({
  name: 'createReminder',
  method: 'POST',
  path: '/reminders',
  access: 'user',
  tag,
  summary: 'Remind the caller of a message: at that time, the notification bot sends it to them.',
  params: {
    message_id: id,
    scheduled_delivery_timestamp: Type.Integer({ minimum: 0, maximum: 100_000_000_000 }),
    note: Type.Optional(Type.String({ maxLength: textLimits.reminderNote })),
  },
  response: { reminder_id: Type.Integer() },
})

export const deleteReminder = operation({
  name: 'deleteReminder',
  method: 'DELETE',
  path: '/reminders/{reminder_id}',
  access: 'user',
  tag,
  summary: 'Delete a reminder.',
  pathParams: { reminder_id: id },
})
