import type { ScheduledObject } from '@parley/api/conversations/scheduled'
import { Suspense, useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { longTime } from '../../platform/times.ts'
import { Rendered } from '../../rendered/rendered.tsx'
import { useSession, useSlices } from '../../session/context.tsx'
import { lazyPart } from '../../session/lazy-part.tsx'
import { Button } from '../../ui/button.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Empty } from '../../ui/states.tsx'
import { PlaceLine } from '../place-line.tsx'
import { ReminderCards } from './reminder-cards.tsx'
import { destinationOf } from './schedule.ts'
import { deleteScheduled, editScheduled, sendNow } from './schedule-actions.ts'

const ScheduleDialog = lazyPart(() => import('./schedule-dialog.tsx').then((one) => one.ScheduleDialog))

/** Messages that are sent later, the next one first, and reminders. */
export function ScheduledScreen() {
  const store = useSlices('scheduled', 'reminders')
  const { scheduled_messages: messages } = store.scheduled.snapshot()
  return (
    <Screen title={t('nav.scheduled')}>
      <div className="settings-page">
        {messages.length + store.reminders.byId.size === 0 && <Empty icon="clock" title={t('schedule.empty')} />}
        {messages.map((message) => (
          <ScheduledCard key={message.scheduled_message_id} message={message} />
        ))}
        <ReminderCards />
      </div>
    </Screen>
  )
}

function ScheduledCard({ message }: { message: ScheduledObject }) {
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const { scheduled_message_id: id, content, rendered_content, scheduled_delivery_timestamp: at, failed } = message
  const soon = Math.floor(Date.now() / 1000) + 600
  return (
    <section className="card scheduled">
      <PlaceLine to={destinationOf(message)} />
      <Rendered html={rendered_content} />
      <p className={failed ? 'not-sent' : 'quiet'}>
        {failed ? t('schedule.failed') : t('schedule.due', { time: longTime(at) })}
      </p>
      <div className="form-end">
        <Button onClick={() => deleteScheduled(session, message)}>{t('common.delete')}</Button>
        <Button look="outline" icon="pencil-line" onClick={() => setOpen(true)}>
          {t('common.edit')}
        </Button>
        <Button look="primary" icon="send-horizontal" onClick={() => sendNow(session, message)}>
          {t('schedule.sendNow')}
        </Button>
      </div>
      {isOpen && (
        <Suspense>
          <ScheduleDialog
            title={t('schedule.edit')}
            action={t('common.save')}
            content={content}
            at={Math.max(at, soon)}
            onSave={(time, text) => void editScheduled(session, id, text, time)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </section>
  )
}
