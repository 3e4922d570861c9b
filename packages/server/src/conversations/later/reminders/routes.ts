import * as api from '@parley/api/conversations/reminders'
import { transactIn } from '../../../context.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { accessMessage } from '../../messages/model/access.ts'
import { renderAs } from '../../messages/send/compose.ts'
import { accessReminder, checkReminderTime } from './access.ts'
import { createReminder, removeReminder } from './actions.ts'
import { readReminders } from './queries.ts'
import { reminderText } from './reminder-text.ts'

export function reminderRoutes(app: App): void {
  serve(app, api.getReminders, async ({ ctx, user }) => ({ reminders: await readReminders(ctx.db, user) }))

  serve(app, api.createReminder, async ({ ctx, user, params }) => {
    const delivery_time = checkReminderTime(params.scheduled_delivery_timestamp)
    const message = await accessMessage(ctx.db, user, params.message_id)
    const note = (params.note ?? '').trim()
    const content = await reminderText(ctx.db, user, message, note)
    const { html: rendered_content } = await renderAs(ctx, user, content)
    const values = { message_id: message.id, note, content, rendered_content, delivery_time }
    const reminder_id = await transactIn(ctx, user.realm_id, (tx) => createReminder(tx, user, values))
    return { reminder_id }
  })

  serve(app, api.deleteReminder, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) =>
      removeReminder(tx, await accessReminder(tx, user, path.reminder_id)),
    )
    return {}
  })
}
