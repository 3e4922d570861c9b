import type { ShownMessage } from '@parley/client/messages/cache'
import { useEffect, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { editMessage } from './actions.ts'

/** Edits the source of a message in place. Enter saves, Escape leaves it as it was. */
export function Editor({ message, onClose }: { message: ShownMessage; onClose: () => void }) {
  const session = useSession()
  const [text, setText] = useState<string>()
  useEffect(() => {
    session.client
      .call('getMessage', { path: { message_id: message.id }, apply_markdown: false, allow_empty_topic_name: true })
      .then((answer) => setText(answer.message.content))
      .catch(onClose)
  }, [session, message.id, onClose])
  const save = () => void editMessage(session, message.id, text ?? '').then(onClose)
  if (text === undefined) return <p className="quiet">{t('message.loadingSource')}</p>
  return (
    <div className="box editing">
      <textarea
        className="input"
        aria-label={t('message.editLabel')}
        // biome-ignore lint/a11y/noAutofocus: the user asked to edit
        autoFocus
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Escape') onClose()
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            save()
          }
        }}
      />
      <div className="row">
        <span className="end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" onClick={save} disabled={text.trim() === ''}>
            {t('common.save')}
          </Button>
        </span>
      </div>
    </div>
  )
}
