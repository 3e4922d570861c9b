import { t } from '../../platform/i18n.ts'
import { longTime } from '../../platform/times.ts'
import { Rendered } from '../../rendered/rendered.tsx'
import { act } from '../../session/act.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { Button } from '../../ui/button.tsx'

/** Reminders that are not due yet, the next one first. */
export function ReminderCards() {
  const { client } = useSession()
  const { reminders } = useSlices('reminders').reminders.snapshot()
  if (reminders.length === 0) return null
  const remove = (reminder_id: number) =>
    void act(client.call('deleteReminder', { path: { reminder_id } }), t('reminder.deleted'))
  return (
    <>
      <h2 className="reminders-title">{t('reminder.all')}</h2>
      {reminders.map(({ reminder_id: id, rendered_content, scheduled_delivery_timestamp: at, failed }) => (
        <section key={id} className="card scheduled">
          <Rendered html={rendered_content} />
          <p className={failed ? 'not-sent' : 'quiet'}>
            {failed ? t('reminder.failed') : t('reminder.due', { time: longTime(at) })}
          </p>
          <div className="form-end">
            <Button onClick={() => remove(id)}>{t('common.delete')}</Button>
          </div>
        </section>
      ))}
    </>
  )
}
