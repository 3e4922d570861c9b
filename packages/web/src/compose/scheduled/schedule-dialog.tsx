import { type FormEvent, useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useLength } from '../length.tsx'
import { fromLocalInput, localInput } from './schedule.ts'

interface ScheduleDialogProps {
  title: string
  action: string
  /** The text to edit; without it only the time is asked for. */
  content?: string
  at: number
  onSave: (at: number, content: string) => void
  onClose: () => void
}

/** When a message is sent, and what it says if it is scheduled already. */
export function ScheduleDialog({ title, action, content, at: known, onSave, onClose }: ScheduleDialogProps) {
  const [text, setText] = useState(content ?? '')
  const [time, setTime] = useState(() => localInput(known))
  const at = fromLocalInput(time)
  const length = useLength(text)
  const isPast = at !== undefined && at * 1000 < Date.now()
  const isReady = at !== undefined && !isPast && !length.isTooLong && (content === undefined || text.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    onSave(at, text)
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="form" onSubmit={submit} onKeyDown={(event) => event.stopPropagation()}>
        {content !== undefined && (
          <label>
            {t('compose.message')}
            <textarea rows={5} value={text} onChange={({ target }) => setText(target.value)} />
          </label>
        )}
        {length.line}
        <label>
          {t('schedule.time')}
          <input
            type="datetime-local"
            required
            value={time}
            min={localInput(Date.now() / 1000)}
            onChange={({ target }) => setTime(target.value)}
          />
        </label>
        {isPast && <p role="alert">{t('schedule.past')}</p>}
        <div className="form-end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" disabled={!isReady}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
