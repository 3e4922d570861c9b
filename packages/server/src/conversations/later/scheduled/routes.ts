import * as api from '@parley/api/conversations/scheduled'
import type { Caller } from '../../../callers/caller.ts'
import { transactIn } from '../../../context.ts'
import { clientName } from '../../../http/serving/client-info.ts'
import { type App, serve } from '../../../http/serving/serve.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { isInteractive } from '../../messages/send/interactive-clients.ts'
import {
  accessScheduled,
  changedPlan,
  checkPlanned,
  checkTime,
  recipientsOf,
  storedType,
  wasDelivered,
} from './access.ts'
import { createScheduled, editScheduled, removeScheduled } from './actions.ts'
import { readScheduled } from './queries.ts'

export function scheduledRoutes(app: App): void {
  serve(app, api.getScheduledMessages, async ({ ctx, user }) => ({
    scheduled_messages: await readScheduled(ctx.db, user),
  }))

  serve(app, api.scheduleMessage, async ({ ctx, user, params, request }) => {
    const delivery_time = checkTime(params.scheduled_delivery_timestamp)
    const type = storedType(params.type)
    const recipients = recipientsOf(type, params.to)
    const topic = type === 'stream' ? (params.topic ?? null) : null
    const planned = await checkPlanned(ctx, user, { type, recipients, topic, content: params.content })
    const client = clientName(request)
    const read_by_sender = params.read_by_sender ?? (isInteractive(client) && !isToSelf(user, type, recipients))
    const values = { ...planned, delivery_time, client, read_by_sender }
    const id = await transactIn(ctx, user.realm_id, (tx) => createScheduled(tx, user, values))
    return { scheduled_message_id: id }
  })

  serve(app, api.editScheduledMessage, async ({ ctx, user, path, params }) => {
    const { scheduled_delivery_timestamp: timestamp, ...changes } = params
    if (Object.keys(params).length === 0) throw new ApiError('Nothing to change')
    await transactIn(ctx, user.realm_id, async (tx) => {
      const row = await accessScheduled(tx, user, path.scheduled_message_id)
      const time = timestamp === undefined ? undefined : checkTime(timestamp)
      if (row.failed && !time) throw new ApiError('Scheduled delivery time must be in the future.')
      const plan = changedPlan(row, changes)
      const checked = Object.keys(changes).length > 0 ? await checkPlanned({ ...ctx, db: tx.db }, user, plan) : {}
      await editScheduled(tx, row.id, { ...checked, ...(time && { delivery_time: time, failed: false }) })
    })
    return {}
  })

  serve(app, api.deleteScheduledMessage, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, async (tx) => {
      if (await wasDelivered(tx, user, path.scheduled_message_id)) return
      await removeScheduled(tx, await accessScheduled(tx, user, path.scheduled_message_id))
    })
    return {}
  })
}

function isToSelf({ id }: Caller, type: string, recipients: number[]): boolean {
  return type === 'private' && recipients.every((one) => one === id)
}
