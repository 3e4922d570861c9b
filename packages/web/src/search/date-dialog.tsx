import type { Narrow } from '@parley/client/messages/narrow'
import { useState } from 'react'
import { errorText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { useSession } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Goes to the first message of a conversation on a day or after it. */
export function DateDialog({ narrow, onClose }: { narrow: Narrow; onClose: () => void }) {
  const { client, store } = useSession()
  const [problem, setProblem] = useState('')
  const find = async (day: string) => {
    const { messages } = await client.call('getMessages', {
      anchor: 'date',
      anchor_date: new Date(`${day}T00:00`).toISOString(),
      narrow: narrow.map((term) => ({ ...term })),
    })
    const [first] = messages
    if (!first) return setProblem(t('date.nothingSince'))
    onClose()
    goTo(narrowHash(narrow, store!, first.id))
  }
  const send = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    find(String(new FormData(event.currentTarget).get('day'))).catch((error) => setProblem(errorText(error)))
  }
  return (
    <Dialog title={t('keys.jumpToDate')} onClose={onClose} look="narrow">
      <form className="form" onSubmit={send}>
        <div className="form-field">
          <label htmlFor="jump-day">{t('date.day')}</label>
          <input
            id="jump-day"
            name="day"
            type="date"
            required
            min="1970-01-01"
            max="2999-12-31"
            className="text-input"
          />
          <span className="d">{t('date.hint')}</span>
        </div>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="form-end">
          <Button type="submit" look="primary">
            {t('date.go')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
