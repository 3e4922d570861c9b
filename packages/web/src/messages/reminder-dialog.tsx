import { textLimits } from '@parley/api/limits'
import type { Session } from '@parley/client/session/session'
import { type FormEvent, useState } from 'react'
import { fromLocalInput, localInput, reminderTimes } from '../compose/scheduled/schedule.ts'
import { t } from '../platform/i18n.ts'
import { clockTime, longTime } from '../platform/times.ts'
import { act } from '../session/act.ts'
import { useSession } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { showToast } from '../ui/toast.tsx'

interface ReminderProps {
  messageId: number
  onClose: () => void
}

/** When to be reminded of a message, and what to note about it. */
export function ReminderDialog({ messageId, onClose }: ReminderProps) {
  const session = useSession()
  const now = new Date()
  const [note, setNote] = useState('')
  const [time, setTime] = useState(() => localInput(now.getTime() / 1000 + 86_400))
  const chosen = fromLocalInput(time)
  const isPast = chosen !== undefined && chosen * 1000 < now.getTime()
  const remind = (at: number) => {
    void act(create(session, messageId, at, note))
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (chosen !== undefined && !isPast) remind(chosen)
  }
  return (
    <Dialog title={t('reminder.title')} onClose={onClose}>
      <form className="form" onSubmit={submit} onKeyDown={(event) => event.stopPropagation()}>
        <label>
          {t('reminder.note')}
          <input
            className="text-input"
            maxLength={textLimits.reminderNote}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        </label>
        <div className="reminder-times">
          {reminderTimes(now).map(({ label, at }) => (
            <Button key={at} look="outline" icon="clock" onClick={() => remind(at)}>
              {t('schedule.choice', { day: label, time: clockTime(at) })}
            </Button>
          ))}
        </div>
        <label>
          {t('schedule.time')}
          <input
            type="datetime-local"
            required
            value={time}
            min={localInput(now.getTime() / 1000)}
            onChange={({ target }) => setTime(target.value)}
          />
        </label>
        {isPast && <p role="alert">{t('schedule.past')}</p>}
        <div className="form-end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" disabled={chosen === undefined || isPast}>
            {t('reminder.create')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

async function create({ client }: Session, message_id: number, at: number, note: string): Promise<void> {
  const wanted = { message_id, scheduled_delivery_timestamp: at, ...(note.trim() && { note: note.trim() }) }
  const { reminder_id } = await client.call('createReminder', wanted)
  const undo = () => void act(client.call('deleteReminder', { path: { reminder_id } }))
  showToast({ text: t('reminder.created', { time: longTime(at) }), undo })
}
