import type { ScheduledObject } from '@parley/api/conversations/scheduled'
import type { Destination } from '@parley/client/session/outbox'
import type { Session } from '@parley/client/session/session'
import { t } from '../../platform/i18n.ts'
import { longTime } from '../../platform/times.ts'
import { act } from '../../session/act.ts'
import { showToast } from '../../ui/toast.tsx'
import { escapeHtml } from '../editing.ts'
import { destinationOf } from './schedule.ts'

interface NewSchedule {
  to: Destination
  content: string
  at: number
}

function create({ client }: Session, { to, content, at }: NewSchedule) {
  const place =
    'stream_id' in to
      ? { type: 'channel' as const, to: to.stream_id, topic: to.topic }
      : { type: 'direct' as const, to: to.user_ids }
  return client.call('scheduleMessage', { ...place, content, scheduled_delivery_timestamp: at })
}

function remove({ client }: Session, id: number) {
  return client.call('deleteScheduledMessage', { path: { scheduled_message_id: id } })
}

/** Whether the server accepted it. Undo gives the text back. */
export async function schedule(session: Session, message: NewSchedule, giveBack: () => void): Promise<boolean> {
  let id: number | undefined
  await act(
    create(session, message).then(({ scheduled_message_id }) => {
      id = scheduled_message_id
    }),
  )
  if (id === undefined) return false
  const scheduled = id
  const undo = () => void act(remove(session, scheduled).then(giveBack))
  showToast({ text: t('schedule.willBeSent', { time: longTime(message.at) }), undo })
  return true
}

export function editScheduled({ client }: Session, id: number, content: string, at: number): Promise<void> {
  const params = { content, scheduled_delivery_timestamp: at }
  return act(client.call('editScheduledMessage', { path: { scheduled_message_id: id }, ...params }), t('common.saved'))
}

export function deleteScheduled(session: Session, message: ScheduledObject): void {
  const { scheduled_message_id, content, scheduled_delivery_timestamp: at } = message
  const undo = () => void act(create(session, { to: destinationOf(message), content, at }))
  void act(remove(session, scheduled_message_id), t('schedule.deleted'), undo)
}

/** Deletes it before it is sent, so that it cannot be sent twice. The outbox then keeps it until it arrives. */
export function sendNow(session: Session, message: ScheduledObject): void {
  const { scheduled_message_id, content, rendered_content } = message
  const html = rendered_content || `<p>${escapeHtml(content)}</p>`
  void act(
    remove(session, scheduled_message_id).then(() => session.outbox.send(destinationOf(message), content, html)),
    t('schedule.sent'),
  )
}
